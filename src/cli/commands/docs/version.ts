import { Command } from 'commander';
import type { Runtime } from '../../../runtime/ports.js';
import { interfaceLabel } from '../../../spec/index.js';
import { defineCommand, on, setUpDeclared } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { checkNames } from '../../core/result-fields.js';
import { packageVersion } from '../../core/version.js';
import { outputFlags } from '../../flags.js';

const version = defineCommand({
  summary: 'Show the version',
  flags: { version: on('show the version', { short: 'V' }), ...outputFlags },
  effect: 'local',
  result: ['version'],
  run: ({ flags, runtime }) => reportVersion(flags as CommonOptions, runtime),
});

/**
 * `paycli --version` with further flags; alone it is answered before the program is loaded. --verbose or a
 * machine-readable format adds the interface and Node. Throws USAGE for an unknown field, and what commander throws.
 */
export async function showVersion(argv: readonly string[], runtime: Runtime): Promise<number> {
  const finish = { exit: 0 };
  const command = new Command('paycli').exitOverride().configureOutput({ writeErr: () => undefined });
  setUpDeclared(command, version, { runtime, argv, finish });
  await command.parseAsync([...argv], { from: 'user' });
  return finish.exit;
}

async function reportVersion(options: CommonOptions, runtime: Runtime): Promise<number> {
  checkNames(options.select, ['version'], false);
  const report = new Reporter(options, undefined, runtime);
  const facts = { paycli: packageVersion, interface: interfaceLabel, node: runtime.processes.nodeVersion };
  await report.show({
    document: { schema: 'paycli.version/1', ...facts },
    text: () => (options.verbose === undefined ? `${packageVersion}\n` : report.columns(Object.entries(facts))),
  });
  return 0;
}
