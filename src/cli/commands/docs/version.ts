import { Command } from 'commander';
import type { Runtime } from '../../../runtime/ports.js';
import { interfaceLabel } from '../../../spec/index.js';
import type { CommonOptions } from '../../core/common-options.js';
import { addFlags, globalFlags } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { checkNames } from '../../core/result-fields.js';
import { packageVersion } from '../../core/version.js';

/**
 * `paycli --version` with further flags; alone it is answered before the program is loaded. --verbose or a
 * machine-readable format adds the interface and Node. Throws USAGE for an unknown field, and what commander throws.
 */
export async function showVersion(argv: readonly string[], runtime: Runtime): Promise<number> {
  const command = addFlags(new Command('paycli').exitOverride().configureOutput({ writeErr: () => undefined }), [
    ['-V, --version', 'show the version'],
    ...globalFlags,
  ]);
  const options = command.allowExcessArguments(false).parse(argv, { from: 'user' }).opts<CommonOptions>();
  checkNames(options.select, ['version'], '', false);
  const report = new Reporter(options, undefined, runtime);
  const facts = { paycli: packageVersion, interface: interfaceLabel, node: runtime.processes.nodeVersion };
  await report.show({
    document: { schema: 'paycli.version/1', ...facts },
    text: () => (options.verbose === undefined ? `${packageVersion}\n` : report.columns(Object.entries(facts))),
  });
  return 0;
}
