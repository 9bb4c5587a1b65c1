import { applyChanges, type Change, type EditedConfig, type Setting } from '../../../config/edit.js';
import { readFlags } from '../../../config/given.js';
import { checkTlsPolicy, readSecret } from '../../../config/index.js';
import { type KeyStore, keyStore, ownKeyStore, readStoredKey, removeStoredKey } from '../../../config/key-store.js';
import { type SecretSource, secretLocation } from '../../../config/settings.js';
import { fail, ifInterrupted } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { keyFingerprint } from '../../../signing/index.js';
import { Secret } from '../../../wire/mask.js';
import { defineCommand, type FlagsFor, on, oneOf, word } from '../../command.js';
import { checkKey } from '../../core/credential-check.js';
import { Reporter } from '../../core/reporter.js';
import { liveFlag, outputFlags } from '../../flags.js';
import { checkLiveFlag } from '../../open-session.js';
import { readRsaFile } from '../profile/keys.js';
import { readSettings, settingFlags } from '../profile/settings.js';
import { loadFromFile, writeKeyAndFile, writtenIn } from '../profile/user-file.js';
import {
  ask,
  command,
  type Described,
  describeProfile,
  type Guide,
  type InitFlags,
  openGuide,
  replacedLayer,
} from './ask.js';
import { type CheckResult, planRows, type Setup, showResult, showSandbox } from './show.js';

export const init = defineCommand({
  heading: 'Tools:',
  summary: 'Start here: set up a profile step by step, or repair one, and check it',
  help: `Values not given as flags are prompted for on a terminal; in scripts, all must be given as flags. A key is never given as a flag value. The profile and its keys are written together or not at all.

Then one signed status request for an order that does not exist checks the credentials: exit 0 if they are correct or were not checked, 4 if the gateway refused them, 6 if nothing was sent, 9 if there was no reply. The profile is kept in every case.`,
  flags: {
    name: word('<name>', 'name of the profile: letters, digits, dots and dashes'),
    class: oneOf(
      ['sandbox', 'test', 'live'],
      '<class>',
      'class of the profile: the built-in sandbox, a test gateway or a live one',
    ),
    ...settingFlags,
    controlKeyFile: word(
      '<file>',
      'read the merchant control key from this file (mode 0600) and store it; - is standard input',
    ),
    controlKeyFd: word('<number>', 'read it from an open file descriptor'),
    store: oneOf(
      ['file', 'keyring'],
      '<store>',
      'where to store the control key: a file of its own beside the configuration (file)',
    ),
    privateKeyFile: word('<file>', 'the RSA private key (PEM, mode 0600); it stays where it is'),
    passphraseFile: word('<file>', 'the passphrase of that key; it stays where it is'),
    replace: on('change the existing profile; settings not given are kept'),
    noCheck: on('do not check with the gateway at the end'),
    live: liveFlag,
    yes: on('ask only for missing values, without a final confirmation', { short: 'y' }),
    noInput: on('never prompt'),
    ...outputFlags,
  } satisfies FlagsFor<InitFlags> & { readonly noCheck: unknown },
  needs: { passphraseFile: ['privateKeyFile'] },
  examples: [
    'init',
    'init --class sandbox',
    'init --name shop-test --class test --base-url https://gate.example/prefix --login my-shop --endpoint-id 4001 --control-key-file control.key',
    'init --name shop-live --class live --base-url https://live.example --login my-shop --endpoint-id 4001 --endpoint EUR=4002 --max-amount "500.00 EUR" --control-key-file - --no-check --json',
  ],
  effect: 'read',
  note: 'One status request for an order that does not exist; --no-check skips it.',
  result: ['init'],
  run: ({ flags, runtime }) => runInit(flags, runtime),
});

/** The guided setup: collects a profile, writes it in one step, and checks it with the gateway. */
async function runInit(options: InitFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const guide = openGuide(options, report, runtime);
  if (options.check !== false) checkTlsPolicy(runtime.env);
  const setup = await planSetup(guide).catch(ifInterrupted('nothing was written'));
  if (setup === undefined) return showSandbox(guide);
  const { name, controlKey, store, after } = setup;
  await writeKeyAndFile(store && { store, secret: controlKey }, after, runtime);
  const old = ownKeyStore(name, 'control-key', guide.file.current, runtime.files);
  if (store !== undefined && old !== undefined && old.place !== store.place) await removeStoredKey(old, runtime);
  return showResult(setup, await checkProfile(setup, guide), guide);
}

