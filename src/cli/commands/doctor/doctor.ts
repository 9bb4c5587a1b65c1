import { loadProfile } from '../../../config/index.js';
import { exits } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, type FlagsFor, on } from '../../command.js';
import { Reporter } from '../../core/reporter.js';
import { connectionFlags, liveFlag, outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { checkLiveFlag, ProfileKeys } from '../../open-session.js';
import { attempt, type Check, type CheckResult, type DoctorOptions, type Examined, pass, warn } from './finding.js';
import { machineChecks } from './machine-checks.js';
import { profileChecks } from './profile-checks.js';

const checks: readonly Check[] = [
  { name: 'configuration', run: ({ found }) => found },
  ...profileChecks,
  ...machineChecks,
];

export const doctor = defineCommand({
  heading: 'Tools:',
  summary: 'Check runtime, configuration, keys, clock, journal, open payments and disk',
  help: `Nothing secret is shown. Without --online no operation is sent.

With it, one read-only request is sent for each signing scheme for which the profile has a key; a refusal fails the check. Each names an order or card reference that does not exist, so nothing changes.

Exit 0 when nothing fails, 11 otherwise.`,
  flags: {
    online: on(
      'compare clocks with the gateway (without it, only at loopback addresses), and send one request signed with each key',
    ),
    live: liveFlag,
    ...connectionFlags,
    ...outputFlags,
  } satisfies FlagsFor<DoctorOptions>,
  examples: ['doctor', 'doctor --json'],
  effect: 'read',
  note: 'Without --online, only a sandbox or gateway on this machine is asked for its time. With it, one request per signing scheme is sent, for an order or a card reference that does not exist.',
  result: ['doctor'],
  run: ({ flags, runtime }) => runDoctor(flags, runtime),
});

/** Checks everything paycli depends on. Exit 11 when a check fails. */
async function runDoctor(options: DoctorOptions, runtime: Runtime): Promise<number> {
  const examined = await examine(options, runtime);
  const { loaded, report } = examined;
  const findings: ({ readonly check: string } & CheckResult)[] = [];
  for (const { name, run } of checks) {
    const found = await attempt(() => run(examined));
    if (found !== undefined) findings.push({ check: name, ...found });
  }
  const failed = findings.find(({ result }) => result === 'fail');
  const { paint } = report;
  const paints = { pass: paint.good, warn: paint.warn, fail: paint.bad, skip: paint.dim };
  const words = findings.map(({ check, result, text, next = '' }) => [
    ...[paints[result](result), check, oneLine(text), oneLine(next)],
  ]);
  await report.show({
    document: {
      schema: 'paycli.doctor/1',
      ok: failed === undefined,
      profile: loaded === undefined ? null : (loaded.profile?.name ?? 'sandbox'),
      checks: findings,
    },
    list: 'checks',
    text: () =>
      report.columns(
        words.flatMap((row) => [
          row.slice(0, 3),
          ...(row[3] === '' ? [] : [['', '', `${paint.dim('do:')} ${row[3]}`]]),
        ]),
      ),
    sheet: () => ({
      columns: [
        { head: 'result' },
        { head: 'check' },
        { head: 'found', flexible: true },
        { head: 'do', flexible: true },
      ],
      rows: words,
    }),
  });
  if (failed === undefined) return exits.ok;
  report.becauseOfCheck(`${failed.check}: ${failed.text}`, failed.next);
  return exits.checkFailed;
}

/** Reads the configuration as far as it can be read. Throws LIVE_GUARD. */
async function examine(options: DoctorOptions, runtime: Runtime): Promise<Examined> {
  const read = await attempt(() => loadProfile({ profile: options.profile, overrides: options }, runtime));
  const loaded = 'result' in read ? undefined : read;
  const report = new Reporter(options, loaded, runtime);
  if ('result' in read) return { loaded, found: read, options, runtime, report, keys: undefined };
  const { profile, warnings, chosenBy } = read;
  if (profile !== undefined && (options.online === true || options.live === true)) checkLiveFlag(options, profile);
  const inUse =
    profile === undefined
      ? 'the built-in sandbox is used; `paycli init` sets up a profile'
      : `profile ${profile.name} (${profile.class}) at ${profile.baseUrl}, chosen by ${chosenBy}`;
  const found =
    warnings.length === 0
      ? pass(inUse)
      : warn(warnings.join('; '), 'correct it; `paycli help profiles` lists the variables');
  const keys = profile && new ProfileKeys(profile, runtime);
  return { loaded, found, options, runtime, report, keys };
}
