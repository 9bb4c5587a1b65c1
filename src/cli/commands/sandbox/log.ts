import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { LoggedEvent } from '../../../sandbox/log.js';
import { stageText } from '../../../spec/transaction-words.js';
import { defineCommand, on, word } from '../../command.js';
import type { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { type Document, oneLine, type Sheet } from '../../format/document.js';
import { timeText } from '../../format/time.js';
import { withSandbox } from './with-sandbox.js';

const command = 'sandbox log';
const pollEveryMs = 250;
const maxAtOnce = 1000;

export const sandboxLog = defineCommand({
  summary:
    'Show what happened: requests with their signature checks, stages, callbacks, pages, or what clients did wrong',
  flags: {
    order: word('<id>', "only one order, by the gateway's id or your client order id"),
    limit: word('<number>', 'show only the newest, at most this many (200)'),
    follow: on('keep showing new entries until Ctrl-C'),
    findings: on('the audit: mistakes of clients, and how to fix them; exit 11 if there are any'),
    since: word('<time>', 'with --findings: since 2030-01-31T12:00:00Z, today or yesterday (UTC), or 1d, 2h, 10m ago'),
    junit: on('with --findings: print them as JUnit XML, one case per rule'),
    ...outputFlags,
  },
  needs: { since: ['findings'], junit: ['findings'] },
  conflicts: [
    ...(['order', 'limit', 'follow'] as const).map((flag) => ['findings', flag] as const),
    ['junit', 'output'],
  ],
  examples: ['sandbox log --order order-1', 'sandbox log --findings --since 1h'],
  effect: 'local',
  result: ['log', 'audit'],
  run: ({ flags, runtime }) => {
    const { order, findings, limit: typed = '200', junit = false } = flags;
    const limit = /^[1-9]\d{0,5}$/.test(typed) ? Number(typed) : 0;
    if (limit === 0) throw fail('USAGE', { why: '--limit: use a whole number from 1 to 999999', command });
    return withSandbox(flags, runtime, async ({ store }, report) => {
      if (findings === true) {
        const { showFindings, sinceTime } = await import('./findings.js');
        return showFindings(store, { since: sinceTime(flags.since, runtime.clock.now()), isJunit: junit }, report);
      }
      const { readEvents } = await import('../../../sandbox/log.js');
      const events = readEvents(store, { order, limit });
      if (flags.follow !== true) await showAll(events, order, report);
      else {
        const print = async (more: readonly LoggedEvent[]) => {
          for (const event of more) await report.event(documentOf(event), textLine(event, report));
          return more.at(-1)?.id;
        };
        await follow((await print(events)) ?? 0, runtime, (after) =>
          print(readEvents(store, { order, after, limit: maxAtOnce })),
        );
      }
      return 0;
    });
  },
});

function showAll(events: readonly LoggedEvent[], order: string | undefined, report: Reporter): Promise<void> {
  return report.show({
    document: { schema: 'paycli.log/1', events: events.map(documentOf) },
    list: 'events',
    sheet: () => sheetOf(events, report),
    empty:
      order === undefined
        ? 'nothing has happened in this sandbox yet; try `paycli sale --amount 10.42 --currency USD --test-card approved --profile sandbox`'
        : 'the log has nothing on this order; `paycli sandbox log` shows all',
  });
}

function sheetOf(events: readonly LoggedEvent[], report: Reporter): Sheet {
  return {
    columns: [
      ...[{ head: 'time' }, { head: 'kind' }, { head: 'order' }],
      ...[
        { head: 'what', flexible: true },
        { head: 'facts', flexible: true },
      ],
    ],
    rows: events.map((event) => [
      ...[report.time(event.at), paintOf(event, report)(event.kind), event.orderId ?? ''],
      ...[titleText(event), factsOf(event).join(', ')],
    ]),
  };
}

/** Until SIGINT or SIGTERM. */
async function follow(
  shown: number,
  { clock, processes }: Runtime,
  more: (after: number) => Promise<number | undefined>,
): Promise<void> {
  let isStopped = false;
  const unlisten = processes.onStop(() => {
    isStopped = true;
  });
  let after = shown;
  while (!isStopped) {
    await clock.sleep(pollEveryMs);
    after = (await more(after)) ?? after;
  }
  unlisten();
}

function documentOf({ at, machineAt, fields, ...event }: LoggedEvent): Document {
  const { orderId = null, login = null } = event;
  const times = { at: new Date(at).toISOString(), machineAt: new Date(machineAt).toISOString() };
  return { schema: 'paycli.event/1', ...event, orderId, login, ...times, fields: Object.fromEntries(fields) };
}

function textLine(event: LoggedEvent, report: Reporter): string {
  const { paint } = report;
  const facts = factsOf(event);
  const behind = facts.length === 0 ? '' : `  ${paint.dim(`(${facts.join(', ')})`)}`;
  const cells = [
    paint.dim(timeText(event.at)),
    paintOf(event, report)(event.kind.padEnd(8)),
    (event.orderId ?? '-').padEnd(9),
    titleText(event),
  ];
  return `${cells.join('  ')}${behind}\n`;
}

/** In the words of the command line, where it is a stage of a transaction. */
function titleText({ kind, title }: LoggedEvent): string {
  return oneLine((kind === 'stage' ? stageText(title) : undefined) ?? title);
}

function paintOf({ kind }: LoggedEvent, { paint }: Reporter): (text: string) => string {
  return kind === 'refusal' ? paint.bad : paint.name;
}

function factsOf({ detail: { status, signature, ms } }: LoggedEvent): string[] {
  const facts = [
    status === undefined ? undefined : `HTTP ${status}`,
    signature,
    ms === undefined ? undefined : `${ms} ms`,
  ];
  return facts.filter((fact) => fact !== undefined);
}
