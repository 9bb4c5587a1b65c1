import { checkTlsPolicy } from '../../../config/index.js';
import { fail, ifInterrupted } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { keyFingerprint } from '../../../signing/index.js';
import { mayPrompt } from '../../command.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { Reporter } from '../../core/reporter.js';
import { checkLiveFlag } from '../../open-session.js';
import { type NewFile, pathOf } from '../keys/key-files.js';
import { classFlag, valueFlags } from '../profile/flags.js';
import {
  checkName,
  keptSettingsText,
  openProfileSlot,
  planProfile,
  presentValues,
  saveProfile,
  settingsOf,
  storeFor,
} from '../profile/save.js';
import { sharedKeyWarning } from '../profile/shared-key.js';
import { profileValues } from '../profile/values.js';
import { addressCheck, chooseClass, chooseName, chooseRsaKey, chooseStore, confirm } from './prompts.js';
import { checkProfile, command, type InitContext, type InitOptions, type NewSetup } from './setup.js';
import { showResult, showSandbox } from './show.js';
import { errColumns, hangingIndent, planText, textForSupport } from './text.js';

const introText =
  'A profile holds the address of a gateway, the merchant login and its keys. Ctrl-C cancels; nothing is saved until the end.';
const liveText =
  'A live gateway moves real money: every command with this profile needs --live, and every payment asks for the merchant login. ' +
  'A cap limits the cost of a single mistake.';

/** Collects the setup from flags and prompts; undefined for the built-in sandbox. Writes nothing. */
export async function gatherSetup(guide: InitContext): Promise<NewSetup | undefined> {
  const { options, report, runtime } = guide;
  checkFlags(guide);
  if (guide.asksAll) printHint(introText, guide);
  const kind = await chooseClass(guide);
  if (kind === 'sandbox') return undefined;
  if (guide.asksAll && kind === 'live') printHint(liveText, guide);
  const name = await chooseName(kind ?? '', guide);
  const present = presentValues(name ?? '', guide.slot);
  if (options.live === true && kind === 'test' && name !== undefined) checkLiveFlag(options, { name, class: kind });
  const extras = kind === 'live' ? (['endpoints', 'max-amount'] as const) : (['endpoints'] as const);
  const asking = {
    command,
    alsoCheck: { 'base-url': addressCheck(name ?? '', kind ?? '', guide) },
    optional: guide.asksAll ? extras : [],
    present,
    asksPresent: guide.asksAll,
  };
  const values = await profileValues(givenValues(guide, kind, name), asking, report, runtime);
  const setup = await withKeys(values, guide);
  if (guide.asksAll) {
    report.err(`\nThis will be saved:\n${planText(setup, guide, errColumns(runtime))}\n`);
    await confirm(guide);
  }
  return setup;
}

function givenValues({ options }: InitContext, kind: string | undefined, name: string | undefined) {
  return { ...options, ...(kind === undefined ? {} : { class: kind }), ...(name === undefined ? {} : { name }) };
}

async function withKeys(values: NewSetup['values'], guide: InitContext): Promise<NewSetup> {
  const keepsKey = values.keptKey !== undefined && guide.options.store === undefined;
  const chosen = keepsKey ? undefined : await chooseStore(values.name, guide);
  const store = chosen && (await storeFor(chosen, values, guide.slot, guide.runtime));
  const rsa = await chooseRsaKey(values.name, guide);
  const profile = { ...settingsOf(values), ...store?.setting, ...rsa?.settings };
  return { values, store, rsa, planned: planProfile(values.name, profile, guide.slot, guide.runtime) };
}

