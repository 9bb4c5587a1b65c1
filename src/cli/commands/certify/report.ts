import type { Certificate } from '../../../certify/certificate.js';
import type { Judgement, Scenario, Verdict } from '../../../certify/index.js';
import type { Reporter } from '../../core/reporter.js';
import type { Sheet } from '../../format/document.js';
import { junit } from '../../format/junit.js';
import { oneLine } from '../../format/table.js';

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

/** One line while scenarios run. */
export function progressLine(done: readonly Judgement[], all: number, { errPaint }: Reporter): string {
  const failed = done.filter(({ verdict }) => verdict === 'failed').length;
  const last = done.at(-1)?.scenario.name;
  const bad = failed === 0 ? '' : `, ${errPaint.bad(`${failed} failed`)}`;
  return `${done.length} of ${all} scenarios${bad}${last === undefined ? '' : `; last: ${last}`}`;
}

/** Prints the result, and notes the first scenario that counts against the run. */
export async function reportCertificate(certificate: Certificate, report: Reporter): Promise<void> {
  const { judged, worse } = certificate;
  await report.show({
    document: documentOf(certificate),
    list: 'scenarios',
    text: () => textOf(certificate, report),
    sheet: () => sheetOf(judged, report),
  });
  const [first] = worse.toSorted((one, other) => rankOf(other) - rankOf(one));
  if (first !== undefined)
    report.becauseOfCheck(`${first.scenario.name}: ${first.reasons[0] ?? first.verdict}`, first.scenario.should);
}

function rankOf({ verdict }: Judgement): number {
  return verdict === 'failed' ? 1 : 0;
}

function documentOf(certificate: Certificate) {
  const { judged, seconds, paycli, at, driver, digest, verdict } = certificate;
  const worse = certificate.worse.map(({ scenario }) => scenario.name);
  const count = (word: Verdict) => judged.filter((each) => each.verdict === word).length;
  const counts = { passed: count('passed'), failed: count('failed'), unjudged: count('not judged') };
  return {
    schema: 'paycli.certify/1',
    ok: worse.length === 0,
    verdict,
    ...counts,
    seconds: Math.round(seconds * 10) / 10,
    paycli,
    at: new Date(at).toISOString(),
    command: driver,
    digest,
    worse,
    scenarios: judged.map((each) => ({
      ...{ name: each.scenario.name, tag: each.scenario.tag, title: each.scenario.title, verdict: each.verdict },
      ...{ reasons: each.reasons, should: each.scenario.should, why: each.scenario.why },
      said: each.said.map((word) => word ?? null),
      movements: each.movements.map(({ amount = null, currency = null, ...movement }) => ({
        ...movement,
        ...{ amount, currency },
      })),
      ...{ polls: each.polls, fivePollsMs: each.fivePollsMs ?? null, broken: each.broken, ms: each.ms },
      exchange: each.events.map(({ at: when, kind, title }) => ({ at: new Date(when).toISOString(), kind, title })),
    })),
  };
}

const marks: Readonly<Record<Verdict, string>> = { passed: '✓', failed: '✗', 'not judged': '?' };

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
      each.said.map((word) => word ?? '–').join(', '),
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
  const { judged, seconds, worse, verdict } = certificate;
  const blocks = judged.filter(({ verdict }) => verdict !== 'passed').map((each) => blockOf(each, report));
  const paint = worse.length === 0 ? report.paint.good : report.paint.bad;
  const end = `${paint(verdict)}; ${seconds.toFixed(0)} s\n`;
  return [report.sheet(sheetOf(judged, report)), ...blocks, end].join('\n');
}

function blockOf(each: Judgement, report: Reporter): string {
  const { scenario, reasons } = each;
  return [
    `${markOf(each, report)} ${report.paint.bold(scenario.name)}: ${scenario.title}`,
    ...reasons.map((reason) => `    ${report.paint.warn('found:')} ${oneLine(reason)}`),
    `    right: ${scenario.should}`,
    `    else:  ${scenario.why}`,
    '',
  ].join('\n');
}

/** One case for each scenario. */
export function junitOf({ judged }: Certificate): string {
  return junit(
    'paycli certify',
    judged.map(({ scenario, verdict, reasons }) => ({
      name: `${scenario.name}: ${scenario.title}`,
      group: `certify.${scenario.tag}`,
      failures:
        verdict === 'passed'
          ? []
          : [
              {
                message: reasons.join('; '),
                text: `${verdict}\ncorrect: ${scenario.should}\notherwise: ${scenario.why}`,
              },
            ],
    })),
  );
}
