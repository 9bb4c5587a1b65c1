import { resolve } from 'node:path';
import type { Judgement, Scenario, Verdict } from '../../../certify/index.js';
import { fail, type PaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Reporter } from '../../core/reporter.js';
import { packageVersion } from '../../core/version.js';
import { oneLine } from '../../format/document.js';

/** One line while scenarios run; without colours, since a terminal escapes them in a line of progress. */
export function progressLine(done: readonly Judgement[], all: number): string {
  const failed = count(done, 'failed');
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
  const moved = movements.filter(({ status }) => status === 'approved').length;
  const times = moved === 0 ? 'no money moved' : moved === 1 ? 'money moved once' : `money moved ${moved} times`;
  return `${runs.map(({ outcome }) => outcome ?? '–').join(', ')}; ${times}`;
}

/** One run of certify. */
export interface CertifyRun {
  readonly judged: readonly Judgement[];
  readonly driver: readonly string[];
  readonly seconds: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Prints the result. With words, each scenario had its line before. */
export async function reportRun({ judged, driver, seconds, at }: CertifyRun, report: Reporter): Promise<void> {
  const verdict = verdictText(judged);
  await report.show({
    document: {
      schema: 'paycli.certify/1',
      ok: judged.every((each) => each.verdict === 'passed'),
      verdict,
      passed: count(judged, 'passed'),
      failed: count(judged, 'failed'),
      unjudged: count(judged, 'not judged'),
      notRun: count(judged, 'not run'),
      seconds: Math.round(seconds * 10) / 10,
      paycli: packageVersion,
      at: new Date(at).toISOString(),
      command: driver,
      scenarios: judged.map(scenarioDocument),
    },
    list: 'scenarios',
    text: () => {
      const blocks = judged
        .filter((each) => each.verdict === 'failed' || each.verdict === 'not judged')
        .map((each) => blockOf(each, report));
      const paint = errorOf(judged) === undefined ? report.paint.good : report.paint.bad;
      return ['', ...blocks, `${paint(verdict)}; ${seconds.toFixed(0)} s\n`].join('\n');
    },
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

function scenarioDocument({ scenario, verdict, reasons, runs, movements, errors, ms }: Judgement) {
  const { name, tag, title, should } = scenario;
  return {
    ...{ name, tag, title, verdict, reasons, should, ms },
    said: runs.map(({ outcome }) => outcome ?? null),
    movements: movements.map(({ amount = null, currency = null, ...movement }) => ({ ...movement, amount, currency })),
    errors,
  };
}

function markOf({ verdict }: Judgement, { paint }: Reporter): string {
  if (verdict === 'passed') return paint.good('✓');
  return verdict === 'failed' ? paint.bad('✗') : paint.warn('?');
}

function blockOf(each: Judgement, report: Reporter): string {
  const { scenario, reasons } = each;
  const { bold, dim, warn } = report.paint;
  return [
    `${markOf(each, report)} ${bold(scenario.name)}: ${scenario.title}`,
    ...reasons.map((reason) => `    ${warn('found:')} ${oneLine(reason)}`),
    `    correct: ${scenario.should}`,
    ...each.errors.map((line) => `    ${dim('stderr:')} ${oneLine(line)}`),
    '',
  ].join('\n');
}

/** JUnit XML for build servers, with a case for each scenario. */
function junitText(judged: readonly Judgement[]): string {
  const left = count(judged, 'not run');
  const failures = judged.length - left - count(judged, 'passed');
  const counts = `name="paycli certify" tests="${judged.length}" failures="${failures}" errors="0" skipped="${left}"`;
  const cases = judged.map(caseText).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n  <testsuite ${counts}>\n${cases}  </testsuite>\n</testsuites>\n`;
}

function caseText({ scenario, verdict, reasons, errors }: Judgement): string {
  const { tag, name, title, should } = scenario;
  const head = `    <testcase classname="certify.${tag}" name="${escaped(`${name}: ${title}`)}"`;
  if (verdict === 'passed') return `${head} />\n`;
  const message = `message="${escaped(reasons.join('; '))}"`;
  if (verdict === 'not run') return `${head}>\n      <skipped ${message} />\n    </testcase>\n`;
  const text = [verdict, `correct: ${should}`, ...errors.map((line) => `stderr: ${line}`)].join('\n');
  return `${head}>\n      <failure ${message} type="finding">${escaped(text)}</failure>\n    </testcase>\n`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML cannot contain become U+FFFD. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replace(/[&<>"]/g, (char) => entities[char] ?? char);
}

/** Writes the report for build servers. Throws STORAGE. */
export function writeJunit(given: string, judged: readonly Judgement[], { files }: Pick<Runtime, 'files'>): void {
  const path = resolve(files.folders.working, given);
  try {
    // Readable by whoever collects it.
    files.writeText(path, junitText(judged), 0o644);
  } catch (cause) {
    const how = 'name another file with --junit';
    throw fail('STORAGE', { what: path, why: 'it cannot be written', how }, { cause });
  }
}
