import { nameProblem } from '../../config/content.js';
import type { SecretSource } from '../../config/draft.js';
import { edited, type NewProfile, readUserFile, writeUserFile } from '../../config/edit.js';
import { readFlags } from '../../config/flags.js';
import { readPemText, readSecret } from '../../config/index.js';
import { isMapping } from '../../config/screen.js';
import { dropKey, type KeyStore, keyIn, keyStore, putKey, type StoreName, storeOf } from '../../config/store.js';
import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { keyFingerprint, readPrivateKey } from '../../signing/index.js';
import type { Secret } from '../../wire/secret.js';
import { columns } from '../present/columns.js';
import { type ProfileValues, profileValues, type ValueOptions } from '../profile-values.js';
import { Reporter } from '../reporter.js';

export interface AddOptions extends ValueOptions {
  readonly store?: StoreName;
  readonly replace?: boolean;
}

const command = 'profile add';

/** Writes a profile into the user file and its control key into a store. Everything is checked before anything is written. */
export async function runProfileAdd(name: string, options: AddOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { files } = runtime;
  const problem = nameProblem(name);
  if (problem !== undefined) throw fail('USAGE', { why: `the profile ${problem}`, command });
  const before = readUserFile(files);
  const { content: current } = edited(before, [], files);
  const old = current.profiles.get(name);
  if (old !== undefined && options.replace !== true)
    throw fail('USAGE', { why: `there is a profile ${name} in ${before.path} already; --replace puts the new one in its place`, command });
  const values = await profileValues(options, command, report, runtime);
  const privateKey = await privateKeyOf(options, runtime);
  const store = keyStore(options.store ?? 'file', name, files);
  const profile: NewProfile = { ...settingsOf(values), ...store.setting, ...privateKey.settings };
  // A live profile becomes the default one only by `profile use`.
  const isFirst = current.defaultProfile === undefined && values.class !== 'live';
  const after = edited(before, [{ kind: 'put', name, profile }, ...(isFirst ? [{ kind: 'default', name } as const] : [])], files);
  await keep(store, values.controlKey, options, () => writeUserFile(after, files), runtime);
  const oldStore = storeOf(name, current, files);
  if (oldStore !== undefined && oldStore.place !== store.place) await dropKey(oldStore, runtime);
  const added: Added = {
    profile: name,
    file: after.path,
    class: values.class,
    controlKey: { store: store.name, place: store.place, fingerprint: keyFingerprint(values.controlKey.open()) },
    privateKey: privateKey.fingerprint ?? null,
    isDefault: after.content.defaultProfile?.value === name,
  };
  if (report.json) report.document({ schema: 'paycli.profile-added/1', ...added });
  else report.out(textOf(added));
  const gone = settingNames(before.data, name).filter((key) => !(key in profile) && !key.startsWith('control-key'));
  if (gone.length > 0)
    report.warn([`the older profile was replaced as a whole: its ${gone.join(', ')} ${gone.length === 1 ? 'is' : 'are'} gone`]);
  return 0;
}

/** The key first: a profile that names a key must never be there without it. What fails leaves the store as it was. */
async function keep(store: KeyStore, secret: Secret, { replace }: AddOptions, write: () => void, runtime: Runtime): Promise<void> {
  const older = await keyIn(store, runtime);
  if (older !== undefined && replace !== true)
    throw fail('USAGE', { why: `${store.place} holds a key already, though no profile names it; --replace overwrites it`, command });
  await putKey(store, secret, runtime);
  try {
    write();
  } catch (error) {
    await (older === undefined ? dropKey(store, runtime) : putKey(store, older, runtime));
    throw error;
  }
}

function settingsOf({ class: kind, baseUrl, login, endpointId }: ProfileValues): NewProfile {
  // Beyond 2^53 a number would lose digits.
  const id = Number.isSafeInteger(Number(endpointId)) ? Number(endpointId) : endpointId;
  return { class: kind, 'base-url': baseUrl, login, 'endpoint-id': id };
}

/** The private key stays where it is; it is read once to see that it serves. Throws SECRET_UNREADABLE or KEY_UNUSABLE. */
async function privateKeyOf(
  { privateKeyFile, passphraseFile }: AddOptions,
  runtime: Runtime,
): Promise<{ readonly settings: NewProfile; readonly fingerprint?: string }> {
  if (privateKeyFile === undefined && passphraseFile === undefined) return { settings: {} };
  if (privateKeyFile === undefined) throw fail('USAGE', { why: '--passphrase-file goes with --private-key-file', command });
  if (privateKeyFile === '-' || passphraseFile === '-')
    throw fail('USAGE', { why: 'the private key and its passphrase stay in files of their own, so - is no place for them', command });
  const { secrets } = readFlags({ privateKeyFile, passphraseFile }, runtime.files);
  const pathOf = (source: SecretSource | undefined) => (source?.kind === 'file' ? source.path : '');
  const { 'private-key': key, passphrase } = secrets;
  if (key === undefined) return { settings: {} };
  const { secret, from } = await readPemText(key, runtime);
  const phrase = passphrase === undefined ? undefined : (await readSecret(passphrase, runtime)).secret;
  return {
    settings: {
      'private-key-file': pathOf(key),
      ...(passphrase === undefined ? {} : { 'passphrase-file': pathOf(passphrase) }),
    },
    fingerprint: readPrivateKey(secret.open(), phrase, from).fingerprint,
  };
}

function settingNames(data: unknown, name: string): string[] {
  const profiles = isMapping(data) ? data['profiles'] : undefined;
  const profile = isMapping(profiles) ? profiles[name] : undefined;
  return isMapping(profile) ? Object.keys(profile) : [];
}

interface Added {
  readonly profile: string;
  readonly file: string;
  readonly class: string;
  readonly controlKey: { readonly store: StoreName; readonly place: string; readonly fingerprint: string };
  readonly privateKey: string | null;
  readonly isDefault: boolean;
}

function textOf({ profile, file, class: kind, controlKey, privateKey, isDefault }: Added): string {
  const rows = columns([
    ['profile', `${profile} (class ${kind})`],
    ['file', file],
    ['control key', `${controlKey.place}, fingerprint ${controlKey.fingerprint}`],
    ...(privateKey === null ? [] : [['private key', `fingerprint ${privateKey}`]]),
    [
      'default',
      isDefault ? 'yes' : `no: choose it with --profile ${profile}, or make it the default with \`paycli profile use ${profile}\``,
    ],
  ]);
  return `${rows}Then look at it: paycli whoami${isDefault ? '' : ` --profile ${profile}`}\n`;
}
