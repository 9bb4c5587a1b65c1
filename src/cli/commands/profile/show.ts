import { listProfiles } from '../../../config/index.js';
import { keySince } from '../../../config/key-store.js';
import { defaultLimits } from '../../../payments/exchange.js';
import type { Runtime } from '../../../runtime/ports.js';
import { printable } from '../../../wire/redact.js';
import { defineCommand, on } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { rowText } from '../../format/profile.js';
import { type DocumentOf, profileResult, profilesResult } from '../../results.js';
import { guardOf, type Identity, identify, keyText } from './identity.js';

interface ShowOptions extends CommonOptions {
  readonly origins?: boolean;
}

export const profileShow = defineCommand({
  summary: 'The profiles, or one of them: its values, their origins, its keys by fingerprint',
  help: 'Without a name it lists the profiles of the user file. --origins shows the connection in use, or that of the profile: every value, where it comes from and what it overrides.',
  args: { profile: { text: 'a profile, or sandbox', isOptional: true } },
  flags: {
    origins: on('show where each value comes from, and what it overrides'),
    ...connectionFlags,
    ...outputFlags,
  },
  examples: ['profile show', 'profile show shop-live --json', 'profile show --origins --login other'],
  effect: 'local',
  result: [profilesResult, profileResult],
  run: ({ args: { profile }, flags, runtime }) =>
    profile === undefined && !asksForOne(flags) ? listAll(flags, runtime) : showOne(profile, flags, runtime),
});

function asksForOne({ origins, profile, baseUrl, login, endpointId }: ShowOptions): boolean {
  return origins === true || (profile ?? baseUrl ?? login ?? endpointId) !== undefined;
}

/** Shows the connection, its keys by fingerprint, and what a live payment would ask for. */
async function showOne(name: string | undefined, options: ShowOptions, runtime: Runtime): Promise<number> {
  const identity = await identify(name === undefined ? options : { ...options, profile: name }, runtime);
  const report = new Reporter<DocumentOf<typeof profileResult>>(options, identity, runtime);
  report.notes(identity.warnings.map((text) => `warning: ${text}`));
  const { rows, warnings: _, output: _output, ...facts } = identity;
  // A name given as an argument stands for the flag.
  const all = rows.map((row) =>
    name !== undefined && row.key === 'profile' && !row.hidden ? { ...row, origin: 'argument' } : row,
  );
  const values = options.origins === true ? withUnset(all) : all.filter((row) => !row.hidden && !settings.has(row.key));
  const liveGuard = guardOf(identity);
  await report.show({
    document: { schema: 'paycli.profile/1', ...facts, liveGuard, values },
    text: () => {
      const pairs = () => report.columns(values.map(({ key, value }) => [key, value].map(printable)));
      const guard = liveGuard.length === 0 ? 'not needed: no real money moves here' : liveGuard.join('; ');
      const lines = [
        ...identity.keys.map((key) => [key.key, keyText(key)]),
        ...(identity.keys.some(({ key }) => key === 'control-key')
          ? []
          : [['control-key', 'none: payments are refused, because their outcome could not be queried']]),
        ['live guard', guard],
      ];
      return `${options.origins === true ? rowText(values, report, runtime) : pairs()}\n${report.columns(lines.map((line) => line.map(printable)))}`;
    },
  });
  return 0;
}

/** Settings that belong to no profile. */
const settings: ReadonlySet<string> = new Set(['output', 'timeout', 'no-input']);

/** With the values in force that nobody set; what a value hides stands below it. */
function withUnset(rows: Identity['rows']): Identity['rows'] {
  const usual = [
    { key: 'output', value: 'text' },
    { key: 'timeout', value: String(defaultLimits.firstByteMs / 1000) },
  ];
  const unset = usual.filter(({ key }) => !rows.some((row) => row.key === key));
  const all = [...rows, ...unset.map((row) => ({ ...row, origin: 'built-in', hidden: false }))];
  const keys = [...new Set(all.map(({ key }) => key))];
  return keys.flatMap((key) => all.filter((row) => row.key === key));
}

async function listAll(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter<DocumentOf<typeof profilesResult>>(options, undefined, runtime);
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
      ],
      rows: profiles.map((each) =>
        [
          ...[each.name, each.class, each.isDefault ? 'yes' : '', each.baseUrl ?? '', each.login ?? ''],
          ...[each.controlKeySince, each.privateKeySince].map((at) => (at === null ? '' : report.time(at))),
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
