import { applyChanges, type Change, type EditedConfig, type Setting } from '../../../config/edit.js';
import { checkTlsPolicy, readSecret } from '../../../config/index.js';
import { type SecretSource, secretLocation } from '../../../config/settings.js';
import { exits, ifInterrupted } from '../../../errors/index.js';
import { keyFingerprint } from '../../../signing/index.js';
import { Secret } from '../../../wire/mask.js';
import { defineCommand, type FlagsFor, mayPrompt, on, oneOf, word } from '../../command.js';
import { checkKey, judgeCheck, type SchemeCheck } from '../../core/credential-check.js';
import { Reporter } from '../../core/reporter.js';
import { liveFlag, outputFlags } from '../../flags.js';
import { checkLiveFlag } from '../../session.js';
import { type KeyStore, openKeyStore, ownKeyStore, removeStoredKey } from '../profile/key-store.js';
import { type RsaFile, readControlKey, readRsaFile } from '../profile/keys.js';
import { readSettings, settingFlags } from '../profile/settings.js';
import { loadFromFile, openUserFile, writeKeyAndFile, writtenIn } from '../profile/user-file.js';
import { ask, type Described, describeProfile, type Guide, type InitFlags, replacedLayer } from './ask.js';

export const init = defineCommand({
  heading: 'Tools:',
  summary: 'Start here: set up a profile step by step, or repair one, and check it',
  help: `Values not given as flags are prompted for on a terminal; in scripts, all must be given as flags. A key is never given as a flag value. The profile and its keys are written together or not at all.

Then one signed status request for an order that does not exist checks the credentials: exit 0 if they are correct or were not checked, 4 if the gateway refused them, 6 if nothing was sent, 9 if there was no reply. The profile is kept in every case.`,
  flags: {
    name: word('<name>', 'name of the profile: letters, digits, dots and dashes'),
    class: oneOf(['test', 'live'], '<class>', 'class of the profile: a test gateway or a live one'),
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
    noInput: on('never prompt'),
    ...outputFlags,
  } satisfies FlagsFor<InitFlags> & { readonly noCheck: unknown },
  needs: { passphraseFile: ['privateKeyFile'] },
  examples: [
    'init',
    'init --name shop-test --class test --base-url https://gate.example/prefix --login my-shop --endpoint-id 4001 --control-key-file control.key',
    'init --name shop-live --class live --base-url https://live.example --login my-shop --endpoint-id 4001 --endpoint EUR=4002 --max-amount "500.00 EUR" --control-key-file - --no-check --json',
  ],
  effect: 'read',
  note: 'One status request for an order that does not exist; --no-check skips it.',
  result: ['init'],
  async run({ flags, runtime }) {
    const options: InitFlags = flags;
    const report = new Reporter(options, undefined, runtime);
    const guide = { options, report, runtime, canAsk: mayPrompt(options, runtime), file: openUserFile(runtime) };
    if (options.check !== false) checkTlsPolicy(runtime.env);
    const setup = await planSetup(guide).catch(ifInterrupted('nothing was written'));
    const { name, controlKey, store, after } = setup;
    await writeKeyAndFile(store && { store, secret: controlKey }, after, runtime);
    const old = ownKeyStore(name, guide.file.current, runtime.files);
    if (store !== undefined && old !== undefined && old.place !== store.place) await removeStoredKey(old, runtime);
    return showResult(setup, await checkProfile(setup, guide), report);
  },
});

/** Everything to be written. */
interface Setup extends Described {
  readonly controlKey: Secret;
  /** Undefined where the control key of the replaced profile stays where it is. */
  readonly store: KeyStore | undefined;
  /** Where the control key will be, fit for a message. */
  readonly keyPlace: string;
  readonly rsa: RsaFile | undefined;
  readonly after: EditedConfig;
}

/** Collects the setup from flags and prompts. Writes nothing. */
async function planSetup(guide: Guide): Promise<Setup> {
  const { options, report, runtime } = guide;
  const given = await readControlKey(options, report, runtime);
  const described = await describeProfile(guide, given !== undefined);
  const { name, class: kind } = described;
  if (options.live === true && kind === 'test') checkLiveFlag(options, { name, class: kind });
  const old = replacedLayer(name, guide)['control-key']?.value;
  const typed = given ?? (await askKey(old, guide));
  const controlKey = typed ?? (await readSecret(old as SecretSource, runtime)).secret;
  const isKept = typed === undefined && options.store === undefined;
  const store = isKept ? undefined : await openKeyStore(options.store ?? 'file', name, guide.file.current, runtime);
  const rsa = await readRsaFile(options.privateKeyFile, options.passphraseFile, runtime);
  const after = applyAll(described, { ...rsa?.settings, ...(store && { 'control-key': store.setting }) }, guide);
  const keyPlace = store?.place ?? (old === undefined ? '' : secretLocation(old));
  return { ...described, controlKey, store, keyPlace, rsa, after };
}

