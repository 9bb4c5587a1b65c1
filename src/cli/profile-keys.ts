import { type Profile, readPemText, readSecret } from '../config/index.js';
import { fail } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';
import { type Credentials, keyFingerprint, readPrivateKey } from '../signing/index.js';
import type { PlainProtection } from '../spec/index.js';
import { printable } from '../wire/redact.js';

/** The keys of a configured profile, read once each, from the one source the profile names. */
export class ProfileKeys {
  readonly #profile: Profile;
  readonly #isVerbose: boolean;
  readonly #runtime: Runtime;
  #credentials: Credentials;

  constructor(profile: Profile, isVerbose: boolean, runtime: Runtime) {
    this.#profile = profile;
    this.#isVerbose = isVerbose;
    this.#runtime = runtime;
    this.#credentials = { login: profile.login };
  }

  async credentials({ scheme }: Pick<PlainProtection, 'scheme'>): Promise<Credentials> {
    if ((scheme === 'control' || scheme === 'hmac-sha1') && this.#credentials.controlKey === undefined) await this.#readControlKey();
    if (scheme === 'rsa-sha256' && this.#credentials.privateKey === undefined) await this.#readPrivateKey();
    return this.#credentials;
  }

  async #readControlKey(): Promise<void> {
    const { name, controlKey } = this.#profile;
    if (controlKey === undefined)
      throw fail('PROFILE_INCOMPLETE', {
        name,
        lacking: 'a control key',
        how: 'control-key-file in the profile, PAYCLI_CONTROL_KEY_FILE or --control-key-file',
      });
    const { secret, from, warning } = await readSecret(controlKey, this.#runtime);
    if (warning !== undefined) this.#say(`warning: ${warning}`);
    this.#credentials = { ...this.#credentials, controlKey: secret };
    this.#trace('control-key', from, controlKey.origin);
  }

  async #readPrivateKey(): Promise<void> {
    const { name, privateKey, passphrase } = this.#profile;
    if (privateKey === undefined)
      throw fail('PROFILE_INCOMPLETE', {
        name,
        lacking: 'a private key',
        how: 'private-key-file in the profile, PAYCLI_PRIVATE_KEY_FILE or --private-key-file',
      });
    const { secret, from } = await readPemText(privateKey, this.#runtime);
    const phrase = passphrase === undefined ? undefined : await readSecret(passphrase, this.#runtime);
    this.#credentials = { ...this.#credentials, privateKey: readPrivateKey(secret.open(), phrase?.secret, from) };
    this.#trace('private-key', from, privateKey.origin);
    if (phrase !== undefined) this.#trace('passphrase', phrase.from, passphrase?.origin ?? '');
  }

  #trace(what: string, from: string, origin: string): void {
    if (this.#isVerbose) this.#say(`* ${what} from ${from}, by ${origin}`);
  }

  #say(line: string): void {
    this.#runtime.terminal.err(`${printable(line)}\n`);
  }

  nameOf(scheme: PlainProtection['scheme']): string {
    const { controlKey, privateKey } = this.#credentials;
    if (scheme === 'rsa-sha256') return `private key fingerprint ${privateKey?.fingerprint ?? 'not read'}`;
    return `control key fingerprint ${controlKey === undefined ? 'not read' : keyFingerprint(controlKey.open())}`;
  }
}
