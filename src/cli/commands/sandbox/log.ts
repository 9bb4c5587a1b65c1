import { exits } from '../../../errors/index.js';
import type { Finding } from '../../../sandbox/audit/report.js';
import type { LoggedEvent } from '../../../sandbox/log.js';
import type { Store } from '../../../sandbox/store.js';
import { stageText } from '../../../spec/transaction-words.js';
import { defineCommand, on, word } from '../../command.js';
import type { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { oneLine, type Sheet } from '../../format/document.js';
import { withSandbox } from '../../sandbox-session.js';

/** The newest. */
const shown = 200;

export const sandboxLog = defineCommand({
  summary:
    'Show what happened: requests with their signature checks, stages, callbacks, pages, or what clients did wrong',
  flags: {
    order: word('<id>', "only one order, by the gateway's id or your client order id"),
    findings: on('the audit: mistakes of clients, and how to fix them; exit 11 if there are any'),
    ...outputFlags,
  },
  conflicts: [['findings', 'order']],
  examples: ['sandbox log --order order-1', 'sandbox log --findings'],
  effect: 'local',
  result: ['log', 'audit'],
  run: ({ flags: { order, findings, ...flags }, runtime }) =>
    withSandbox(flags, runtime, async ({ store }, report) => {
      if (findings === true) return showFindings(store, report);
      const { readEvents } = await import('../../../sandbox/log.js');
      const events = readEvents(store, { order, limit: shown });
      await report.show({
        document: { schema: 'paycli.log/1', events: events.map(eventDocument) },
        list: 'events',
        sheet: () => eventSheet(events, report),
        empty: 'the log has nothing on this',
      });
      if (events.length === shown) report.notes([`only the newest ${shown} events; --order shows those of one order`]);
      return exits.ok;
    }),
});

function eventDocument({ at, machineAt, fields, ...event }: LoggedEvent) {
  const { orderId = null, login = null } = event;
  const times = { at: isoTime(at), machineAt: isoTime(machineAt) };
  return { schema: 'paycli.event/1', ...event, orderId, login, ...times, fields: Object.fromEntries(fields) };
}

function eventSheet(events: readonly LoggedEvent[], report: Reporter): Sheet {
  const { paint } = report;
  return {
    columns: [
      ...[{ head: 'time' }, { head: 'kind' }, { head: 'order' }],
      ...['what', 'facts'].map((head) => ({ head, flexible: true as const })),
    ],
    rows: events.map((event) => {
      const { at, kind, orderId = '', title } = event;
      // In the words of the command line, where it is a stage of a transaction.
      const what = (kind === 'stage' ? stageText(title) : undefined) ?? title;
      const shownKind = kind === 'refusal' ? paint.bad(kind) : paint.name(kind);
      return [report.time(at), shownKind, orderId, oneLine(what), factsOf(event).join(', ')];
    }),
  };
}

function factsOf({ detail: { status, signature, ms } }: LoggedEvent): string[] {
  const facts = [status === undefined ? '' : `HTTP ${status}`, signature ?? '', ms === undefined ? '' : `${ms} ms`];
  return facts.filter((fact) => fact !== '');
}

/** Reports what the sandbox's clients did wrong; exit 11 if there is anything. */
async function showFindings(store: Store, report: Reporter): Promise<number> {
  const { audit } = await import('../../../sandbox/audit/report.js');
  const findings = audit(store);
  await report.show({
    document: { schema: 'paycli.audit/1', ok: findings.length === 0, findings: findings.map(findingDocument) },
    list: 'findings',
    text: () => findings.map((finding) => findingText(finding, report)).join('\n'),
    empty: 'no findings: the clients have made no mistakes so far',
  });
  const [first] = findings;
  if (first === undefined) return exits.ok;
  report.becauseOfCheck(`${first.rule}: ${first.title}`, first.fix);
  return exits.checkFailed;
}

function findingDocument({ firstAt, lastAt, request, ...finding }: Finding) {
  const shown = request && {
    line: request.line,
    headers: Object.fromEntries(request.headers),
    fields: Object.fromEntries(request.fields),
  };
  return { ...finding, firstAt: isoTime(firstAt), lastAt: isoTime(lastAt), request: shown ?? null };
}

function findingText(finding: Finding, { paint }: Reporter): string {
  const { rule, title, fix, detail, count, lastAt, orders, request } = finding;
  const pairs = request === undefined ? [] : [...request.headers, ...request.fields];
  const facts = [
    detail,
    `${count === 1 ? 'once' : `${count} times`}, last ${isoTime(lastAt)}${orders.length === 0 ? '' : `; orders ${orders.join(', ')}`}`,
    ...(request === undefined ? [] : [request.line]),
    ...pairs.map(([name, value]) => `  ${name}: ${value}`),
  ];
  const lines = [`${paint.bad(rule)}  ${paint.bold(title)}`, ...facts.map((line) => `  ${oneLine(line)}`)];
  return `${lines.join('\n')}\n  ${paint.good('fix:')} ${fix}\n`;
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
