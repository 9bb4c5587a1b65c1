import { type LoadedProfile, loadProfile } from '../../../config/index.js';
import { exits, isPaycliError } from '../../../errors/index.js';
import { defineCommand, type FlagsFor, on } from '../../command.js';
import { Reporter } from '../../core/reporter.js';
import { connectionFlags, liveFlag, outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { checkLiveFlag, ProfileKeys } from '../../session.js';
import { type CheckResult, type DoctorOptions, machineChecks, profileChecks } from './checks.js';

export const doctor = defineCommand({
  heading: 'Tools:',
  summary: 'Check runtime, configuration, keys, clock, journal, open payments and disk',
  help: `Nothing secret is shown. Without --online no operation is sent.

With it, one request is sent for each key of the profile; a refusal fails the check. Each names an order that does not exist, so nothing changes.

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
  note: 'Without --online, only a sandbox or gateway on this machine is asked for its time. With it, one request for each key is sent, for an order that does not exist.',
  result: ['doctor'],
  async run({ flags: options, runtime }) {
    let loaded: LoadedProfile | undefined;
    const configuration = await attempt(async () => {
      loaded = await loadProfile({ profile: options.profile, overrides: options }, runtime);
      return judgeConfiguration(loaded);
    });
    const report = new Reporter(options, loaded, runtime);
    const profile = loaded?.profile;
    if (profile !== undefined && (options.online === true || options.live === true)) checkLiveFlag(options, profile);
    const examined = { options, runtime, report, keys: profile && new ProfileKeys(profile, runtime) };
    const checks = [
      ...Object.entries(profile === undefined ? {} : profileChecks).map(
        ([name, check]) => [name, () => profile && check(profile, examined)] as const,
      ),
      ...Object.entries(machineChecks).map(([name, check]) => [name, () => check(runtime, examined)] as const),
    ];
    const findings = [{ check: 'configuration', ...configuration }];
    for (const [check, run] of checks) {
      const found = await attempt(run);
      if (found !== undefined) findings.push({ check, ...found });
    }
    const failed = findings.find(({ result }) => result === 'fail');
    await report.show({
      document: {
        schema: 'paycli.doctor/1',
        ok: failed === undefined,
        profile: loaded === undefined ? null : (profile?.name ?? 'sandbox'),
        checks: findings,
      },
      list: 'checks',
      text: () => report.columns(findings.flatMap((finding) => linesOf(finding, report))),
    });
    if (failed === undefined) return exits.ok;
    report.becauseOfCheck(`${failed.check}: ${failed.text}`, failed.next);
    return exits.checkFailed;
  },
});

/** What goes wrong in a check is a finding; an error that is no PaycliError is a bug in paycli and is thrown on. */
async function attempt<T extends CheckResult | undefined>(work: () => Promise<T> | T): Promise<T | CheckResult> {
  try {
    return await work();
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    return { result: 'fail', text: error.message, next: error.next };
  }
}

function judgeConfiguration({ profile, warnings, chosenBy }: LoadedProfile): CheckResult {
  if (warnings.length > 0)
    return {
      result: 'warn',
      text: warnings.join('; '),
      next: 'correct it; `paycli help profiles` lists the variables',
    };
  if (profile === undefined)
    return { result: 'pass', text: 'the built-in sandbox is used; `paycli init` sets up a profile' };
  const { name, class: kind, baseUrl } = profile;
  return { result: 'pass', text: `profile ${name} (${kind}) at ${baseUrl}, chosen by ${chosenBy}` };
}

function linesOf(
  { check, result, text, next = '' }: { readonly check: string } & CheckResult,
  { paint }: Reporter,
): readonly (readonly string[])[] {
  const paints = { pass: paint.good, warn: paint.warn, fail: paint.bad, skip: paint.dim };
  const line = [paints[result](result), check, oneLine(text)];
  return next === '' ? [line] : [line, ['', '', `${paint.dim('do:')} ${oneLine(next)}`]];
}
