import type { Runtime } from '../../../runtime/ports.js';
import { printable } from '../../../wire/redact.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { rowText } from '../../format/profile.js';
import { identify, keyText } from './whoami.js';

export const profileShow = defineCommand({
  name: 'profile show',
  summary: 'One profile: its values, their origins, the fingerprints of its keys',
  args: [['[profile]', 'default: the one in use']],
  examples: ['profile show', 'profile show shop-live --json'],
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['profile'],
  run: ({ args: [name], options, runtime }) => runProfileShow(name, options, runtime),
});

/** Shows all values of one profile with their origins. */
async function runProfileShow(name: string | undefined, options: CommonOptions, runtime: Runtime): Promise<number> {
  const identity = await identify(name === undefined ? options : { ...options, profile: name }, runtime);
  const report = new Reporter(options, identity, runtime);
  report.notes(identity.warnings.map((text) => `warning: ${text}`));
  const shown = identity.rows.filter(({ key, hidden }) => !hidden && !settings.has(key));
  // Its name was given as an argument, which stands for the flag.
  const values = shown.map((row) =>
    name !== undefined && row.key === 'profile' ? { ...row, origin: 'argument' } : row,
  );
  const { profile, class: kind, builtin, keys } = identity;
  await report.show({
    document: { schema: 'paycli.profile/1', profile, class: kind, builtin, values, keys },
    text: () => {
      const lines = keys.map((key) => [key.key, keyText(key)].map(printable));
      return `${rowText(values, report, runtime)}\n${report.columns(lines)}`;
    },
  });
  return 0;
}

/** Settings that belong to no profile. */
const settings: ReadonlySet<string> = new Set(['output', 'timeout', 'no-input']);
