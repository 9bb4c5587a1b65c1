import { explain, loadProfile } from '../../../config/index.js';
import { defaultLimits } from '../../../payments/exchange.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { type CommonOptions, connectionFlags } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { rowSheet, rowText } from '../../format/profile.js';

export const configExplain = defineCommand({
  name: 'config explain',
  summary: 'Every value in use, where it comes from, and what it overrides',
  options: connectionFlags,
  examples: ['config explain', 'config explain --profile shop-live --login other --json'],
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['explain'],
  run: ({ options, runtime }) => runConfigExplain(options, runtime),
});

/** Every active value with its origin, and the values it overrides. Reads no key. */
async function runConfigExplain(options: CommonOptions, runtime: Runtime): Promise<number> {
  const loaded = await loadProfile({ profile: options.profile, overrides: options }, runtime);
  const report = new Reporter(options, loaded.settings, runtime);
  const found = explain(loaded);
  const defaults = [
    { key: 'output', value: 'text' },
    { key: 'timeout', value: String(defaultLimits.firstByteMs / 1000) },
  ];
  const unset = defaults
    .filter(({ key }) => !found.some((row) => row.key === key))
    .map((row) => ({ ...row, origin: 'built-in', hidden: false }));
  const rows = [...found, ...unset].sort((a, b) => orderOf(a.key) - orderOf(b.key));
  report.notes(loaded.warnings.map((text) => `warning: ${text}`));
  await report.show({
    document: { schema: 'paycli.explain/1', values: rows },
    list: 'values',
    sheet: () => rowSheet(rows),
    text: () => rowText(rows, report, runtime),
  });
  return 0;
}

/** Keeps the values of one key together; the connection comes before defaults and settings. */
function orderOf(key: string): number {
  const groups = [
    'profile',
    'class',
    'base-url',
    'login',
    'endpoint-id',
    'endpoints',
    'control-key',
    'private-key',
    'passphrase',
  ];
  const at = groups.indexOf(key.split('.')[0] ?? '');
  return at === -1 ? groups.length : at;
}
