import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';

export const configTrust = defineCommand({
  name: 'config trust',
  summary: 'Allow a project file to set the connection, keys and assumptions',
  args: [['<file>', '']],
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['trust'],
  run: ({ args: [file = ''], options, runtime }) => runConfigTrust(file, options, runtime),
});

/** Trusts a project file with its present content. */
async function runConfigTrust(file: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const { trustFile } = await import('../../../config/trust.js');
  const report = new Reporter(options, undefined, runtime);
  const trusted = trustFile(file, runtime.files);
  const may = trusted.keys.join(', ') || 'no settings that need trust';
  await report.show({
    document: { schema: 'paycli.trust/1', ...trusted },
    text: () =>
      `trusted: ${trusted.file}\n  SHA-256 ${trusted.digest}\n  may set ${may}; any change to the file revokes the trust\n`,
  });
  return 0;
}