/** Undefined to keep the key of the replaced profile. */
async function askKey(present: SecretSource | undefined, guide: Guide): Promise<Secret | undefined> {
  if (present !== undefined && !guide.canAsk) return undefined;
  const check = (text: string) => {
    if (text === '') return present === undefined ? 'it is empty' : undefined;
    return text === text.trim() ? undefined : 'it begins or ends with a space';
  };
  const message = `merchant control key${present === undefined ? '' : ' (empty: keep the current one)'}`;
  const typed = await ask({ name: 'control-key', message, hidden: true, check }, guide);
  return typed === '' ? undefined : new Secret(typed);
}

/** The user file with the profile in it. Throws FIELD_INVALID, CONFIG_INVALID or PROFILE_CLASS_MISMATCH. */
function applyAll(
  { name, class: kind, texts }: Described,
  keys: Readonly<Record<string, Setting | undefined>>,
  { file, options, runtime }: Guide,
): EditedConfig {
  const { working: folder, home } = runtime.files.folders;
  const given = { texts, endpoints: options.endpoint };
  const settings = readSettings(given, writtenIn(file, name), { folder, home });
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

/** The result of checking the new credentials, or why they were not checked. */
type CheckResult = SchemeCheck | { readonly verdict: null; readonly reason: string };

/** Checks the newly written profile with its gateway. */
async function checkProfile({ name, class: kind, controlKey }: Setup, guide: Guide): Promise<CheckResult> {
  const { options, report, runtime } = guide;
  if (options.check === false) return { verdict: null, reason: '--no-check was given' };
  if (kind === 'live' && options.live !== true)
    return { verdict: null, reason: 'a live gateway is checked only with --live on the command line' };
  return checkKey('control', await loadFromFile(name, runtime), { controlKey }, report, runtime);
}

const exitCodes: Readonly<Record<string, number>> = {
  good: exits.ok,
  refused: exits.refused,
  'not-sent': exits.notSent,
};

/** Shows what was written, the gateway's answer, and next steps. Returns the exit code. */
async function showResult(setup: Setup, checked: CheckResult, report: Reporter): Promise<number> {
  const { name, class: kind, store, after, keyPlace, controlKey, rsa } = setup;
  const live = kind === 'live' ? ' --live' : '';
  const doctor = `paycli doctor --online --profile ${name}${live}`;
  const next = [doctor, `paycli sale --dry-run --profile ${name}${live}`];
  const fingerprint = keyFingerprint(controlKey.open());
  const { verdict, reason } = checked;
  let exit: number = exits.ok;
  let found = `- not checked: ${reason}`;
  if (checked.verdict !== null) {
    exit = exitCodes[checked.verdict] ?? exits.readFailed;
    const { text, next: advice } = judgeCheck(checked, 'control', name);
    found = exit === exits.ok ? `${report.paint.good('✓')} ${text}` : `${report.paint.bad('✗')} ${text}; ${advice}`;
    report.noteStatus(checked.httpStatus);
    const repair = `profile ${name} was saved; \`paycli init --replace --name ${name}\` corrects it, and \`${doctor}\` checks it again`;
    if (exit !== exits.ok) report.noteMeaning({ meaning: text, next: repair });
  }
  const layer = after.content.profiles.get(name) ?? {};
  await report.show({
    document: {
      schema: 'paycli.init/1',
      ok: exit === exits.ok,
      ...{ profile: name, class: kind, file: after.path, isDefault: after.content.common.profile?.value === name },
      ...{ baseUrl: layer['base-url']?.value, login: layer.login?.value, endpointId: layer['endpoint-id']?.value },
      controlKey: { store: store?.name ?? null, place: keyPlace, fingerprint },
      privateKey: rsa === undefined ? null : { file: rsa.file, bits: rsa.key.bits, fingerprint: rsa.key.fingerprint },
      check: { verdict, reason, ...(checked.verdict === null ? {} : { gatewayMessage: checked.gatewayMessage }) },
      ...{ next, exit },
    },
    text: () =>
      `${report.paint.good('✓')} profile ${name} was saved in ${after.path}; control key ${fingerprint} in ${keyPlace}\n${found}\nTry next:\n${next.map((line) => `  ${line}\n`).join('')}`,
  });
  return exit;
}
