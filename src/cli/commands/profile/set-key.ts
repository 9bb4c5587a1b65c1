import { applyChanges, type Setting } from '../../../config/edit.js';
import { readFlags } from '../../../config/given.js';
import { readSecret } from '../../../config/index.js';
import { type KeyStore, ownKeyStore, readStoredKey, storeSetting } from '../../../config/key-store.js';
import { secretLocation } from '../../../config/settings.js';
import { fail, ifInterrupted, ifKnown, type PaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type Credentials, keyFingerprint } from '../../../signing/index.js';
import { hostOf } from '../../../wire/address.js';
import { Secret } from '../../../wire/mask.js';
import { defineCommand, type FlagsFor, mayPrompt, on, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { checkKey, isSafeToProbe, type SchemeCheck } from '../../core/credential-check.js';
import { Reporter } from '../../core/reporter.js';
import { liveFlag, outputFlags } from '../../flags.js';
import { profileFlag } from '../../format/profile.js';
import { checkLiveFlag } from '../../open-session.js';
import { loadFromFile, openStore, readKept, readRsaFile, readRsaKey, sharedKeyWarning } from './keys.js';
import { openUserProfile, type UserProfile, writeKeyAndFile } from './user-file.js';

interface SetKeyFlags extends CommonOptions {
  readonly file?: string;
  readonly passphraseFile?: string;
  readonly unchecked?: boolean;
}

const command = 'profile set-key';

export const profileSetKey = defineCommand({
  summary: 'Replace a secret of a profile; a key only once the gateway accepts the new one',
  help: 'A new control or private key signs one request for an order or card reference that does not exist. Unless the gateway accepts the signature, nothing is replaced. A new control key, and the key and password of a journal in PostgreSQL, are stored where paycli keeps the old one, file or keyring; your own files are not changed. A private key stays in its file, and the profile refers to it.',
  args: {
    profile: { text: 'a profile of the user file', ask: 'name of the profile' },
    key: {
      text: 'the secret to replace: control, private, journal-key or journal-password',
      ask: 'which secret: control, private, journal-key or journal-password',
    },
  },
  flags: {
    file: word(
      '<file>',
      'the new secret (mode 0600); - is standard input, but for a private key; asked for if omitted',
    ),
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
    'profile set-key shop-test journal-password --file journal.password',
  ],
  effect: 'read',
  note: 'One signed request for an order or card reference that does not exist; --unchecked skips it.',
  result: ['profile-key'],
  run: ({ args: { profile, key }, flags, runtime }) => runSetKey(profile, key, flags, runtime),
});

/** The secrets, with the scheme in which the gateway is asked about one. */
const kinds = [
  { which: 'control', key: 'control-key', name: 'control key', scheme: 'control' },
  { which: 'private', key: 'private-key', name: 'private key', scheme: 'rsa-sha256' },
  { which: 'journal-key', key: 'journal-key', name: 'journal key', scheme: undefined },
  { which: 'journal-password', key: 'journal-password', name: 'journal password', scheme: undefined },
] as const;

type Kind = (typeof kinds)[number];

/** A secret that was read, of the profile or new. */
interface ReadKey {
  /** Null for a password, which could be guessed by it. */
  readonly fingerprint: string | null;
  readonly credentials: Omit<Credentials, 'login'>;
}

/** One that is not yet written. */
interface NewKey extends ReadKey {
  readonly settings: Readonly<Record<string, Setting | undefined>>;
  readonly stored?: { readonly store: KeyStore; readonly secret: Secret };
  readonly place: string;
}

/** What is to be replaced, with what. */
interface Change {
  readonly kind: Kind;
  readonly profile: UserProfile;
  readonly key: NewKey;
  readonly old: ReadKey | undefined;
}

/** Checks the new key with the gateway before anything is written; on failure the old key stays in use. */
async function runSetKey(name: string, which: string, options: SetKeyFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const kind = kinds.find((each) => each.which === which);
  if (kind === undefined)
    throw fail('USAGE', { why: `<key>: use one of ${kinds.map((each) => each.which).join(', ')}`, command });
  if (kind.key !== 'private-key' && options.passphraseFile !== undefined)
    throw fail('USAGE', { why: '--passphrase-file is only for a private key', command });
  const profile = openUserProfile(name, runtime);
  const key =
    kind.key === 'private-key'
      ? await readPrivate(options, runtime)
      : await readNew(kind, profile, options, report, runtime);
  const change = { kind, profile, key, old: await readOld(kind, profile, runtime) };
  const answer = options.unchecked === true ? null : await askGateway(change, options, report, runtime);
  const edits = Object.entries(key.settings).map(
    ([each, value]) => ({ path: ['profiles', name, each], value }) as const,
  );
  await writeKeyAndFile(key.stored, applyChanges(profile.before, edits, runtime.files), runtime);
  await showReplaced(change, answer, report);
  const owner = { name, class: profile.layer.class?.value ?? 'live' };
  if (kind.key === 'control-key') report.warn(await sharedKeyWarning(owner, key.fingerprint ?? '', runtime));
  return 0;
}

/** The new secret or where it is, asked for on a terminal. */
async function askFor(message: string, hidden: boolean, options: SetKeyFlags, runtime: Runtime): Promise<string> {
  if (!mayPrompt(options, runtime)) throw fail('FIELD_MISSING', { flags: '--file', command });
  const prompter = await runtime.prompter(options.color);
  const check = (text: string) =>
    text.trim() === text && text !== '' ? undefined : 'is empty, or has a space at an end';
  return prompter.ask({ name: 'key', message, hidden, check }).catch(ifInterrupted('nothing was changed'));
}

async function readNew(
  { key, name: words }: Exclude<Kind, { key: 'private-key' }>,
  { name, layer, current }: UserProfile,
  options: SetKeyFlags,
  report: Reporter,
  runtime: Runtime,
): Promise<NewKey> {
  const source = readFlags({ controlKeyFile: options.file }, runtime.files)['control-key'];
  const message = `new ${key === 'control-key' ? 'merchant ' : ''}${words}`;
  const { secret, warning } =
    source === undefined
      ? { secret: new Secret(await askFor(message, true, options, runtime)), warning: undefined }
      : await readSecret(source.value, runtime);
  if (warning !== undefined) report.warn([warning]);
  const owner = { profile: name, key };
  const present = layer[key]?.value;
  const own = ownKeyStore(owner, current, runtime.files);
  const storeName = own?.name ?? (present?.kind === 'keyring' ? 'keyring' : 'file');
  const store = await openStore(storeName, owner, { secret, present }, runtime);
  // Never overwrites a key that paycli did not write for this profile.
  if (own === undefined && (await readStoredKey(store, runtime)) !== undefined)
    throw fail('USAGE', {
      why: `${store.place} already holds a key that other profiles may use: move it away first`,
      profile: name,
      command,
    });
  return {
    ...factsOfSecret(key, secret),
    // A setting written by hand may name the same file differently.
    settings: own?.name === 'file' ? {} : { [key]: storeSetting(store) },
    stored: { store, secret },
    place: store.place,
  };
}

function factsOfSecret(key: Kind['key'], secret: Secret): ReadKey {
  const fingerprint = key === 'journal-password' ? null : keyFingerprint(secret.open());
  return { fingerprint, credentials: { controlKey: secret } };
}

async function readPrivate(options: SetKeyFlags, runtime: Runtime): Promise<NewKey> {
  const file = options.file ?? (await askFor('file of the new private key (PEM)', false, options, runtime));
  const rsa = await readRsaFile(file, options.passphraseFile, command, runtime);
  if (rsa === undefined) throw fail('FIELD_MISSING', { flags: '--file', command });
  const { key, settings } = rsa;
  return { fingerprint: key.fingerprint, credentials: { privateKey: key }, settings, place: `file ${rsa.file}` };
}

/** The secret that the profile has. */
function readOld({ key }: Kind, { layer }: UserProfile, runtime: Runtime): Promise<ReadKey | undefined> {
  return readKept(layer[key]?.value, async (source) => {
    if (key !== 'private-key') return factsOfSecret(key, (await readSecret(source, runtime)).secret);
    const phrase = layer.passphrase?.value;
    const privateKey = await readRsaKey(source, phrase, runtime);
    return { fingerprint: privateKey.fingerprint, credentials: { privateKey } };
  });
}

/** Its answer; null where there is nothing to ask. Throws REFUSED, NOT_SENT, READ_FAILED, LIVE_GUARD or CONFIRMATION_NEEDED. */
async function askGateway(
  change: Change,
  options: SetKeyFlags,
  report: Reporter,
  runtime: Runtime,
): Promise<string | null> {
  const { kind, key, old } = change;
  const { scheme } = kind;
  if (scheme === undefined) return null;
  const { name, layer } = change.profile;
  const profile = await loadFromFile(name, runtime);
  checkLiveFlag(options, profile);
  const kept = `profile ${name} ${layer[kind.key] === undefined ? 'still has no' : 'keeps its old'} ${kind.name}`;
  if (!isSafeToProbe(scheme, profile)) throw unproved(name, kept, 'the check would store a card (A11)');
  const ask = ({ credentials }: ReadKey) => checkKey(scheme, profile, credentials, report, runtime);
  const check = await ask(key);
  report.noteStatus(check.httpStatus);
  if (check.verdict === 'good') return check.answer;
  // Before gateway support has switched, only the old key works.
  const stillAccepted =
    check.verdict === 'refused' && old !== undefined && (await ask(old)).verdict === 'good' ? old.fingerprint : null;
  throw refusal(check, change, { baseUrl: profile.baseUrl, kept, stillAccepted: stillAccepted ?? undefined });
}

interface Refused {
  readonly baseUrl: string;
  /** Which key the profile has after this. */
  readonly kept: string;
  /** The fingerprint of the old key, where the gateway still accepts it. */
  readonly stillAccepted: string | undefined;
}

/** The error of a new key that the gateway did not accept. */
function refusal(
  { verdict, answer, about, check }: SchemeCheck,
  { kind, key: { fingerprint }, profile: { name } }: Change,
  { baseUrl, kept, stillAccepted }: Refused,
): PaycliError {
  const facts = { why: `${answer}; ${kept}`, profile: name, fingerprint: fingerprint ?? '' };
  if (verdict === 'not-sent')
    return check === undefined
      ? fail('NOT_SENT', facts)
      : fail('CERTIFICATE', { ...facts, host: hostOf(baseUrl), check });
  if (verdict === 'carried-out')
    return unproved(name, kept, 'the gateway accepted a request for something that does not exist');
  if (verdict === 'not-offered') return unproved(name, kept, `the endpoint does not offer the check: ${answer}`);
  if (verdict !== 'refused') return fail('READ_FAILED', { ...facts, check });
  if (about !== 'signature' && about !== 'unsaid')
    return fail('REFUSED', {
      ...facts,
      why: `this does not show whether it accepts the new ${kind.name}: ${answer}`,
      how: `nothing was changed: ${kept}; first fix what the gateway complains about: \`paycli profile show --origins${profileFlag(name)}\` shows where base-url and endpoint come from; then repeat the command`,
    });
  const notSwitched = ifKnown(
    stillAccepted,
    (was) =>
      `if gateway support has not switched to the new one yet (old key ${was} still works), repeat the command once it has; otherwise `,
  );
  const advice =
    kind.key === 'control-key'
      ? `compare the new one (fingerprint ${fingerprint}), login and endpoint with what gateway support gave you`
      : `give the new public key (fingerprint ${fingerprint}) to gateway support, then repeat the command`;
  return fail('REFUSED', {
    ...facts,
    why: `it does not accept the new ${kind.name}${ifKnown(stillAccepted, (was) => `, but still accepts the old one (${was})`)}: ${answer}`,
    how: `nothing was changed: ${kept}; ${notSwitched}${advice}`,
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

async function showReplaced(
  { kind, key: { fingerprint, place }, old, profile: { name, layer, before } }: Change,
  answer: string | null,
  report: Reporter,
): Promise<void> {
  const { paint } = report;
  const source = layer[kind.key]?.value;
  const oldPlace = source === undefined || secretLocation(source) === place ? null : secretLocation(source);
  const isSameKey = fingerprint !== null && old?.fingerprint === fingerprint;
  const done =
    source === undefined
      ? `profile ${name} now has a ${kind.name}`
      : `the ${kind.name} of profile ${name} was replaced`;
  const head = isSameKey
    ? `${paint.warn('!')} the ${kind.name} of profile ${name} is the same as before: it was not rotated`
    : `${paint.good('✓')} ${done}`;
  const unchecked =
    kind.scheme === undefined
      ? `not checked; \`paycli doctor --profile ${name}\` opens the journal with it`
      : `skipped because of --unchecked; check with \`paycli doctor --online --profile ${name}\``;
  const publicKey = 'the gateway needs it before it accepts this key: `paycli keys convert FILE --to spki` prints it';
  await report.show({
    document: {
      ...{ schema: 'paycli.profile-key/1', profile: name, key: kind.which, fingerprint, place, oldPlace },
      ...{ checked: answer !== null, answer, file: before.path, isSameKey },
    },
    text: () =>
      `${head}\n${report.columns([
        [isSameKey ? 'key' : 'new key', `${place}${ifKnown(fingerprint ?? undefined, (it) => `, fingerprint ${it}`)}`],
        [
          'check',
          answer === null
            ? unchecked
            : `the gateway accepted its signature: for a non-existent id it answered ${answer}`,
        ],
        ...(oldPlace === null ? [] : [['old key', `still in ${oldPlace}, no longer used`]]),
        ...(kind.key === 'private-key' && answer === null ? [['public key', publicKey]] : []),
      ])}`,
  });
}