/** Checks the flags alone. Throws USAGE or TLS_POLICY. */
function checkFlags({ options, slot, runtime, asksAll }: InitContext): void {
  const { name, generateKey, privateKeyFile, passphraseFile, supportText } = options;
  const connection = [
    options.baseUrl,
    options.login,
    options.endpointId,
    options.controlKeyFile,
    options.controlKeyFd,
    name,
  ];
  if (options.class === 'sandbox' && connection.some((value) => value !== undefined))
    throw fail('USAGE', {
      why: 'the built-in sandbox has its own login and keys and needs no profile: omit the other flags',
      command,
    });
  if (name !== undefined) checkName(name, slot);
  const hasKeyFile = privateKeyFile !== undefined || passphraseFile !== undefined;
  if (generateKey === true && hasKeyFile)
    throw fail('USAGE', {
      why: 'use either --generate-key, which makes a key, or --private-key-file, which names one',
      command,
    });
  if (supportText !== undefined && generateKey !== true && !hasKeyFile && !asksAll)
    throw fail('USAGE', {
      why: '--support-text applies to an RSA key: add --generate-key or --private-key-file',
      command,
    });
  if (supportText !== undefined && runtime.files.exists(pathOf(supportText, runtime)))
    throw fail('USAGE', { why: '--support-text names a file that already exists: choose another name', command });
  if (options.check !== false) checkTlsPolicy(runtime.env);
}

function printHint(text: string, { report, runtime }: InitContext): void {
  report.urgent(hangingIndent('', text, errColumns(runtime)).trimEnd().split('\n'));
}

export const init = defineCommand<InitOptions>({
  name: 'init',
  heading: 'Tools:',
  summary: 'Start here: set up a profile step by step, and check it',
  help: `Start here: set up a profile step by step, and check it

Values not given as flags are prompted for on a terminal; in scripts, all must be given as flags. A key is never given as a flag value. The profile and its keys are written together or not at all.

Then one signed status request for an order that does not exist checks the credentials: exit 0 if they are correct or were not checked, 4 if the gateway refused them, 6 if nothing was sent, 9 if there was no reply. The profile is kept in every case.`,
  options: [
    ['--name <name>', 'name of the profile: letters, digits, dots and dashes'],
    classFlag('class of the profile: the built-in sandbox, a test gateway or a live one'),
    ...valueFlags,
    ['--generate-key', 'generate a 4096-bit RSA key in a separate file'],
    ['--support-text <file>', 'also write the message to gateway support about the RSA key to this new file'],
    ['--no-check', 'do not check with the gateway at the end'],
    ['--live', 'allow the check on a live gateway'],
    ['-y, --yes', 'ask only for missing values, without a final confirmation'],
    ['--no-input', 'never prompt'],
  ],
  examples: [
    'init',
    'init --class sandbox',
    'init --name shop-test --class test --base-url https://gate.example/prefix --login my-shop --endpoint-id 4001 --control-key-file control.key',
    'init --name shop-live --class live --base-url https://live.example --login my-shop --endpoint-id 4001 --endpoint EUR=4002 --max-amount "500.00 EUR" --control-key-file - --generate-key --no-check --json',
  ],
  effect: 'read',
  network: true,
  exits: [...profileExits, 'refused', 'notSent', 'readFailed', 'refusedHere', 'interrupted'],
  note: 'One status request for an order that does not exist; --no-check skips it.',
  prints: ['init'],
  run: ({ options, runtime }) => runInit(options, runtime),
});

/** The guided setup: collects a profile, writes it in one step, and checks it with the gateway. */
async function runInit(options: InitOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const slot = openProfileSlot(options.replace, command, runtime);
  const guide: InitContext = {
    options,
    slot,
    report,
    runtime,
    asksAll: mayPrompt(options, runtime) && options.yes !== true,
  };
  const setup = await gatherSetup(guide).catch(ifInterrupted('nothing was written'));
  if (setup === undefined) return showSandbox(guide);
  const support = textForSupport(setup);
  const files = [...(setup.rsa?.files ?? []), ...supportFile(support, guide)];
  await saveProfile(setup.planned, { store: setup.store, controlKey: setup.values.controlKey, files }, slot, runtime);
  const exit = await showResult({ setup, support, checked: await checkProfile(setup, guide) }, guide);
  report.notes(keptSettingsText(setup.planned.kept));
  const fingerprint = keyFingerprint(setup.values.controlKey.open());
  report.warn(await sharedKeyWarning(setup.values, fingerprint, runtime));
  return exit;
}

function supportFile(text: string | undefined, { options, runtime }: InitContext): readonly NewFile[] {
  if (text === undefined || options.supportText === undefined) return [];
  return [{ path: pathOf(options.supportText, runtime), text, mode: 0o644 }];
}
