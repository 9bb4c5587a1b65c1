import { exits, fail } from '../../../errors/index.js';
import type { Finding } from '../../../sandbox/audit/report.js';
import type { Store } from '../../../sandbox/store.js';
import { readDuration } from '../../../wire/time.js';
import type { Reporter } from '../../core/reporter.js';
import { oneLine, type Sheet } from '../../format/document.js';
import { junit } from '../../format/junit.js';

/** Reports what the sandbox's clients did wrong; exit 11 if there is anything. */
export async function showFindings(
  store: Store,
  { since, isJunit }: { readonly since: number; readonly isJunit: boolean },
  report: Reporter,
): Promise<number> {
  const { audit, rules } = await import('../../../sandbox/audit/report.js');
  const findings = audit(store, since);
  if (isJunit) report.out(junit('paycli sandbox log --findings', casesOf(findings, rules)));
  else
    await report.show({
      document: { schema: 'paycli.audit/1', ok: findings.length === 0, findings: findings.map(documentOf) },
      list: 'findings',
      text: () => textOf(findings, report),
      sheet: () => sheetOf(findings, report),
      empty: 'no findings: the clients have made no mistakes so far',
    });
  const [first] = findings;
  if (first === undefined) return exits.ok;
  report.becauseOfCheck(`${first.rule}: ${first.title}`, first.fix);
  return exits.checkFailed;
}

const dayMs = 86_400_000;

/** A duration ago, today or yesterday in UTC, or a time of ISO 8601; all time where left out. Throws USAGE. */
export function sinceTime(text: string | undefined, now: number): number {
  if (text === undefined) return 0;
  const midnight = now - (now % dayMs);
  if (text === 'today') return midnight;
  if (text === 'yesterday') return midnight - dayMs;
  const ago = readDuration(text);
  if (ago !== undefined) return now - ago;
  const time = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw fail('USAGE', {
    why: '--since: use 2030-01-31, 2030-01-31T12:00:00Z, today or yesterday (UTC), or 7d, 12h, 30m, 90s ago',
    command: 'sandbox log',
  });
}

function documentOf({ firstAt, lastAt, request, ...finding }: Finding) {
  const shown = request && {
    line: request.line,
    headers: Object.fromEntries(request.headers),
    fields: Object.fromEntries(request.fields),
  };
  return { ...finding, firstAt: isoTime(firstAt), lastAt: isoTime(lastAt), request: shown ?? null };
}

/** One case per rule, so that a report of a later run has the same cases. */
function casesOf(findings: readonly Finding[], rules: Readonly<Record<string, { readonly title: string }>>) {
  return Object.entries(rules).map(([id, { title }]) => ({
    name: `${id}: ${title}`,
    group: 'sandbox.audit',
    failures: findings
      .filter(({ rule }) => rule === id)
      .map((finding) => ({
        message: `${finding.detail} (${times(finding.count)})`,
        text: [...factsOf(finding), `fix: ${finding.fix}`].join('\n'),
      })),
  }));
}

function textOf(findings: readonly Finding[], { paint }: Reporter): string {
  const blocks = findings.map((finding) =>
    [
      `${paint.bad(finding.rule)}  ${paint.bold(finding.title)}`,
      ...factsOf(finding).map((line) => `  ${oneLine(line)}`),
      `  ${paint.good('fix:')} ${finding.fix}`,
      '',
    ].join('\n'),
  );
  return `${blocks.join('\n')}\n${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}\n`;
}

function sheetOf(findings: readonly Finding[], report: Reporter): Sheet {
  return {
    columns: [
      ...[{ head: 'rule' }, { head: 'times', right: true }, { head: 'last' }, { head: 'what', flexible: true }],
      { head: 'fix', flexible: true, optional: true },
    ],
    rows: findings.map(({ rule, title, count, lastAt, fix }) => [
      ...[report.paint.bad(rule), String(count), report.time(lastAt), oneLine(title), oneLine(fix)],
    ]),
  };
}

function factsOf({ detail, count, firstAt, lastAt, orders, request }: Finding): string[] {
  const when = firstAt === lastAt ? `at ${isoTime(firstAt)}` : `first ${isoTime(firstAt)}, last ${isoTime(lastAt)}`;
  const pairs = request === undefined ? [] : [...request.headers, ...request.fields];
  return [
    detail,
    `${times(count)}, ${when}${orders.length === 0 ? '' : `; orders ${orders.join(', ')}`}`,
    ...(request === undefined ? [] : [request.line, ...pairs.map(([name, value]) => `  ${name}: ${value}`)]),
  ];
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
