import { applyChanges, type Change } from '../../../config/edit.js';
import { readFlags } from '../../../config/given.js';
import { checkTlsPolicy, loadProfile, type Profile, readSecret } from '../../../config/index.js';
import { type KeyStore, keyStore, ownKeyStore, readStoredKey, storeSetting } from '../../../config/key-store.js';
import { secretLocation } from '../../../config/settings.js';
import { fail, ifInterrupted, ifKnown, type PaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type Credentials, keyFingerprint } from '../../../signing/index.js';
import { hostOf } from '../../../wire/address.js';
import { Secret } from '../../../wire/mask.js';
import { defineCommand, type FlagsFor, mayPrompt, on, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { checkKey, isSafeToProbe, probeOperation, type SchemeCheck } from '../../core/credential-check.js';
import { Reporter } from '../../core/reporter.js';
import { liveFlag, outputFlags } from '../../flags.js';
import type { Layout } from '../../format/document.js';
import { profileFlag } from '../../format/profile.js';
import { checkLiveFlag } from '../../open-session.js';
import { controlKeyFingerprint, readRsaFile, readRsaKey, sharedKeyWarning } from './keys.js';
import { agedStore, openUserProfile, type UserProfile, unlessUnreadable, writeKeyAndFile } from './user-file.js';

interface SetKeyFlags extends CommonOptions {
  readonly file?: string;
  readonly unchecked?: boolean;
}

const command = 'profile set-key';

export const profileSetKey = defineCommand({
  summary: 'Replace a key of a profile, once the gateway accepts the new one',
  help: 'The new key signs one request for an order or card reference that does not exist. Unless the gateway accepts the signature, nothing is replaced. A new control key is stored where paycli keeps the old one, file or keyring; your own key file is not changed. A private key stays in its file, and the profile refers to it.',
  args: {
    profile: { text: 'a profile of the user file', ask: 'name of the profile' },
    key: { text: 'the key to replace: control or private', ask: 'which key: control or private' },
  },
  flags: {
    file: word('<file>', 'the new key (mode 0600); - reads a control key from standard input; asked for if omitted'),
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
  note: 'One signed request for an order or card reference that does not exist; --unchecked skips it.',
  result: ['profile-key'],
  run: ({ args: { profile, key }, flags, runtime }) => runSetKey(profile, key, flags, runtime),
});

/** A key that was read and not yet stored. */
interface NewKey {
  readonly kind: 'control' | 'private';
  readonly fingerprint: string;
  readonly credentials: Omit<Credentials, 'login'>;
  /** The settings that name it. */
  readonly settings: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly stored: { readonly store: KeyStore; readonly secret: Secret } | undefined;
  readonly place: string;
}

/** Checks the new key with the gateway before anything is written; on failure the old key stays in use. */
async function runSetKey(name: string, which: string, options: SetKeyFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  if (which !== 'control' && which !== 'private')
    throw fail('USAGE', { why: '<key>: use control or private', command });
  if (which === 'control' && options.passphraseFile !== undefined)
    throw fail('USAGE', { why: '--passphrase-file is only for a private key', command });
  const profile = openUserProfile(name, runtime);
  const key =
    which === 'private' ? await readPrivate(options, runtime) : await readControl(profile, options, report, runtime);
  const answer = options.unchecked === true ? null : await askWith(key, profile, options, report, runtime);
  const source = profile.layer[`${which}-key`]?.value;
  const old = source && (await oldFingerprint(which, profile, runtime));
  await replaceKey(key, profile, runtime);
  const isInPlace = source !== undefined && secretLocation(source) === key.place;
  const changed: Replaced = {
    ...{ profile: name, key: which, fingerprint: key.fingerprint, place: key.place },
    ...{ oldPlace: source === undefined || isInPlace ? null : secretLocation(source), checked: answer !== null },
    ...{ answer, file: profile.before.path, isSameKey: old === key.fingerprint },
  };
  await report.show({
    document: { schema: 'paycli.profile-key/1', ...changed },
    text: () => textOf(changed, source !== undefined, report),
  });
  const owner = { name, class: profile.layer.class?.value ?? 'live' };
  if (which === 'control') report.warn(await sharedKeyWarning(owner, key.fingerprint, runtime));
  return 0;
}

/** Where the new key is, asked for on a terminal. */
async function askFor(message: string, hidden: boolean, options: SetKeyFlags, runtime: Runtime): Promise<string> {
  if (!mayPrompt(options, runtime)) throw fail('FIELD_MISSING', { flags: '--file', command });
  const prompter = await runtime.prompter(options.color);
  const check = (text: string) =>
    text.trim() === text && text !== '' ? undefined : 'is empty, or has a space at an end';
  return prompter.ask({ name: 'key', message, hidden, check }).catch(ifInterrupted('nothing was changed'));
}

async function readControl(
  profile: UserProfile,
  options: SetKeyFlags,
  report: Reporter,
  runtime: Runtime,
): Promise<NewKey> {
  const source = readFlags({ controlKeyFile: options.file }, runtime.files)['control-key']?.value;
  const { secret, warning } =
    source === undefined
      ? { secret: new Secret(await askFor('new merchant control key', true, options, runtime)), warning: undefined }
      : await readSecret(source, runtime);
  if (warning !== undefined) report.warn([warning]);
  const { name, layer } = profile;
  const present = layer['control-key']?.value;
  const store = await agedStore(await storeName(profile, runtime), name, { secret, present }, runtime);
  return {
    kind: 'control',
    fingerprint: keyFingerprint(secret.open()),
    credentials: { controlKey: secret },
    settings: { 'control-key': storeSetting(store, name) },
    stored: { store, secret },
    place: store.place,
  };
}

/** Where paycli stores the old key, else a new place: it never overwrites a key it did not write. */
async function storeName({ name, current, layer }: UserProfile, runtime: Runtime): Promise<'file' | 'keyring'> {
  const own = ownKeyStore(name, current, runtime.files);
  if (own !== undefined) return own.name;
  const kind = layer['control-key']?.value.kind === 'keyring' ? 'keyring' : 'file';
  const store = keyStore(kind, name, runtime.files);
  if ((await readStoredKey(store, runtime)) === undefined) return kind;
  throw fail('USAGE', {
    why: `${store.place} already holds a key that other profiles may use: move it away first`,
    profile: name,
    command,
  });
}

async function readPrivate(options: SetKeyFlags, runtime: Runtime): Promise<NewKey> {
  const privateKeyFile = options.file ?? (await askFor('file of the new private key (PEM)', false, options, runtime));
  const { passphraseFile } = options;
  const rsa = await readRsaFile(
    { privateKeyFile, ...(passphraseFile === undefined ? {} : { passphraseFile }) },
    command,
    runtime,
  );
  if (rsa === undefined) throw fail('FIELD_MISSING', { flags: '--file', command });
  return {
    kind: 'private',
    fingerprint: rsa.key.fingerprint,
    credentials: { privateKey: rsa.key },
    settings: rsa.settings,
    stored: undefined,
    place: `file ${rsa.file}`,
  };
}

const schemes = { control: 'control', private: 'rsa-sha256' } as const;

/** The gateway's answer. Throws REFUSED, NOT_SENT, READ_FAILED, LIVE_GUARD or CONFIRMATION_NEEDED. */
async function askWith(
  key: NewKey,
  { name, layer }: UserProfile,
  options: SetKeyFlags,
  report: Reporter,
  runtime: Runtime,
): Promise<string> {
  checkTlsPolicy(runtime.env);
  // Environment variables may describe another connection than the profile's.
  const { profile } = await loadProfile({ profile: name }, { ...runtime, env: {} });
  if (profile === undefined) throw new Error('a profile of the file is not the sandbox');
  checkLiveFlag(options, profile);
  const has = layer[`${key.kind}-key`] === undefined ? 'still has no' : 'keeps its old';
  const kept = `profile ${name} ${has} ${key.kind} key`;
  if (!isSafeToProbe(schemes[key.kind], profile)) throw unproved(name, kept, 'the check would store a card (A11)');
  const ask = (tried: Pick<NewKey, 'kind' | 'credentials'>) => askGateway(tried, profile, report, runtime);
  const check = await ask(key);
  report.noteStatus(check.httpStatus);
  if (check.verdict === 'good') return check.answer;
  const old = check.verdict === 'refused' ? await acceptedOld(key, profile, ask, runtime) : undefined;
  throw refusal(check, key, profile, kept, old);
}

function askGateway(
  { kind, credentials }: Pick<NewKey, 'kind' | 'credentials'>,
  profile: Profile,
  report: Reporter,
  runtime: Runtime,
): Promise<SchemeCheck> {
  const { baseUrl, login, assume, caFile } = profile;
  const scheme = schemes[kind];
  const target = { baseUrl, endpointId: profile.endpointFor(probeOperation(scheme).id), login, assume, caFile };
  return checkKey(scheme, target, { login, ...credentials }, report, runtime);
}

/** The fingerprint of the profile’s key, where the gateway still accepts it; undefined where that is not known. */
async function acceptedOld(
  { kind }: NewKey,
  { controlKey }: Profile,
  ask: (tried: Pick<NewKey, 'kind' | 'credentials'>) => Promise<SchemeCheck>,
  runtime: Runtime,
): Promise<string | undefined> {
  // A helper would run a program, and a descriptor can be read once.
  if (kind !== 'control' || controlKey === undefined || !['file', 'keyring'].includes(controlKey.kind))
    return undefined;
  // It only adds to the refusal, which is shown without it.
  return unlessUnreadable(async () => {
    const { secret } = await readSecret(controlKey, runtime);
    const { verdict } = await ask({ kind, credentials: { controlKey: secret } });
    return verdict === 'good' ? keyFingerprint(secret.open()) : undefined;
  });
}

/** The error of a new key that the gateway did not accept. `kept` says which key the profile has after this. */
function refusal(
  { verdict, answer, about, check }: SchemeCheck,
  { kind, fingerprint }: NewKey,
  { name, baseUrl }: Profile,
  kept: string,
  old: string | undefined,
): PaycliError {
  const facts = { why: `${answer}; ${kept}`, profile: name, fingerprint };
  if (verdict === 'not-sent')
    return check === undefined
      ? fail('NOT_SENT', facts)
      : fail('CERTIFICATE', { ...facts, host: hostOf(baseUrl), check });
  if (verdict === 'carried-out')
    return unproved(name, kept, 'the gateway accepted a request for something that does not exist');
  if (verdict === 'not-offered') return unproved(name, kept, `the endpoint does not offer the check: ${answer}`);
  if (verdict !== 'refused') return fail('READ_FAILED', { ...facts, check });
  if (about === 'endpoint' || about === 'other' || about === 'used-id')
    return fail('REFUSED', {
      ...facts,
      why: `this does not show whether it accepts the new ${kind} key: ${answer}`,
      how: `nothing was changed: ${kept}; first fix what the gateway complains about: \`paycli profile show --origins${profileFlag(name)}\` shows where base-url and endpoint come from; then repeat the command`,
    });
  const notSwitched = ifKnown(
    old,
    (was) =>
      `if gateway support has not switched to the new one yet (old key ${was} still works), repeat the command once it has; otherwise `,
  );
  const advice =
    kind === 'control'
      ? `${notSwitched}compare the new one (fingerprint ${fingerprint}), login and endpoint with what gateway support gave you`
      : `give the new public key (fingerprint ${fingerprint}) to gateway support, then repeat the command`;
  return fail('REFUSED', {
    ...facts,
    why: `it does not accept the new ${kind} key${ifKnown(old, (was) => `, but still accepts the old one (${was})`)}: ${answer}`,
    how: `nothing was changed: ${kept}; ${advice}`,
  });
}

/** The error of a new key of which nothing is known. */
function unproved(profile: string, kept: string, why: string): PaycliError {
  return fail('CONFIRMATION_NEEDED', {
    why: `the new key could not be verified: ${why}`,
    how: `${kept}; add --unchecked to replace it anyway`,
    profile,
  });
}

/** Writes the key, then the profile that names it. Throws STORAGE or CONFIG_INVALID. */
async function replaceKey(key: NewKey, profile: UserProfile, runtime: Runtime): Promise<void> {
  const { name, before, entries, current } = profile;
  const keys = key.kind === 'control' ? ['control-key'] : ['private-key', 'passphrase'];
  const changes = keys
    .filter((each) => each in entries || each in key.settings)
    .map((each): Change => ({ path: ['profiles', name, each], value: key.settings[each] }));
  // A setting written by hand may name the same file differently.
  const isUnchanged = key.stored?.store.name === 'file' && ownKeyStore(name, current, runtime.files) !== undefined;
  await writeKeyAndFile(key.stored, isUnchanged ? undefined : applyChanges(before, changes, runtime.files), runtime);
}

/** The key that the profile had; undefined where it cannot be read without running a program, or only once. */
async function oldFingerprint(
  kind: NewKey['kind'],
  { layer }: UserProfile,
  runtime: Runtime,
): Promise<string | undefined> {
  const [key, phrase] = [layer[`${kind}-key`]?.value, kind === 'private' ? layer.passphrase?.value : undefined];
  const isStored = [key, phrase].every((each) => each === undefined || ['file', 'keyring'].includes(each.kind));
  if (key === undefined || !isStored) return undefined;
  return kind === 'control'
    ? controlKeyFingerprint(key, runtime)
    : unlessUnreadable(async () => (await readRsaKey(key, phrase, runtime)).fingerprint);
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
  const check =
    answer === null
      ? `skipped because of --unchecked; check with \`paycli doctor --online --profile ${profile}\``
      : `the gateway accepted its signature: for a non-existent id it answered ${answer}`;
  const publicKey = 'the gateway needs it before it accepts this key: `paycli keys convert FILE --to spki` prints it';
  return `${head}\n${report.columns([
    [isSameKey ? 'key' : 'new key', `${place}, fingerprint ${fingerprint}`],
    ['check', check],
    ...(oldPlace === null ? [] : [['old key', `still in ${oldPlace}, no longer used`]]),
    ...(key === 'private' && answer === null ? [['public key', publicKey]] : []),
  ])}`;
}
