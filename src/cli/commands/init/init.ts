import { applyChanges, type Change } from '../../../config/edit.js';
import { checkTlsPolicy } from '../../../config/index.js';
import { ownKeyStore, removeStoredKey, storeSetting } from '../../../config/key-store.js';
import { secretLocation } from '../../../config/settings.js';
import { ifInterrupted } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { keyFingerprint } from '../../../signing/index.js';
import { assumeDefaults, statusQuery } from '../../../spec/index.js';
import { parseBaseUrl } from '../../../wire/address.js';
import { defineCommand, type FlagsFor, list, mayPrompt, on, oneOf, word } from '../../command.js';
import { checkKey } from '../../core/credential-check.js';
import { Reporter } from '../../core/reporter.js';
import { liveFlag, outputFlags } from '../../flags.js';
import { checkLiveFlag } from '../../open-session.js';
import { sharedKeyWarning } from '../profile/keys.js';
import { agedStore, idOf, isDefaultIn, openUserFile, settingsIn, writeKeyAndFile } from '../profile/user-file.js';
import { endpointsIn, gatherAnswers } from './ask.js';
import { type Answers, confirm, type Guide, type InitFlags, type Setup } from './guide.js';
import { type CheckResult, planRows, showResult, showSandbox } from './show.js';

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
    baseUrl: word('<url>', 'base address of the gateway, including any path prefix'),
    login: word('<login>', 'merchant login'),
    endpointId: word('<id>', 'endpoint, or endpoint group'),
    endpoint: list('<key=id>', 'another endpoint for a currency or an operation, such as EUR=4002; repeatable'),
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
    maxAmount: list('<amount>', 'largest single payment or return, such as "500.00 EUR"; once per currency'),
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
  const canAsk = mayPrompt(options, runtime);
  const guide: Guide = {
    ...{ options, report, runtime, canAsk, file: openUserFile(runtime) },
    asksAll: canAsk && options.yes !== true,
  };
  if (options.check !== false) checkTlsPolicy(runtime.env);
  const setup = await gatherSetup(guide).catch(ifInterrupted('nothing was written'));
  if (setup === undefined) return showSandbox(guide);
  const { name, class: kind, controlKey } = setup.answers;
  const key = setup.store && { store: setup.store, secret: controlKey };
  await writeKeyAndFile(key, setup.after, runtime);
  const old = ownKeyStore(name, guide.file.current, runtime.files);
  if (setup.store !== undefined && old !== undefined && old.place !== setup.store.place)
    await removeStoredKey(old, runtime);
  const exit = await showResult(setup, await checkProfile(setup, guide), guide);
  report.notes(setup.kept.length === 0 ? [] : [`kept unchanged: ${setup.kept.join(', ')}`]);
  report.warn(await sharedKeyWarning({ name, class: kind }, setup.fingerprint, runtime));
  return exit;
}

/** Collects the setup from flags and prompts; undefined for the built-in sandbox. Writes nothing. */
async function gatherSetup(guide: Guide): Promise<Setup | undefined> {
  const { options, report } = guide;
  const answers = await gatherAnswers(guide);
  if (answers === undefined) return undefined;
  const { name, class: kind } = answers;
  if (options.live === true && kind === 'test') checkLiveFlag(options, { name, class: kind });
  const setup = await planSetup(answers, guide);
  if (guide.asksAll) {
    report.urgent(['', 'This will be saved:']);
    report.err(report.columns(planRows(setup, guide)));
    await confirm(guide);
  }
  return setup;
}

async function planSetup(answers: Answers, guide: Guide): Promise<Setup> {
  const { file, runtime } = guide;
  const { name, controlKey, store: storeName, keptKey } = answers;
  const present = file.current.profiles.get(name)?.['control-key']?.value;
  const aged = { secret: controlKey, present };
  const store = storeName === undefined ? undefined : await agedStore(storeName, name, aged, runtime);
  const settings = { ...settingsOf(answers), ...(store && { 'control-key': storeSetting(store, name) }) };
  const entries = settingsIn(file.before.data, name);
  const isNew = Object.keys(entries).length === 0;
  const changes: Change[] = isNew
    ? [{ path: ['profiles', name], value: settings }]
    : Object.entries(settings).map(([key, value]) => ({ path: ['profiles', name, key], value }));
  // The passphrase of a key that is replaced goes with it.
  if (answers.rsa !== undefined && !('passphrase' in settings) && 'passphrase' in entries)
    changes.push({ path: ['profiles', name, 'passphrase'] });
  // A live profile becomes the default only by `profile set --default`.
  if (file.current.common.profile === undefined && answers.class !== 'live')
    changes.unshift({ path: ['default-profile'], value: name });
  const after = applyChanges(file.before, changes, runtime.files);
  const given = new Set(Object.keys(settings).filter((key) => !answers.fromPresent.includes(key)));
  return {
    ...{ answers, store, after, isDefault: isDefaultIn(after.content, name) },
    kept: Object.keys(entries).filter((key) => !given.has(key)),
    keyPlace: store?.place ?? (keptKey === undefined ? '' : secretLocation(keptKey)),
    fingerprint: keyFingerprint(controlKey.open()),
  };
}

/** The settings that are not the control key. */
function settingsOf({ class: kind, baseUrl, login, endpointId, endpoints, maxAmount, rsa }: Answers) {
  const ids = Object.entries(endpointsIn(endpoints).entries).map(([key, id]) => [key, idOf(id)] as const);
  const [onlyCap] = maxAmount;
  return {
    ...{ class: kind, 'base-url': baseUrl, login, 'endpoint-id': idOf(endpointId) },
    ...(ids.length === 0 ? {} : { endpoints: Object.fromEntries(ids) }),
    ...(onlyCap === undefined ? {} : { 'max-amount': maxAmount.length === 1 ? onlyCap : maxAmount }),
    ...rsa?.settings,
  };
}

/** Checks the newly written profile with its gateway. Environment variables are ignored here. */
async function checkProfile({ answers, after }: Setup, { options, report, runtime }: Guide): Promise<CheckResult> {
  const { name, class: kind, login, controlKey, baseUrl, endpointId } = answers;
  if (options.check === false) return { verdict: null, reason: '--no-check was given' };
  if (kind === 'live' && options.live !== true)
    return { verdict: null, reason: 'a live gateway is checked only with --live on the command line' };
  const own = after.content.profiles.get(name)?.[`endpoints.${statusQuery.command}`]?.value;
  const target = { baseUrl: parseBaseUrl(baseUrl), endpointId: own ?? endpointId, login, assume: assumeDefaults };
  return checkKey('control', target, { login, controlKey }, report, runtime);
}
