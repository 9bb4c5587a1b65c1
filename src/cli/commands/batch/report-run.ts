import { type PlanHead, rowsText, totalsText } from '../../../batch/plan.js';
import { countsText, type StateSummary, type StateTally, stateDocuments } from '../../../batch/progress.js';
import type { RunEvent } from '../../../batch/run-ports.js';
import { stateClause } from '../../../payments/words.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Reporter } from '../../core/reporter.js';
import { sandboxMark } from '../../format/meaning.js';
import { durationText } from '../../format/time.js';
import { stateRows } from './plan-text.js';

const lineEveryMs = 10_000;
const maxRemarks = 20;

/**
 * Reports a run while it goes on: a progress line on a terminal, events for programs, now and then a remark elsewhere.
 * Of many rows that went wrong, people read the first few, and the rest in the report.
 */
export function reportEvents(
  head: PlanHead,
  counters: StateTally,
  report: Reporter,
  { clock, terminal }: Runtime,
): (event: RunEvent) => void {
  const from = clock.monotonic();
  let [lastLine, remarks] = [from, 0];
  const line = () => progressText(head, counters, (clock.monotonic() - from) / 1000);
  const note = (text: string, what: RunEvent['what']) => {
    if (what === 'row' || what === 'left') remarks += 1;
    if (remarks <= maxRemarks || what === 'halt' || what === 'pause') report.notes([text]);
    else if (remarks === maxRemarks + 1)
      report.notes([`for the other rows: \`paycli batch show ${head.id} --out ${head.id}\``]);
  };
  report.progress(line);
  return (event) => {
    if (report.form === 'ndjson')
      return void report.event({ schema: 'paycli.batch-event/1', plan: head.id, ...documentAbout(event) }, '');
    const remark = remarkAbout(event);
    if (remark !== undefined) note(remark, event.what);
    const now = clock.monotonic();
    if (terminal.isErrTty || now - lastLine < lineEveryMs) return;
    lastLine = now;
    report.notes([line()]);
  };
}

function progressText({ id, count }: PlanHead, counters: StateTally, seconds: number): string {
  const sent = counters.count();
  const rate = seconds < 1 ? '' : ` at ${(sent / seconds).toFixed(1)}/s`;
  const money = totalsText(counters.money('done'));
  const open = counters.count('accepted');
  const done = `done ${counters.count('done')}${money === '' ? '' : ` (${money})`}`;
  return `batch ${id}: ${sent} of ${count} rows${rate}, ${done}${open === 0 ? '' : `, open ${open}`}, unknown ${counters.count('unknown')}`;
}

function documentAbout(event: RunEvent): Record<string, unknown> {
  const { what, number: row, request, ...facts } = { number: undefined, request: undefined, ...event };
  if (request === undefined) return { event: what, ...(row === undefined ? {} : { row }), ...facts };
  const { state, orderId = null, clientOrderId = null, reason } = request;
  return { event: what, row, state, orderId, clientOrderId, ...(what === 'row' ? { reason } : {}), ...facts };
}

/** What a person wants to know at once. */
function remarkAbout(event: RunEvent): string | undefined {
  if (event.what === 'left') return `row ${event.number} was not sent: ${event.reason}`;
  if (event.what === 'pause') return `rate-limited by the gateway: nothing will be sent for ${durationText(event.ms)}`;
  if (event.what === 'halt') return `no more rows will be sent: ${event.why}`;
  const { clientOrderId, orderId = '', state, reason } = event.request;
  const row = `row ${event.number} (order ${clientOrderId ?? orderId}) ${stateClause(state)}`;
  if (event.what === 'wait') return `${row}: the other rows wait up to ${durationText(event.ms)} for its outcome`;
  return ['unknown', 'refused', 'not_sent', 'conflict'].includes(state) ? `${row}: ${reason}` : undefined;
}

interface RunResult {
  readonly states: readonly StateSummary[];
  /** Why rows are left, in a clause. */
  readonly stopped: string | undefined;
  readonly exit: number;
  readonly next: string | undefined;
}

/** What a run came to. */
export async function showResult(head: PlanHead, result: RunResult, report: Reporter): Promise<void> {
  const { id, profile, digest, operation, count } = head;
  const { states, stopped, exit, next } = result;
  const { paint } = report;
  const lines = Object.entries({ stopped, next }).filter(([, text]) => text !== undefined);
  report.progress(undefined);
  await report.show({
    document: {
      ...{ schema: 'paycli.batch-run/1', ok: exit === 0, profile, plan: id, digest, operation, planned: count },
      ...{ states: stateDocuments(states), stopped: stopped ?? null, exit, next: next ?? null },
    },
    text: () =>
      `${paint.bold(id)}${sandboxMark(profile)}\n${report.columns(stateRows(states, paint))}` +
      `${rowsText(count)} = ${countsText(states, ' + ')}\n` +
      lines.map(([name, text]) => `${name}: ${text}\n`).join(''),
  });
}
