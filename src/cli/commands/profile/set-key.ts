import { applyChanges, type Change, writeUserFile } from '../../../config/edit.js';
import { readFlags } from '../../../config/flags.js';
import { checkTlsPolicy, loadProfile, type Profile, readSecret } from '../../../config/index.js';
import {
  type KeyStore,
  keyStore,
  keyStoreOf,
  readStoredKey,
  removeStoredKey,
  writeStoredKey,
} from '../../../config/key-store.js';
import { secretLocation } from '../../../config/settings.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import { isSafeToProbe, probeOperation, type SchemeCheck } from '../../../payments/credential-check.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type Credentials, keyFingerprint } from '../../../signing/index.js';
import type { Secret } from '../../../wire/mask.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { Reporter } from '../../core/reporter.js';
import type { Layout } from '../../format/document.js';
import { checkLiveFlag } from '../../open-session.js';
import { checkKey } from './check-key.js';
import { newKeyRefusal, newKeyUnproved } from './new-key-refusal.js';
import { existingKey, privateKeyFingerprint } from './rsa-key.js';
import { orUndo, storeFor } from './save.js';
import { controlKeyFingerprint, sharedKeyWarning } from './shared-key.js';
import { openUserProfile, type UserProfile, unknownProfile } from './user-profile.js';

interface SetKeyOptions extends CommonOptions {
  readonly file?: string;
  readonly unchecked?: boolean;
}

const command = 'profile set-key';

export const profileSetKey = defineCommand<SetKeyOptions>({
  name: command,
  summary: 'Replace a key of a profile, once the gateway accepts the new one',
  help: `Replace a key of a profile, once the gateway accepts the new one

The new key signs one request for an order or card reference that does not exist. Unless the gateway accepts the signature, nothing is replaced. A new control key is stored where paycli keeps the old one, file or keyring; your own key file is not changed. A private key stays in its file, and the profile refers to it.`,
  args: [
    ['<profile>', 'a profile of the user file'],
    ['<key>', 'the key to replace: control or private', ['control', 'private']],
  ],
  options: [
    ['--file <file>', 'the new key (mode 0600); - reads a control key from standard input', { required: true }],
    ['--passphrase-file <file>', 'the passphrase of a private key; it stays where it is'],
    ['--unchecked', 'replace it without checking with the gateway'],
    ['--live', 'allow the check on a live gateway'],
  ],
  examples: [
    'profile set-key shop-test control --file next-control.key',
    'profile set-key shop-test control --file - --unchecked',
    'profile set-key shop-test private --file next-rsa.pem --unchecked',
  ],
  effect: 'read',
  network: true,
  exits: [...profileExits, 'refused', 'notSent', 'readFailed', 'refusedHere', 'interrupted'],
  note: 'One signed request for an order or card reference that does not exist; --unchecked skips it.',
  prints: ['profile-key'],
  run: ({ args: [name = '', key = ''], options, runtime }) => runSetKey(name, key, options, runtime),
});

/** A key that was read and not yet stored. */
interface NewKey {
  readonly scheme: 'control' | 'rsa-sha256';
  readonly fingerprint: string;
  readonly credentials: Omit<Credentials, 'login'>;
  /** The profile settings that name it, and what has to be stored for that. */
  readonly settings: Readonly<Record<string, string>>;
  readonly stored: { readonly store: KeyStore; readonly secret: Secret } | undefined;
  readonly place: string;
}

/** Checks the new key with the gateway before anything is written; on failure the old key stays in use. */
async function runSetKey(name: string, which: string, options: SetKeyOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  if (which === 'control' && options.passphraseFile !== undefined)
    throw fail('USAGE', { why: '--passphrase-file is only for a private key', command });
  const profile = openUserProfile(name, runtime);
  const key =
    which === 'private' ? await newPrivate(options, runtime) : await newControl(profile, options, report, runtime);
  const answer = options.unchecked === true ? null : await askWith(key, profile, options, report, runtime);
  const older = await olderKey(key.scheme, profile, runtime);
  const oldPlace = await replace(key, profile, runtime);
  const changed: Replaced = {
    ...{ profile: name, key: which === 'private' ? 'private' : 'control', fingerprint: key.fingerprint },
    ...{ place: key.place, oldPlace, checked: answer !== null, answer, file: profile.before.path },
    isSameKey: older?.fingerprint === key.fingerprint,
  };
  await report.show({
    document: { schema: 'paycli.profile-key/1', ...changed },
    text: () => textOf(changed, older !== undefined, report),
  });
  if (key.scheme === 'control')
    report.warn(await sharedKeyWarning({ name, class: profile.content.class }, key.fingerprint, runtime));
  return 0;
}

