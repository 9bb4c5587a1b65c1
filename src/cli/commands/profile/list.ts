import { listProfiles } from '../../../config/index.js';
import { keySince } from '../../../config/key-store.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { oneLine } from '../../format/table.js';

export const profileList = defineCommand({
  name: 'profile list',
  summary: 'List the profiles: class, address, login, age of keys, file',
  examples: ['profile list'],
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['profiles'],
  run: ({ options, runtime }) => runProfileList(options, runtime),
});

async function runProfileList(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const profiles = (await listProfiles(runtime)).map(({ keys, baseUrl, login, ...profile }) => ({
    ...{ ...profile, baseUrl: baseUrl ?? null, login: login ?? null },
    controlKeySince: keySince(keys['control-key'], runtime.files),
    privateKeySince: keySince(keys['private-key'], runtime.files),
  }));
  await report.show({
    document: { schema: 'paycli.profiles/1', profiles: profiles.map(withUtcTimes) },
    list: 'profiles',
    sheet: () => ({
      columns: [
        ...[{ head: 'profile' }, { head: 'class' }, { head: 'default' }, { head: 'address', flexible: true, min: 30 }],
        ...[{ head: 'login' }, { head: 'key since', optional: true }],
        { head: 'RSA key since', optional: true },
        { head: 'file', flexible: true, min: 20, optional: true },
      ],
      rows: profiles.map((each) =>
        [
          ...[each.name, each.class, each.isDefault ? 'yes' : '', each.baseUrl ?? '', each.login ?? ''],
          ...[each.controlKeySince, each.privateKeySince].map((at) => (at === null ? '' : report.time(at))),
          each.file,
        ].map(oneLine),
      ),
    }),
    empty: 'no profiles yet: `paycli init` sets one up, and --profile sandbox is the built-in sandbox',
  });
  return 0;
}

interface KeyTimes {
  readonly controlKeySince: number | null;
  readonly privateKeySince: number | null;
}

function withUtcTimes<T extends KeyTimes>(each: T) {
  const utc = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return { ...each, controlKeySince: utc(each.controlKeySince), privateKeySince: utc(each.privateKeySince) };
}
