import { resolve } from 'node:path';
import type { Judgement, Scenario, Verdict } from '../../../certify/index.js';
import { fail, type PaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Reporter } from '../../core/reporter.js';
import { packageVersion } from '../../core/version.js';
import type { Sheet } from '../../format/document.js';
import { oneLine } from '../../format/document.js';
import { junit } from '../../format/junit.js';

export function listDocument(chosen: readonly Scenario[]) {
  return {
    schema: 'paycli.certify-list/1',
    scenarios: chosen.map(({ name, tag, title, should, why }) => ({ name, tag, title, should, why })),
  };
}

export function listSheet(chosen: readonly Scenario[], { paint }: Reporter): Sheet {
  return {
    columns: [{ head: 'scenario' }, { head: 'tag' }, { head: 'what happens', flexible: true }],
    rows: chosen.map(({ name, tag, title }) => [paint.name(name), tag, title]),
  };
}

/** One line while scenarios run; without colours, since a terminal escapes them in a line of progress. */
export function progressLine(done: readonly Judgement[], all: number): string {
  const failed = done.filter(({ verdict }) => verdict === 'failed').length;
  return `${done.length} of ${all} scenarios${failed === 0 ? '' : `, ${failed} failed`}`;
}

/** The line of a scenario that has just ended, in the columns of the lines before. */
export function judgedLine(each: Judgement, chosen: readonly Scenario[], report: Reporter): string {
  const longest = Math.max(...chosen.map(({ name }) => name.length));
  return report.columns([
    [
      markOf(each, report),
      each.scenario.name.padEnd(longest),
      `${(each.ms / 1000).toFixed(1)} s`.padStart(6),
      each.reasons.length === 0 ? endOf(each) : oneLine(each.reasons.join('; ')),
    ],
  ]);
}

/** What a client said, and what the ledger has. */
function endOf({ runs, movements }: Judgement): string {
  const count = movements.filter(({ status }) => status === 'approved').length;
  const moved = count === 0 ? 'no money moved' : count === 1 ? 'money moved once' : `money moved ${count} times`;
  return `${runs.map(({ outcome }) => outcome ?? '–').join(', ')}; ${moved}`;
}