async function newControl(
  profile: UserProfile,
  options: SetKeyOptions,
  report: Reporter,
  runtime: Runtime,
): Promise<NewKey> {
  const source = readFlags({ controlKeyFile: options.file }, runtime.files).secrets['control-key'];
  if (source === undefined) throw fail('FIELD_MISSING', { flags: '--file', command });
  const { secret, warning } = await readSecret(source, runtime);
  if (warning !== undefined) report.warn([warning]);
  const keyOf = { name: profile.name, controlKey: secret, keptKey: undefined };
  const store = await storeFor(await storeOf(profile, runtime), keyOf, profile, runtime);
  return {
    scheme: 'control',
    fingerprint: keyFingerprint(secret.open()),
    credentials: { controlKey: secret },
    settings: store.setting,
    stored: { store, secret },
    place: store.place,
  };
}

/** Where paycli stores the old key, else a new place: it never overwrites a key it did not write. */
async function storeOf({ name, current, content }: UserProfile, runtime: Runtime): Promise<KeyStore> {
  const own = keyStoreOf(name, current, runtime.files);
  if (own !== undefined) return own;
  const kind = content.draft.secrets['control-key']?.kind === 'keyring' ? 'keyring' : 'file';
  const store = keyStore(kind, name, runtime.files);
  if ((await readStoredKey(store, runtime)) !== undefined)
    throw fail('USAGE', {
      why: `${store.place} already holds a key that other profiles may use: move it away first`,
      profile: name,
      command,
    });
  return store;
}

async function newPrivate(options: SetKeyOptions, runtime: Runtime): Promise<NewKey> {
  const { file: privateKeyFile, passphraseFile } = options;
  const key = await existingKey({ privateKeyFile, passphraseFile }, command, runtime);
  if (key === undefined) throw fail('FIELD_MISSING', { flags: '--file', command });
  return {
    scheme: 'rsa-sha256',
    fingerprint: key.fingerprint,
    credentials: { privateKey: key.privateKey },
    settings: Object.fromEntries(Object.entries(key.settings).map(([name, path]) => [name, String(path)])),
    stored: undefined,
    place: `file ${key.file}`,
  };
}

/** The gateway's answer. Throws REFUSED, NOT_SENT, READ_FAILED, LIVE_GUARD or CONFIRMATION_NEEDED. */
async function askWith(
  key: NewKey,
  { name, content, current }: UserProfile,
  options: SetKeyOptions,
  report: Reporter,
  runtime: Runtime,
): Promise<string> {
  checkTlsPolicy(runtime.env);
  // Environment variables may describe another connection than the profile's.
  const { profile } = await loadProfile({ profile: name }, { ...runtime, env: {} });
  if (profile === undefined) throw unknownProfile(name, current);
  checkLiveFlag(options, profile);
  const [kind, secret] =
    key.scheme === 'control' ? (['control key', 'control-key'] as const) : (['private key', 'private-key'] as const);
  const kept = content.draft.secrets[secret] === undefined ? `still has no ${kind}` : `keeps its old ${kind}`;
  if (!isSafeToProbe(key.scheme, profile)) throw newKeyUnproved(name, kept, 'the check would store a card (A11)');
  const check = await question(key, profile, report, runtime);
  report.noteStatus(check.httpStatus);
  if (check.verdict === 'good') return check.answer;
  const old = check.verdict === 'refused' ? await acceptedOld(key, profile, report, runtime) : undefined;
  throw newKeyRefusal(check, key, profile, kept, old);
}

/** The fingerprint of the profile’s key, where the gateway still accepts it; undefined where that is not known. */
async function acceptedOld(
  { scheme }: NewKey,
  profile: Profile,
  report: Reporter,
  runtime: Runtime,
): Promise<string | undefined> {
  const { controlKey } = profile;
  // A helper would run a program, and a descriptor can be read once.
  if (scheme !== 'control' || controlKey === undefined || !['file', 'keyring'].includes(controlKey.kind))
    return undefined;
  try {
    const { secret } = await readSecret(controlKey, runtime);
    const old = await question({ scheme, credentials: { controlKey: secret } }, profile, report, runtime);
    return old.verdict === 'good' ? keyFingerprint(secret.open()) : undefined;
  } catch (error) {
    // It only adds to the refusal, which is shown without it.
    if (isPaycliError(error)) return undefined;
    throw error;
  }
}

function question(
  key: Pick<NewKey, 'scheme' | 'credentials'>,
  profile: Profile,
  report: Reporter,
  runtime: Runtime,
): Promise<SchemeCheck> {
  const { baseUrl, login, assume, caFile } = profile;
  const endpointId = profile.endpointFor(probeOperation(key.scheme).id);
  const target = { baseUrl, endpointId, login, assume, caFile };
  return checkKey(key.scheme, target, { login, ...key.credentials }, report, runtime);
}

