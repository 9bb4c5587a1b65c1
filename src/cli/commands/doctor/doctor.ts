import { loadProfile } from '../../../config/index.js';
import { exits } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, type FlagsFor, on } from '../../command.js';
import { Reporter } from '../../core/reporter.js';
import { connectionFlags, liveFlag, outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { checkLiveFlag, ProfileKeys } from '../../open-session.js';
import { attempt, type Check, type DoctorOptions, type Examined, type Finding, pass, skip, warn } from './finding.js';
import { machineChecks } from './machine-checks.js';
import { onlineChecks } from './online-checks.js';
import { profileChecks } from './profile-checks.js';

const checks: readonly Check[] = [
  ...machineChecks.slice(0, 1),
  { name: 'configuration', level: 'machine', run: ({ found }) => found },
  ...profileChecks,
  ...machineChecks.slice(1),
  ...onlineChecks,
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
  const findings = await runChecks(examined);
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
      checks: findings.map(({ httpStatus: _, ...shown }) => shown),
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
  report.noteStatus(failed.httpStatus);
  report.becauseOfCheck(`${failed.check}: ${failed.text}`, failed.next);
  return exits.checkFailed;
}

/** Reads the configuration as far as it can be read. Throws LIVE_GUARD. */
export async function examine(options: DoctorOptions, runtime: Runtime): Promise<Omit<Examined, 'before'>> {
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
  const keys = profile && new ProfileKeys(profile, false, runtime);
  return { loaded, found, options, runtime, report, keys };
}

/** Runs the checks but those that are omitted. */
export async function runChecks(
  examined: Omit<Examined, 'before'>,
  omitted: readonly string[] = [],
): Promise<Finding[]> {
  const { loaded, options } = examined;
  const before: Finding[] = [];
  for (const { name, level, run } of checks) {
    if (omitted.includes(name) || (level === 'online' && (options.online !== true || loaded?.profile === undefined)))
      continue;
    const found = await attempt(() => {
      if (level === 'machine') return run({ ...examined, before }, undefined as never);
      if (loaded === undefined) return skip('fix the configuration first');
      if (loaded.profile === undefined) return pass('from the built-in sandbox');
      return run({ ...examined, before }, loaded.profile);
    });
    if (found !== undefined) before.push({ check: name, ...found });
  }
  return before;
}