/** One run of certify. */
export interface CertifyRun {
  readonly judged: readonly Judgement[];
  readonly driver: readonly string[];
  readonly seconds: number;
  /** Of the random moments. */
  readonly seed: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Prints the result. With words, each scenario had its line before. */
export async function reportRun(run: CertifyRun, report: Reporter): Promise<void> {
  await report.show({
    document: documentOf(run),
    list: 'scenarios',
    text: () => textOf(run, report),
    sheet: () => sheetOf(run.judged, report),
  });
}

/** The error that a run ends with whose scenarios did not all pass. */
export function errorOf(judged: readonly Judgement[]): PaycliError | undefined {
  const failed = judged.find(({ verdict }) => verdict === 'failed');
  const first = judged.find(({ verdict }) => verdict !== 'passed');
  if (failed !== undefined)
    return fail('CHECK_FAILED', {
      why: `a check failed: ${failed.scenario.name}: ${failed.reasons[0] ?? ''}`,
      how: failed.scenario.should,
    });
  if (first === undefined) return undefined;
  const { name } = first.scenario;
  return fail('NOT_JUDGED', { what: `scenario ${name}`, why: first.reasons[0] ?? '', name });
}

function count(judged: readonly Judgement[], word: Verdict): number {
  return judged.filter(({ verdict }) => verdict === word).length;
}

/** In a few words. */
function verdictText(judged: readonly Judgement[]): string {
  const [failed, open, left] = [count(judged, 'failed'), count(judged, 'not judged'), count(judged, 'not run')];
  const parts = [
    ...(failed === 0 ? [] : [`${failed} of ${judged.length} failed`]),
    ...(open === 0 ? [] : [`${open} could not be judged`]),
    ...(left === 0 ? [] : [`${left} of ${judged.length} not run`]),
  ];
  return parts.length === 0 ? `all ${judged.length} scenarios passed` : parts.join(', ');
}

function documentOf({ judged, driver, seconds, seed, at }: CertifyRun) {
  return {
    schema: 'paycli.certify/1',
    ok: judged.every(({ verdict }) => verdict === 'passed'),
    verdict: verdictText(judged),
    passed: count(judged, 'passed'),
    failed: count(judged, 'failed'),
    unjudged: count(judged, 'not judged'),
    notRun: count(judged, 'not run'),
    seconds: Math.round(seconds * 10) / 10,
    seed,
    paycli: packageVersion,
    at: new Date(at).toISOString(),
    command: driver,
    scenarios: judged.map(scenarioDocument),
  };
}

function scenarioDocument(each: Judgement) {
  const { name, tag, title, should, why } = each.scenario;
  return {
    ...{ name, tag, title, verdict: each.verdict, reasons: each.reasons, should, why },
    said: each.runs.map(({ outcome }) => outcome ?? null),
    runs: each.runs.map(({ outcome = null, from = null, orderId = null, exit, ended, ms, errors }) => ({
      ...{ said: outcome, from, orderId, exit, ended, ms, errors },
    })),
    movements: each.movements.map(({ amount = null, currency = null, ...movement }) => ({
      ...movement,
      ...{ amount, currency },
    })),
    ...{ polls: each.polls, fivePollsMs: each.fivePollsMs ?? null, broken: each.broken, ms: each.ms },
    exchange: each.events.map(({ at: when, kind, title: what }) => ({
      ...{ at: new Date(when).toISOString(), kind, title: what },
    })),
  };
}

const marks: Readonly<Record<Verdict, string>> = { passed: '✓', failed: '✗', 'not judged': '?', 'not run': '–' };

function sheetOf(judged: readonly Judgement[], report: Reporter): Sheet {
  return {
    columns: [
      ...[{ head: '' }, { head: 'scenario' }, { head: 'said' }, { head: 'moved', right: true }],
      ...[
        { head: 's', right: true },
        { head: 'result', flexible: true },
      ],
    ],
    rows: judged.map((each) => [
      markOf(each, report),
      each.scenario.name,
      each.runs.map(({ outcome }) => outcome ?? '–').join(', '),
      String(each.movements.filter(({ status }) => status === 'approved').length),
      (each.ms / 1000).toFixed(1),
      oneLine(each.reasons.length === 0 ? each.verdict : each.reasons.join('; ')),
    ]),
  };
}

function markOf({ verdict }: Judgement, { paint }: Reporter): string {
  if (verdict === 'passed') return paint.good(marks.passed);
  return verdict === 'failed' ? paint.bad(marks.failed) : paint.warn(marks[verdict]);
}

function textOf({ judged, seconds, seed }: CertifyRun, report: Reporter): string {
  const blocks = judged
    .filter((each) => each.verdict === 'failed' || each.verdict === 'not judged')
    .map((each) => blockOf(each, report));
  const paint = errorOf(judged) === undefined ? report.paint.good : report.paint.bad;
  return ['', ...blocks, `${paint(verdictText(judged))}; ${seconds.toFixed(0)} s; seed ${seed}\n`].join('\n');
}

function blockOf(each: Judgement, report: Reporter): string {
  const { scenario, reasons } = each;
  const { bold, dim, warn } = report.paint;
  return [
    `${markOf(each, report)} ${bold(scenario.name)}: ${scenario.title}`,
    ...reasons.map((reason) => `    ${warn('found:')} ${oneLine(reason)}`),
    `    correct: ${scenario.should}`,
    `    otherwise: ${scenario.why}`,
    ...each.errors.map((line) => `    ${dim('stderr:')} ${oneLine(line)}`),
    '',
  ].join('\n');
}

/** One case for each scenario. */
function junitText(judged: readonly Judgement[]): string {
  return junit(
    'paycli certify',
    judged.map((each) => {
      const { scenario, verdict, reasons } = each;
      const test = { name: `${scenario.name}: ${scenario.title}`, group: `certify.${scenario.tag}`, failures: [] };
      if (verdict === 'passed') return test;
      const message = reasons.join('; ');
      if (verdict === 'not run') return { ...test, skipped: message };
      const errors = each.errors.map((line) => `stderr: ${line}`);
      const text = [verdict, `correct: ${scenario.should}`, `otherwise: ${scenario.why}`, ...errors].join('\n');
      return { ...test, failures: [{ message, text }] };
    }),
  );
}

/** Opens the file before anything runs: a run of a minute must not end without its report. Throws STORAGE. */
export function openJunit(given: string, { files }: Pick<Runtime, 'files'>) {
  const path = resolve(files.folders.working, given);
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw fail(
        'STORAGE',
        { what: path, why: 'it cannot be written', how: 'name another file with --junit' },
        { cause },
      );
    }
  };
  const staged = attempt(() => {
    if (files.facts(path)?.isFile === false) throw new Error('it is not a regular file');
    // Readable by whoever collects it.
    return files.stage(path, 0o644);
  });
  return {
    write: (judged: readonly Judgement[]) =>
      attempt(() => {
        staged.write(junitText(judged));
        staged.keep();
      }),
    /** What was not written leaves no file. */
    drop: () => staged.drop(),
  };
}
