import { keyStore, type StoreName } from '../../../config/key-store.js';
import { ifInterrupted } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { Reporter } from '../../core/reporter.js';
import { classFlag, valueFlags } from './flags.js';
import { existingKey } from './rsa-key.js';
import {
  checkName,
  type KeyFacts,
  keptSettingsText,
  keyFacts,
  openProfileSlot,
  planProfile,
  presentValues,
  saveProfile,
  settingsOf,
  storeFor,
} from './save.js';
import { sharedKeyWarning } from './shared-key.js';
import { profileValues, type ValueOptions } from './values.js';

interface AddOptions extends ValueOptions {
  readonly store?: StoreName;
  readonly replace?: boolean;
}

const command = 'profile add';

const url = '--base-url https://gate.example';

export const profileAdd = defineCommand<AddOptions>({
  name: command,
  summary: 'Add a profile to the user file, and store its control key',
  args: [['<name>', 'letters, digits, dots and dashes']],
  options: [classFlag('class of the profile'), ...valueFlags, ['--no-input', 'never prompt']],
  // Tests run these, with a control key on standard input for `-`.
  examples: [
    `profile add shop-test --class test ${url}/prefix --login my-shop --endpoint-id 4001 --control-key-file control.key`,
    'profile add shop-live --class live --base-url https://live.example --login my-shop --endpoint-id 4001 --control-key-file -',
    'profile add shop-test --replace --endpoint-id 4002',
    'profile add shop-test --replace --store keyring --control-key-file control.key',
  ],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'refusedHere', 'interrupted'],
  prints: ['profile-added'],
  run: ({ args: [name = ''], options, runtime }) => runProfileAdd(name, options, runtime),
});

/**
 * Writes a profile into the user file and its control key into a store. Everything is checked before anything is
 * written.
 */
async function runProfileAdd(name: string, options: AddOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const slot = openProfileSlot(options.replace, command, runtime);
  checkName(name, slot);
  const values = await profileValues(
    { ...options, name },
    { command, present: presentValues(name, slot) },
    report,
    runtime,
  ).catch(ifInterrupted('nothing was saved'));
  const rsa = await existingKey(options, command, runtime);
  const keepsKey = values.keptKey !== undefined && options.store === undefined;
  const newStore = keyStore(options.store ?? 'file', name, runtime.files);
  const store = keepsKey ? undefined : await storeFor(newStore, values, slot, runtime);
  const settings = { ...settingsOf(values), ...store?.setting, ...rsa?.settings };
  const planned = planProfile(name, settings, slot, runtime, values.fromPresent);
  await saveProfile(planned, { store, controlKey: values.controlKey, files: [] }, slot, runtime);
  const added: Added = {
    profile: name,
    file: planned.after.path,
    class: values.class,
    controlKey: keyFacts(values, store, slot, runtime),
    privateKey: rsa?.fingerprint ?? null,
    isDefault: planned.isDefault,
  };
  await report.show({ document: { schema: 'paycli.profile-added/1', ...added }, text: () => textOf(added, report) });
  report.notes(keptSettingsText(planned.kept));
  report.warn(await sharedKeyWarning(values, added.controlKey.fingerprint, runtime));
  return 0;
}

interface Added {
  readonly profile: string;
  readonly file: string;
  readonly class: string;
  readonly controlKey: KeyFacts;
  readonly privateKey: string | null;
  readonly isDefault: boolean;
}

function textOf(added: Added, report: Reporter): string {
  const { profile, file, class: kind, controlKey, privateKey, isDefault } = added;
  const rows = report.columns([
    ['profile', `${profile} (class ${kind})`],
    ['file', file],
    ['control key', `${controlKey.place}, fingerprint ${controlKey.fingerprint}`],
    ...(privateKey === null ? [] : [['private key', `fingerprint ${privateKey}`]]),
    [
      'default',
      isDefault
        ? 'yes'
        : `no: select it with --profile ${profile}, or make it the default with \`paycli profile set ${profile} --default\``,
    ],
  ]);
  const flags = `${isDefault ? '' : ` --profile ${profile}`}${kind === 'live' ? ' --live' : ''}`;
  return `${rows}Check it with: paycli doctor --online${flags}\n`;
}
