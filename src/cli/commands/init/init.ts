import { applyChanges, type Change } from '../../../config/edit.js';
import { checkTlsPolicy, readSecret } from '../../../config/index.js';
import { ownKeyStore, removeStoredKey, storeSetting } from '../../../config/key-store.js';
import { type SecretSource, secretLocation } from '../../../config/settings.js';
import { ifInterrupted } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { keyFingerprint } from '../../../signing/index.js';
import { defineCommand } from '../../command.js';
import { checkKey } from '../../core/credential-check.js';
import { Reporter } from '../../core/reporter.js';
import { checkLiveFlag } from '../../open-session.js';
import { loadFromFile, openStore, sharedKeyWarning } from '../profile/keys.js';
import { isDefaultIn, settingsIn, writeKeyAndFile } from '../profile/user-file.js';
import {
  confirm,
  type Described,
  describeProfile,
  type Guide,
  type InitFlags,
  initFlags,
  openGuide,
  replacedLayer,
} from './ask.js';
import { askKey, chooseRsaKey, chooseStore, readGivenKey } from './ask-keys.js';
import { type CheckResult, planRows, type Setup, showResult, showSandbox } from './show.js';

export const init = defineCommand({
  heading: 'Tools:',
  summary: 'Start here: set up a profile step by step, or repair one, and check it',
  help: `Values not given as flags are prompted for on a terminal; in scripts, all must be given as flags. A key is never given as a flag value. The profile and its keys are written together or not at all.

Then one signed status request for an order that does not exist checks the credentials: exit 0 if they are correct or were not checked, 4 if the gateway refused them, 6 if nothing was sent, 9 if there was no reply. The profile is kept in every case.`,
  flags: initFlags,
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
  const { name, class: kind, controlKey, store, after } = setup;
  await writeKeyAndFile(store && { store, secret: controlKey }, after, runtime);
  const old = ownKeyStore({ profile: name, key: 'control-key' }, guide.file.current, runtime.files);
  if (store !== undefined && old !== undefined && old.place !== store.place) await removeStoredKey(old, runtime);
  const exit = await showResult(setup, await checkProfile(setup, guide), guide);
  report.notes(setup.kept.length === 0 ? [] : [`kept unchanged: ${setup.kept.join(', ')}`]);
  report.warn(await sharedKeyWarning({ name, class: kind }, setup.fingerprint, runtime));
  return exit;
}

/** Collects the setup from flags and prompts; undefined for the built-in sandbox. Writes nothing. */
async function planSetup(guide: Guide): Promise<Setup | undefined> {
  const { options, report, runtime } = guide;
  const given = await readGivenKey(guide);
  const described = await describeProfile(guide, given !== undefined);
  if (described === undefined) return undefined;
  const { name, class: kind } = described;
  const present = replacedLayer(name, guide);
  const old = present['control-key']?.value;
  const typed = given ?? (await askKey(old, guide));
  const controlKey = typed ?? (await readSecret(old as SecretSource, runtime)).secret;
  const isKept = typed === undefined && options.store === undefined;
  const owner = { profile: name, key: 'control-key' } as const;
  const store = isKept
    ? undefined
    : await openStore(await chooseStore(name, guide), owner, { secret: controlKey, present: old }, runtime);
  const rsa = await chooseRsaKey(present, guide);
  if (options.live === true && kind === 'test') checkLiveFlag(options, { name, class: kind });
  const setup = planChanges(described, { controlKey, store, old, rsa }, guide);
  if (guide.asksAll) {
    report.urgent(['', 'This will be saved:']);
    report.err(report.columns(planRows(setup, guide)));
    await confirm(guide);
  }
  return setup;
}

interface Keys extends Pick<Setup, 'controlKey' | 'store' | 'rsa'> {
  readonly old: SecretSource | undefined;
}

function planChanges({ name, class: kind, settings }: Described, { old, ...keys }: Keys, guide: Guide): Setup {
  const { file, runtime } = guide;
  const { store, rsa, controlKey } = keys;
  const all = { ...settings, ...rsa?.settings, ...(store && { 'control-key': storeSetting(store) }) };
  const entries = settingsIn(file.before.data, name);
  const changes = Object.entries(all).map(([key, value]): Change => ({ path: ['profiles', name, key], value }));
  // A live profile becomes the default only by `profile set --default`.
  if (file.current.common.profile === undefined && kind !== 'live')
    changes.unshift({ path: ['default-profile'], value: name });
  const after = applyChanges(file.before, changes, runtime.files);
  return {
    ...{ name, class: kind, ...keys, after, isDefault: isDefaultIn(after.content, name) },
    layer: after.content.profiles.get(name) ?? {},
    kept: Object.keys(entries).filter((key) => !(key in all)),
    keyPlace: store?.place ?? (old === undefined ? '' : secretLocation(old)),
    fingerprint: keyFingerprint(controlKey.open()),
  };
}

/** Checks the newly written profile with its gateway. */
async function checkProfile({ name, class: kind, controlKey }: Setup, guide: Guide): Promise<CheckResult> {
  const { options, report, runtime } = guide;
  if (options.check === false) return { verdict: null, reason: '--no-check was given' };
  if (kind === 'live' && options.live !== true)
    return { verdict: null, reason: 'a live gateway is checked only with --live on the command line' };
  return checkKey('control', await loadFromFile(name, runtime), { controlKey }, report, runtime);
}
