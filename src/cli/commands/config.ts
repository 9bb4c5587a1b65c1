import { listProfiles } from '../../config/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { CommonOptions } from '../options.js';
import { columns } from '../present/columns.js';
import { Reporter } from '../reporter.js';

/** Vouches for a project file as it is now. */
export async function runConfigTrust(file: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const { trustFile } = await import('../../config/trust.js');
  const report = new Reporter(options, undefined, runtime);
  const trusted = trustFile(file, runtime.files);
  if (report.json) report.document({ schema: 'paycli.trust/1', ...trusted });
  else
    report.out(
      `trusted: ${trusted.file}\n  SHA-256 ${trusted.digest}\n  may set ${trusted.keys.join(', ') || 'nothing that needs trust'}; any change to the file ends the trust\n`,
    );
  return 0;
}

export async function runProfileList(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const profiles = await listProfiles(runtime);
  if (report.json) report.document({ schema: 'paycli.profiles/1', profiles });
  else if (profiles.length === 0)
    report.out('no profiles yet: the built-in sandbox answers; `paycli help profiles` shows how to write one\n');
  else
    report.out(
      columns([
        ['profile', 'class', 'file'],
        ...profiles.map((each) => [`${each.isDefault ? '*' : ' '} ${each.name}`, each.class, each.file]),
      ]),
    );
  return 0;
}
