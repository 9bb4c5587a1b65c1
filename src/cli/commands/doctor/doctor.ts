import { type LoadedProfile, loadProfile, type Profile, readCaFile } from '../../../config/index.js';
import { exits } from '../../../errors/index.js';
import type { Paint, Runtime } from '../../../runtime/ports.js';
import { isLoopback } from '../../../wire/address.js';
import { defineCommand, type FlagsFor, on } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { connectionFlags, liveFlag, outputFlags } from '../../flags.js';
import type { Sheet } from '../../format/document.js';
import { oneLine } from '../../format/document.js';
import { checkLiveFlag } from '../../open-session.js';
import { findListening } from '../../sandbox-session.js';
import {
  checkCoreDumps,
  checkJournal,
  checkOutcomes,
  checkProxy,
  checkSandbox,
  checkStateFolder,
  checkTerminal,
  checkTls,
} from './machine-checks.js';
import { checkCaFile, checkControlKey, checkGatewayClock, checkPrivateKey } from './profile-checks.js';
import { type CheckResult, checkEngine, type Finding, failureOf, pass, skip, warn } from './runtime-check.js';

export interface DoctorOptions extends CommonOptions {
  readonly online?: boolean;
}

/** The configuration as far as it could be read. */
interface Examined {
  /** Undefined when it is invalid. */
  readonly loaded: LoadedProfile | undefined;
  readonly found: CheckResult;
}

type Check = (examined: Examined, options: DoctorOptions, runtime: Runtime) => Promise<CheckResult> | CheckResult;

/** A check of the profile; the built-in sandbox has its own keys and address. */
const profileCheck =
  (check: (profile: Profile, options: DoctorOptions, runtime: Runtime) => Promise<CheckResult> | CheckResult): Check =>
  ({ loaded }, options, runtime) => {
    if (loaded === undefined) return skip('fix the configuration first');
    return loaded.profile === undefined ? pass('from the built-in sandbox') : check(loaded.profile, options, runtime);
  };

export const checks: readonly (readonly [name: string, check: Check])[] = [
  ['runtime', (_, __, { processes }) => checkEngine(processes)],
  ['configuration', ({ found }) => found],
  ['control key', profileCheck((profile, _, runtime) => checkControlKey(profile, runtime))],
  ['private key', profileCheck((profile, _, runtime) => checkPrivateKey(profile, runtime))],
  ['authorities', profileCheck((profile, _, runtime) => checkCaFile(profile, runtime))],
  ['clock', findClockOf],
  ['journal', (_, __, runtime) => checkJournal(runtime)],
  ['outcomes', (_, __, runtime) => checkOutcomes(runtime)],
  ['sandbox', (_, __, runtime) => checkSandbox(runtime)],
  ['state folder', (_, __, runtime) => checkStateFolder(runtime)],
  ['tls', (_, __, { env }) => checkTls(env)],
  ['proxy', (_, __, runtime) => checkProxy(runtime)],
  ['dumps', (_, __, runtime) => checkCoreDumps(runtime)],
  ['terminal', (_, __, runtime) => checkTerminal(runtime)],
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
  const profile = examined.loaded?.profile;
  if (profile !== undefined && (options.online === true || options.live === true)) checkLiveFlag(options, profile);
  const report = new Reporter(options, examined.loaded, runtime);
  const findings: Finding[] = [];
  for (const [name, check] of checks) findings.push({ check: name, ...(await check(examined, options, runtime)) });
  if (options.online === true) findings.push(...(await onlineFindings(examined, findings, runtime)));
  const failed = findings.find(({ result }) => result === 'fail');
  const ok = failed === undefined;
  const name = examined.loaded === undefined ? null : (profile?.name ?? 'sandbox');
  await report.show({
    document: { schema: 'paycli.doctor/1', ok, profile: name, checks: findings.map(shownOf) },
    list: 'checks',
    text: () => report.columns(findings.flatMap((finding) => rowsOf(finding, report))),
    sheet: () => sheetOf(findings, report),
  });
  if (failed !== undefined) {
    report.noteStatus(failed.httpStatus);
    report.becauseOfCheck(`${failed.check}: ${failed.text}`, failed.next);
  }
  return ok ? exits.ok : exits.checkFailed;
}

export async function examine(options: DoctorOptions, runtime: Runtime): Promise<Examined> {
  try {
    const loaded = await loadProfile({ profile: options.profile, overrides: options }, runtime);
    const [first, ...others] = loaded.warnings;
    if (first !== undefined)
      return {
        loaded,
        found: warn([first, ...others].join('; '), 'correct it; `paycli help profiles` lists the variables'),
      };
    const { profile: chosen, chosenBy } = loaded;
    if (chosen === undefined)
      return { loaded, found: pass('the built-in sandbox is used; `paycli init` sets up a profile') };
    return {
      loaded,
      found: pass(`profile ${chosen.name} (${chosen.class}) at ${chosen.baseUrl}, chosen by ${chosenBy}`),
    };
  } catch (error) {
    return { loaded: undefined, found: failureOf(error) };
  }
}

/** The checks with signed requests; the built-in sandbox has its own keys. */
async function onlineFindings({ loaded }: Examined, before: readonly Finding[], runtime: Runtime): Promise<Finding[]> {
  if (loaded?.profile === undefined) return [];
  const { checkSchemesOnline } = await import('./online-checks.js');
  return checkSchemesOnline(loaded.profile, before, runtime);
}

async function findClockOf({ loaded }: Examined, { online }: DoctorOptions, runtime: Runtime): Promise<CheckResult> {
  if (loaded === undefined) return skip('fix the configuration first');
  const baseUrl = loaded.profile?.baseUrl ?? (await findListening(runtime))?.url;
  if (baseUrl === undefined) return pass('the built-in sandbox uses the clock of this machine');
  if (online !== true && !isLoopback(baseUrl))
    return skip(
      'no request was sent to the gateway',
      "add --online to compare its clock with this machine's and to check each key against it",
    );
  try {
    const caFile = loaded.profile?.caFile;
    return await checkGatewayClock(
      baseUrl,
      caFile === undefined ? undefined : readCaFile(caFile, runtime.files),
      runtime,
    );
  } catch (error) {
    return failureOf(error);
  }
}

function shownOf({ httpStatus: _, ...shown }: Finding): Finding {
  return shown;
}

function rowsOf({ check, result, text, next }: Finding, { paint }: Reporter): string[][] {
  const todo = next === undefined ? [] : [['', '', `${paint.dim('do:')} ${oneLine(next)}`]];
  return [[resultText(result, paint), check, oneLine(text)], ...todo];
}

function sheetOf(findings: readonly Finding[], { paint }: Reporter): Sheet {
  return {
    columns: [{ head: 'result' }, { head: 'check' }, { head: 'found', flexible: true }, { head: 'do', flexible: true }],
    rows: findings.map(({ check, result, text, next }) => [
      resultText(result, paint),
      check,
      oneLine(text),
      oneLine(next ?? ''),
    ]),
  };
}

function resultText(result: Finding['result'], paint: Paint): string {
  return { pass: paint.good, warn: paint.warn, fail: paint.bad, skip: paint.dim }[result](result);
}
