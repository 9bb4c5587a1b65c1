import { checkTlsPolicy, type Defaults, loadProfile, type Profile, readCaFile, readPemText, readSecret } from '../config/index.js';
import { fail } from '../errors/index.js';
import type { Runtime, Transport } from '../runtime/ports.js';
import { type Credentials, keyFingerprint, readPrivateKey } from '../signing/index.js';
import type { Operation, PlainProtection } from '../spec/index.js';
import type { CommonOptions } from './options.js';
import type { CommonSettings, Session } from './session.js';

/** Opens the connection that flags, environment and files ask for; with nothing configured, the sandbox in the box. */
export async function openSession(options: CommonOptions, runtime: Runtime): Promise<Session> {
  checkTlsPolicy(runtime.env);
  const { profile: name, baseUrl, login, endpointId, controlKeyFile, privateKeyFile, passphraseFile, caFile } = options;
  const overrides = { baseUrl, login, endpointId, controlKeyFile, privateKeyFile, passphraseFile, caFile };
  const loaded = await loadProfile({ profile: name, overrides }, runtime);
  const common = {
    output: loaded.settings.output,
    timeoutMs: loaded.settings.timeoutSeconds === undefined ? undefined : loaded.settings.timeoutSeconds * 1000,
    warnings: loaded.warnings,
  };
  if (loaded.profile !== undefined) return configured(loaded.profile, options, common, runtime);
  const { openBuiltin } = await import('./builtin.js');
  return openBuiltin({ ...common, endpointId, defaults: loaded.defaults, asked: loaded.origins['profile'] !== 'built-in' }, runtime);
}

function configured(profile: Profile, options: CommonOptions, common: CommonSettings, runtime: Runtime): Session {
  const keys = new Keys(profile, runtime);
  let transport: Promise<Transport> | undefined;
  const open = () => runtime.transport(profile.caFile === undefined ? {} : { ca: readCaFile(profile.caFile, runtime.files) });
  return {
    name: profile.name,
    class: profile.class,
    builtin: false,
    login: profile.login,
    assume: profile.assume,
    assumeOrigins: profile.assumeOrigins,
    output: common.output,
    timeoutMs: common.timeoutMs,
    waitMs: 300_000,
    // A sandbox on this machine settles within a moment and may be asked as often as one likes.
    pollMs: profile.class === 'sandbox' ? 100 : undefined,
    notes: common.warnings.map((text) => `warning: ${text}`),
    flags: flagsOf(profile, options),
    payer: {},
    canAskStatus: profile.controlKey !== undefined,
    endpointFor: (row, currency) => profile.endpointFor(row.id, currency),
    defaultsFor: (row) => defaultsOf(profile, row),
    target: (endpointId) => ({ baseUrl: profile.baseUrl, endpointId, login: profile.login, assume: profile.assume }),
    credentials: (protection) => keys.credentials(protection),
    keyName: (scheme) => keys.nameOf(scheme),
    transport: () => (transport ??= open()),
    close: async () => (await transport)?.close(),
  };
}

/** The keys of a configured profile, read once each. */
class Keys {
  readonly #profile: Profile;
  readonly #runtime: Runtime;
  #credentials: Credentials;

  constructor(profile: Profile, runtime: Runtime) {
    this.#profile = profile;
    this.#runtime = runtime;
    this.#credentials = { login: profile.login };
  }

  async credentials({ scheme }: PlainProtection): Promise<Credentials> {
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
    const { secret, warning } = await readSecret(controlKey, this.#runtime);
    if (warning !== undefined) this.#runtime.terminal.err(`warning: ${warning}\n`);
    this.#credentials = { ...this.#credentials, controlKey: secret };
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
    const phrase = passphrase === undefined ? undefined : (await readSecret(passphrase, this.#runtime)).secret;
    this.#credentials = { ...this.#credentials, privateKey: readPrivateKey(secret.open(), phrase, from) };
  }

  nameOf(scheme: PlainProtection['scheme']): string {
    const { controlKey, privateKey } = this.#credentials;
    if (scheme === 'rsa-sha256') return `private key fingerprint ${privateKey?.fingerprint ?? 'not read'}`;
    return `control key fingerprint ${controlKey === undefined ? 'not read' : keyFingerprint(controlKey.open())}`;
  }
}

function defaultsOf(profile: Profile, row: Operation): Defaults {
  const all = { ...profile.defaults };
  for (const [key, address] of Object.entries(profile.addresses)) if (address !== undefined) all[key] = address;
  return Object.fromEntries(Object.entries(all).filter(([key]) => key in row.fields));
}

function flagsOf(profile: Profile, options: CommonOptions): string {
  const named = options.profile === undefined ? '' : ` --profile ${options.profile}`;
  return `${named}${profile.class === 'live' ? ' --live' : ''}`;
}
