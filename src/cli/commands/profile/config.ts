import { explain, listProfiles, loadProfile } from '../../../config/index.js';
import { defaultLimits } from '../../../payments/exchange.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { rowSheet, rowText } from '../../format/profile.js';
import { oneLine } from '../../format/table.js';

/** Vouches for a project file as it is now. */
export async function runConfigTrust(file: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const { trustFile } = await import('../../../config/trust.js');
  const report = new Reporter(options, undefined, runtime);
  const trusted = trustFile(file, runtime.files);
  const may = trusted.keys.join(', ') || 'nothing that needs trust';
  await report.show({
    document: { schema: 'paycli.trust/1', ...trusted },
    text: () =>
      `trusted: ${trusted.file}\n  SHA-256 ${trusted.digest}\n  may set ${may}; any change to the file ends the trust\n`,
  });
  return 0;
}

export async function runProfileList(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const profiles = await listProfiles(runtime);
  await report.show({
    document: { schema: 'paycli.profiles/1', profiles },
    list: 'profiles',
    sheet: () => ({
      columns: [{ head: 'profile' }, { head: 'class' }, { head: 'default' }, { head: 'file', flexible: true }],
      rows: profiles.map((each) => [each.name, each.class, each.isDefault ? 'yes' : '', each.file].map(oneLine)),
    }),
    empty: 'no profiles yet, so the sandbox in the box answers; try `paycli init`',
  });
  return 0;
}

/** Every value in force with its origin, and those that another source hides. Reads no key. */
export async function runConfigExplain(options: CommonOptions, runtime: Runtime): Promise<number> {
  const loaded = await loadProfile({ profile: options.profile, overrides: options }, runtime);
  const report = new Reporter(options, loaded.settings, runtime);
  const found = explain(loaded);
  const usual = [
    { key: 'output', value: 'text' },
    { key: 'timeout', value: String(defaultLimits.firstByteMs / 1000) },
  ];
  const unset = usual
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

/** Winner and losers of one key belong together; the connection comes before defaults and settings. */
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