/** Collects the setup from flags and prompts; undefined for the built-in sandbox. Writes nothing. */
async function planSetup(guide: Guide): Promise<Setup | undefined> {
  const { options, report, runtime } = guide;
  const given = await readGivenKey(guide);
  const described = await describeProfile(guide, given !== undefined);
  if (described === undefined) return undefined;
  const { name, class: kind } = described;
  if (options.live === true && kind === 'test') checkLiveFlag(options, { name, class: kind });
  const old = replacedLayer(name, guide)['control-key']?.value;
  const typed = given ?? (await askKey(old, guide));
  const controlKey = typed ?? (await readSecret(old as SecretSource, runtime)).secret;
  const store = typed === undefined && options.store === undefined ? undefined : await openFreeStore(name, guide);
  const rsa = await readRsaFile(options.privateKeyFile, options.passphraseFile, command, runtime);
  const after = applyAll(described, { ...rsa?.settings, ...(store && { 'control-key': store.setting }) }, guide);
  const setup: Setup = {
    ...{ name, class: kind, controlKey, store, rsa, after },
    isDefault: after.content.common.profile?.value === name,
    layer: after.content.profiles.get(name) ?? {},
    keyPlace: store?.place ?? (old === undefined ? '' : secretLocation(old)),
    fingerprint: keyFingerprint(controlKey.open()),
  };
  if (guide.asksAll) {
    report.urgent(['', 'This will be saved:']);
    report.err(report.columns(planRows(setup)));
    const question = { name: 'write', message: 'save this?', choices: ['yes', 'no'], initial: 'yes' };
    if ((await ask(question, guide)) === 'no')
      throw fail('CANCELLED', { why: 'nothing was written', how: '`paycli init` asks again from the start' });
  }
  return setup;
}

/** The control key that a flag names. Throws FIELD_INVALID or SECRET_UNREADABLE. */
async function readGivenKey({ options, runtime, report }: Guide): Promise<Secret | undefined> {
  const { controlKeyFile, controlKeyFd } = options;
  const source = readFlags({ controlKeyFile, controlKeyFd }, runtime.files)['control-key']?.value;
  if (source === undefined) return undefined;
  const { secret, warning } = await readSecret(source, runtime);
  if (warning !== undefined) report.warn([warning]);
  return secret;
}

/** Undefined to keep the key of the replaced profile. */
async function askKey(present: SecretSource | undefined, guide: Guide): Promise<Secret | undefined> {
  if (present !== undefined && !guide.asksAll) return undefined;
  const check = (text: string) => {
    if (text === '') return present === undefined ? 'it is empty' : undefined;
    return text === text.trim() ? undefined : 'it begins or ends with a space';
  };
  const message = `merchant control key${present === undefined ? '' : ' (empty: keep the current one)'}`;
  const typed = await ask({ name: 'control-key', message, hidden: true, check }, guide);
  return typed === '' ? undefined : new Secret(typed);
}

/** Throws USAGE where the store holds a key that may not be overwritten, or SECRET_UNREADABLE. */
async function openFreeStore(profile: string, { options, runtime }: Guide): Promise<KeyStore> {
  const store = keyStore(options.store ?? 'file', profile, 'control-key', runtime.files);
  if (options.replace === true || (await readStoredKey(store, runtime)) === undefined) return store;
  throw fail('USAGE', {
    why: `${store.place} already holds a key, though no profile names it; --replace overwrites it`,
    command,
  });
}

/** The user file with the profile in it. Throws FIELD_INVALID, CONFIG_INVALID or PROFILE_CLASS_MISMATCH. */
function applyAll(
  { name, class: kind, texts }: Described,
  keys: Readonly<Record<string, Setting | undefined>>,
  { file, options, runtime }: Guide,
): EditedConfig {
  const { working: folder, home } = runtime.files.folders;
  const given = { texts, endpoints: options.endpoint };
  const settings = readSettings(given, writtenIn(file, name), { folder, home }, command);
  const all = [
    { path: ['class'], value: kind },
    ...settings,
    ...Object.entries(keys).map(([key, value]) => ({ path: [key], value })),
  ];
  const changes = all.map(({ path, value }): Change => ({ path: ['profiles', name, ...path], value }));
  // A live profile becomes the default only by `profile set --default`.
  if (file.current.common.profile === undefined && kind !== 'live')
    changes.unshift({ path: ['default-profile'], value: name });
  return applyChanges(file.before, changes, runtime.files);
}

/** Checks the newly written profile with its gateway. */
async function checkProfile({ name, class: kind, controlKey }: Setup, guide: Guide): Promise<CheckResult> {
  const { options, report, runtime } = guide;
  if (options.check === false) return { verdict: null, reason: '--no-check was given' };
  if (kind === 'live' && options.live !== true)
    return { verdict: null, reason: 'a live gateway is checked only with --live on the command line' };
  return checkKey('control', await loadFromFile(name, runtime), { controlKey }, report, runtime);
}