/**
 * Writes the key first, then the profile that names it; signals wait until it is done. Returns the place of an old key
 * that still exists. Throws STORAGE or CONFIG_INVALID.
 */
async function replace(key: NewKey, profile: UserProfile, runtime: Runtime): Promise<string | null> {
  const { name, before, entries, content } = profile;
  const prefixes = key.scheme === 'control' ? ['control-key-'] : ['private-key-', 'passphrase-'];
  const older = Object.keys(entries).filter((entry) => prefixes.some((prefix) => entry.startsWith(prefix)));
  const changes: Change[] = [
    ...Object.entries(key.settings)
      .filter(([entry, value]) => entries[entry] !== value)
      .map(([entry, value]) => ({ path: ['profiles', name, entry], value }) as const),
    ...older.filter((entry) => !(entry in key.settings)).map((entry) => ({ path: ['profiles', name, entry] }) as const),
  ];
  const isInPlace = key.stored !== undefined && keyStoreOf(name, profile.current, runtime.files) !== undefined;
  // A setting written by hand may name the same file differently.
  const isUnchanged = isInPlace && key.stored?.store.name === 'file';
  const after = isUnchanged ? undefined : applyChanges(before, changes, runtime.files);
  const unlisten = runtime.processes.onStop(() => undefined);
  try {
    const undo = key.stored && (await store(key.stored, runtime));
    if (after !== undefined && changes.length > 0)
      await orUndo(
        () => writeUserFile(after, runtime.files),
        async () => undo?.(),
      );
  } finally {
    unlisten();
  }
  const source = content.draft.secrets[key.scheme === 'control' ? 'control-key' : 'private-key'];
  return isInPlace || source === undefined || secretLocation(source) === key.place ? null : secretLocation(source);
}

/** Stores a key; what it returns puts back what was there. Throws STORAGE or SECRET_UNREADABLE. */
async function store({ store: to, secret }: NonNullable<NewKey['stored']>, runtime: Runtime) {
  const older = await readStoredKey(to, runtime);
  await writeStoredKey(to, secret, runtime);
  return () => (older === undefined ? removeStoredKey(to, runtime) : writeStoredKey(to, older, runtime));
}

/**
 * The key that the profile had; its fingerprint is undefined where it cannot be read without running a program, or
 * taking what can be read once.
 */
async function olderKey(
  scheme: NewKey['scheme'],
  { content }: UserProfile,
  runtime: Runtime,
): Promise<{ readonly fingerprint: string | undefined } | undefined> {
  const { 'control-key': control, 'private-key': file, passphrase } = content.draft.secrets;
  const [source, phrase] = scheme === 'control' ? [control] : [file, passphrase];
  if (source === undefined) return undefined;
  const isStored = [source, phrase].every((each) => each === undefined || ['file', 'keyring'].includes(each.kind));
  if (!isStored) return { fingerprint: undefined };
  return {
    fingerprint:
      scheme === 'control'
        ? await controlKeyFingerprint(source, runtime)
        : await privateKeyFingerprint(source, phrase, runtime),
  };
}

interface Replaced {
  readonly profile: string;
  readonly key: 'control' | 'private';
  readonly fingerprint: string;
  readonly place: string;
  /** The place of the old key, if it still exists. */
  readonly oldPlace: string | null;
  readonly checked: boolean;
  /** The gateway's answer to the check. */
  readonly answer: string | null;
  readonly file: string;
  /** The profile had this very key before. */
  readonly isSameKey: boolean;
}

function textOf(changed: Replaced, hadKey: boolean, report: Layout): string {
  const { paint } = report;
  const { profile, key, fingerprint, place, oldPlace, answer, isSameKey } = changed;
  const done = hadKey ? `the ${key} key of profile ${profile} was replaced` : `profile ${profile} now has a ${key} key`;
  const head = isSameKey
    ? `${paint.warn('!')} the ${key} key of profile ${profile} is the same as before: it was not rotated`
    : `${paint.good('✓')} ${done}`;
  return `${head}\n${report.columns([
    [isSameKey ? 'key' : 'new key', `${place}, fingerprint ${fingerprint}`],
    [
      'check',
      answer === null
        ? `skipped because of --unchecked; check with \`paycli doctor --online --profile ${profile}\``
        : `the gateway accepted its signature: for a non-existent id it answered ${answer}`,
    ],
    ...(oldPlace === null ? [] : [['old key', `still in ${oldPlace}, no longer used`]]),
    ...(key === 'private' && answer === null
      ? [
          [
            'public key',
            'the gateway needs it before it accepts this key: `paycli keys convert FILE --to spki` prints it',
          ],
        ]
      : []),
  ])}`;
}
