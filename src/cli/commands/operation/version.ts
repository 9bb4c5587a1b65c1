import type { Runtime } from '../../../runtime/ports.js';
import { interfaceLabel } from '../../../spec/index.js';
import { defineCommand } from '../../core/define-command.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { packageVersion } from '../../core/version.js';
import { columns } from '../../format/table.js';

export const version = defineCommand({
  name: 'version',
  summary: 'Show versions: paycli, interface, Node',
  heading: 'Tools:',
  effect: 'none',
  network: false,
  exits: [],
  prints: ['version'],
  run: ({ options, runtime }) => runVersion(options, runtime),
});

async function runVersion(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const facts = { paycli: packageVersion, interface: interfaceLabel, node: runtime.processes.nodeVersion };
  await report.show({ document: { schema: 'paycli.version/1', ...facts }, text: () => columns(Object.entries(facts)) });
  return 0;
}
