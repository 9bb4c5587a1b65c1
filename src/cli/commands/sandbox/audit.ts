import { exits, fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Finding } from '../../../sandbox/audit/report.js';
import { readDuration } from '../../../wire/time.js';
import { defineCommand, type FlagsFor, on, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import type { Sheet } from '../../format/document.js';
import { oneLine } from '../../format/document.js';
import { junit } from '../../format/junit.js';
import { openLocalSandbox } from '../../sandbox-session.js';

interface AuditOptions extends CommonOptions {
  readonly junit?: boolean;
  readonly since?: string;
}

export const sandboxAudit = defineCommand({
  summary: 'Audit report: client mistakes so far, and how to fix them; exit 11 if there are findings',
  flags: {
    since: word('<time>', 'only since this time: 2030-01-31T12:00:00Z, today or yesterday (UTC), or 1d, 2h, 10m ago'),
    junit: on('print the report as JUnit XML'),
    ...outputFlags,
  } satisfies FlagsFor<AuditOptions>,
  effect: 'local',
  result: ['audit'],
  run: ({ flags, runtime }) => runSandboxAudit(flags as AuditOptions, runtime),
});

type Rules = Readonly<Record<string, { readonly title: string }>>;

/** Reports what the sandbox's clients did wrong; exit 11 if there is anything. */
async function runSandboxAudit(options: AuditOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  if (options.junit === true && (options.output ?? 'text') !== 'text')
    throw fail('USAGE', { why: 'use either --output or --junit', command: 'sandbox audit' });
  const since = options.since === undefined ? 0 : sinceTime(options.since, runtime.clock.now());
  const { audit, rules } = await import('../../../sandbox/audit/report.js');
  const sandbox = await openLocalSandbox(runtime);
  try {
    const findings = audit(sandbox.store, since);
    if (options.junit === true) report.out(junit('paycli sandbox audit', casesOf(findings, rules)));
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
  } finally {
    sandbox.close();
  }
}

const dayMs = 86_400_000;

/** A duration ago, today or yesterday in UTC, or a time of ISO 8601. Throws USAGE. */
function sinceTime(text: string, now: number): number {
  const midnight = now - (now % dayMs);
  if (text === 'today') return midnight;
  if (text === 'yesterday') return midnight - dayMs;
  const ago = readDuration(text);
  if (ago !== undefined) return now - ago;
  const time = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(time))
    throw fail('USAGE', {
      why: '--since: use 2030-01-31, 2030-01-31T12:00:00Z, today or yesterday (UTC), or 7d, 12h, 30m, 90s ago',
      command: 'sandbox audit',
    });
  return time;
}

function documentOf({ firstAt, lastAt, request, ...finding }: Finding) {
  return {
    ...finding,
    firstAt: isoTime(firstAt),
    lastAt: isoTime(lastAt),
    request:
      request === undefined
        ? null
        : {
            line: request.line,
            headers: Object.fromEntries(request.headers),
            fields: Object.fromEntries(request.fields),
          },
  };
}

/** One case per rule, so that a report of a later run has the same cases. */
function casesOf(findings: readonly Finding[], rules: Rules) {
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
  return [
    detail,
    `${times(count)}, ${when}${orders.length === 0 ? '' : `; orders ${orders.join(', ')}`}`,
    ...(request === undefined
      ? []
      : [request.line, ...[...request.headers, ...request.fields].map(([name, value]) => `  ${name}: ${value}`)]),
  ];
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
