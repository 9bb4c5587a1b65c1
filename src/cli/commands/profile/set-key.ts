import { applyChanges, type Setting } from '../../../config/edit.js';
import { checkTlsPolicy } from '../../../config/index.js';
import { fail, ifInterrupted } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type Credentials, keyFingerprint } from '../../../signing/index.js';
import { Secret } from '../../../wire/mask.js';
import { defineCommand, type FlagsFor, mayPrompt, on, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { checkKey, isSafeToProbe, judgeCheck, type KeyScheme } from '../../core/credential-check.js';
import { Reporter } from '../../core/reporter.js';
import { liveFlag, outputFlags } from '../../flags.js';
import { checkLiveFlag } from '../../session.js';
import { type KeyStore, openKeyStore, ownKeyStore } from './key-store.js';
import { readControlKey, readRsaFile } from './keys.js';
import { loadFromFile, openUserProfile, type UserProfile, writeKeyAndFile } from './user-file.js';

interface SetKeyFlags extends CommonOptions {
  readonly file?: string;
  readonly passphraseFile?: string;
  readonly unchecked?: boolean;
}

export const profileSetKey = defineCommand({
  summary: 'Replace a key of a profile, once the gateway accepts the new one',
  help: 'The new key signs one request for an order that does not exist. Unless the gateway accepts the signature, nothing is replaced. A new control key is stored where paycli keeps the old one, file or keyring; your own files are not changed. A private key stays in its file, and the profile refers to it.',
  args: {
    profile: { text: 'a profile of the user file', ask: 'name of the profile' },
    key: { text: 'the key to replace', choices: ['control', 'private'], ask: 'which key' },
  },
  flags: {
    file: word('<file>', 'the new key (mode 0600); - is standard input, but for a private key; asked for if omitted'),
    passphraseFile: word('<file>', 'the passphrase of a private key; it stays where it is'),
    unchecked: on('replace it without checking with the gateway'),
    live: liveFlag,
    noInput: on('never prompt'),
    ...outputFlags,
  } satisfies FlagsFor<SetKeyFlags>,
  examples: [
    'profile set-key shop-test control --file next-control.key',
    'profile set-key shop-test control --file - --unchecked',
    'profile set-key shop-test private --file next-rsa.pem --unchecked',
  ],
  effect: 'read',
  note: 'One signed request for an order that does not exist; --unchecked skips it.',
  result: ['profile-key'],
  async run({ args: { profile: name, key: which }, flags: options, runtime }) {
    const report = new Reporter(options, undefined, runtime);
    if (which === 'control' && options.passphraseFile !== undefined)
      throw fail('USAGE', { why: '--passphrase-file is only for a private key' });
    const profile = openUserProfile(name, runtime);
    const key =
      which === 'control' ? await readControl(profile, options, report, runtime) : await readPrivate(options, runtime);
    const answer = options.unchecked === true ? null : await askGateway(name, key, options, report, runtime);
    const edits = Object.entries(key.settings).map(
      ([each, value]) => ({ path: ['profiles', name, each], value }) as const,
    );
    await writeKeyAndFile(key.stored, applyChanges(profile.before, edits, runtime.files), runtime);
    const { fingerprint, place } = key;
    await report.show({
      document: {
        ...{ schema: 'paycli.profile-key/1', profile: name, key: which, fingerprint, place },
        ...{ checked: answer !== null, answer, file: profile.before.path },
      },
      text: () =>
        `${report.paint.good('✓')} profile ${name} has a new ${which} key\n${report.columns([
          ['place', `${place}, fingerprint ${fingerprint}`],
          ['check', answer ?? `not checked; \`paycli doctor --online --profile ${name}\` does it`],
        ])}`,
    });
    return 0;
  },
});

/** A key that was read and is not yet written. */
interface NewKey {
  readonly scheme: KeyScheme;
  readonly settings: Readonly<Record<string, Setting | undefined>>;
  readonly stored?: { readonly store: KeyStore; readonly secret: Secret };
  readonly credentials: Omit<Credentials, 'login'>;
  readonly fingerprint: string;
  readonly place: string;
}

/** The new key or where it is, asked for on a terminal. */
async function askFor(message: string, hidden: boolean, options: SetKeyFlags, runtime: Runtime): Promise<string> {
  if (!mayPrompt(options, runtime)) throw fail('FIELD_MISSING', { flags: '--file' });
  const prompter = await runtime.prompter(options.color);
  const check = (text: string) =>
    text.trim() === text && text !== '' ? undefined : 'is empty, or has a space at an end';
  return prompter.ask({ name: 'key', message, hidden, check }).catch(ifInterrupted('nothing was changed'));
}

async function readControl(
  { name, layer, current }: UserProfile,
  options: SetKeyFlags,
  report: Reporter,
  runtime: Runtime,
): Promise<NewKey> {
  const secret =
    (await readControlKey({ controlKeyFile: options.file }, report, runtime)) ??
    new Secret(await askFor('new control key', true, options, runtime));
  const kind = layer['control-key']?.value.kind === 'keyring' ? 'keyring' : 'file';
  const store = await openKeyStore(kind, name, current, runtime);
  const isNamed = ownKeyStore(name, current, runtime.files) !== undefined;
  return {
    scheme: 'control',
    settings: isNamed ? {} : { 'control-key': store.setting },
    stored: { store, secret },
    credentials: { controlKey: secret },
    fingerprint: keyFingerprint(secret.open()),
    place: store.place,
  };
}

async function readPrivate(options: SetKeyFlags, runtime: Runtime): Promise<NewKey> {
  const file = options.file ?? (await askFor('file of the new private key (PEM)', false, options, runtime));
  const rsa = await readRsaFile(file, options.passphraseFile, runtime);
  if (rsa === undefined) throw fail('FIELD_MISSING', { flags: '--file' });
  const { key, settings } = rsa;
  return {
    ...{ scheme: 'rsa-sha256', settings, credentials: { privateKey: key } },
    ...{ fingerprint: key.fingerprint, place: `file ${rsa.file}` },
  };
}

/**
 * What the gateway says to a request signed with the new key. Throws REFUSED, NOT_SENT, READ_FAILED, LIVE_GUARD or
 * CONFIRMATION_NEEDED.
 */
async function askGateway(
  name: string,
  { scheme, credentials }: NewKey,
  options: SetKeyFlags,
  report: Reporter,
  runtime: Runtime,
): Promise<string> {
  checkTlsPolicy(runtime.env);
  const profile = await loadFromFile(name, runtime);
  checkLiveFlag(options, profile);
  const kept = `nothing was changed: profile ${name} keeps the key that it had`;
  const unproved = (why: string) =>
    fail('CONFIRMATION_NEEDED', {
      why: `the new key could not be verified: ${why}`,
      how: `${kept}; add --unchecked to replace it anyway`,
      profile: name,
    });
  if (!isSafeToProbe(scheme, profile)) throw unproved('the check would store a card (A11)');
  const check = await checkKey(scheme, profile, credentials, report, runtime);
  report.noteStatus(check.httpStatus);
  const { result, text, next } = judgeCheck(check, scheme, name);
  if (result === 'pass') return text;
  if (result === 'warn') throw unproved(text);
  const facts = { why: `${check.verdict === 'not-sent' ? check.reason : check.answer}; ${kept}`, profile: name };
  if (check.verdict === 'not-sent') throw fail('NOT_SENT', facts);
  if (check.verdict === 'refused')
    throw fail('REFUSED', { ...facts, how: `${next}; if gateway support has not switched yet, repeat it once it has` });
  throw fail('READ_FAILED', { ...facts, check: check.check });
}
