import { listProfiles } from '../../../config/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { oneLine } from '../../format/table.js';

export const profileList = defineCommand({
  name: 'profile list',
  summary: 'List the profiles and where they come from',
  examples: ['profile list'],
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['profiles'],
  run: ({ options, runtime }) => runProfileList(options, runtime),
});

async function runProfileList(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const profiles = await listProfiles(runtime);
  await report.show({
    document: { schema: 'paycli.profiles/1', profiles },
    list: 'profiles',
    sheet: () => ({
      columns: [{ head: 'profile' }, { head: 'class' }, { head: 'default' }, { head: 'file', flexible: true }],
      rows: profiles.map((each) => [each.name, each.class, each.isDefault ? 'yes' : '', each.file].map(oneLine)),
    }),
    empty: 'no profiles yet, so the built-in sandbox answers; try `paycli init`',
  });
  return 0;
}
