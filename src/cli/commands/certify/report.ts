import type { Certificate } from '../../../certify/certificate.js';
import type { Judgement, Scenario, Verdict } from '../../../certify/index.js';
import { fail, type PaycliError } from '../../../errors/index.js';
import type { Reporter } from '../../core/reporter.js';
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

/**
 * Prints the result, and notes the first scenario that counts against the run. With words, each had its line before.
 */
export async function reportCertificate(certificate: Certificate, report: Reporter): Promise<void> {
  await report.show({
    document: documentOf(certificate),
    list: 'scenarios',
    text: () => textOf(certificate, report),
    sheet: () => sheetOf(certificate.judged, report),
  });
}

/** The error that a run ends with whose scenarios did not all pass. */
export function errorOf({ worse }: Certificate): PaycliError | undefined {
  const failed = worse.find(({ verdict }) => verdict === 'failed');
  const [first] = worse;
  if (failed !== undefined)
    return fail('CHECK_FAILED', {
      why: `a check failed: ${failed.scenario.name}: ${failed.reasons[0] ?? ''}`,
      how: failed.scenario.should,
    });
  return first === undefined
    ? undefined
    : fail('NOT_JUDGED', {
        what: `scenario ${first.scenario.name}`,
        why: first.reasons[0] ?? '',
        name: first.scenario.name,
      });
}

function documentOf(certificate: Certificate) {
  const { judged, seconds, seed, paycli, at, driver, digest, verdict } = certificate;
  const worse = certificate.worse.map(({ scenario }) => scenario.name);
  const count = (word: Verdict) => judged.filter((each) => each.verdict === word).length;
  const counts = {
    passed: count('passed'),
    failed: count('failed'),
    unjudged: count('not judged'),
    notRun: count('not run'),
  };
  return {
    schema: 'paycli.certify/1',
    ok: worse.length === 0,
    verdict,
    ...counts,
    seconds: Math.round(seconds * 10) / 10,
    seed,
    paycli,
    at: new Date(at).toISOString(),
    command: driver,
    digest,
    worse,
    scenarios: judged.map((each) => ({
      ...{ name: each.scenario.name, tag: each.scenario.tag, title: each.scenario.title, verdict: each.verdict },
      ...{ reasons: each.reasons, should: each.scenario.should, why: each.scenario.why },
      said: each.runs.map(({ outcome }) => outcome ?? null),
      runs: each.runs.map(({ outcome = null, from = null, orderId = null, exit, ended, ms, errors }) => ({
        ...{ said: outcome, from, orderId, exit, ended, ms, errors },
      })),
      movements: each.movements.map(({ amount = null, currency = null, ...movement }) => ({
        ...movement,
        ...{ amount, currency },
      })),
      ...{ polls: each.polls, fivePollsMs: each.fivePollsMs ?? null, broken: each.broken, ms: each.ms },
      exchange: each.events.map(({ at: when, kind, title }) => ({ at: new Date(when).toISOString(), kind, title })),
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
        { head: 'result', flexible: true, min: 24 },
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

function textOf(certificate: Certificate, report: Reporter): string {
  const { judged, seconds, seed, worse, verdict } = certificate;
  const blocks = judged
    .filter((each) => each.verdict === 'failed' || each.verdict === 'not judged')
    .map((each) => blockOf(each, report));
  const paint = worse.length === 0 ? report.paint.good : report.paint.bad;
  return ['', ...blocks, `${paint(verdict)}; ${seconds.toFixed(0)} s; seed ${seed}\n`].join('\n');
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
export function junitOf({ judged }: Certificate): string {
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
