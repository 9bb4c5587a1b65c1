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
 */
export class BatchReporter {
  readonly #head: PlanHead;
  readonly #report: Reporter;
  readonly #runtime: Runtime;
  readonly #from: number;
  #counters: StateTally | undefined;
  #lastLine: number;
  #remarks = 0;

  constructor(head: PlanHead, report: Reporter, runtime: Runtime) {
    this.#head = head;
    this.#report = report;
    this.#runtime = runtime;
    this.#from = runtime.clock.monotonic();
    this.#lastLine = this.#from;
  }

  watch(counters: StateTally): void {
    this.#counters = counters;
    this.#report.progress(() => this.#line());
  }

  event(event: RunEvent): void {
    if (this.#report.form === 'ndjson')
      return void this.#report.event({ schema: 'paycli.batch-event/1', plan: this.#head.id, ...documentOf(event) }, '');
    const remark = remarkOf(event);
    if (remark !== undefined) this.#remark(remark, event);
    const now = this.#runtime.clock.monotonic();
    if (this.#runtime.terminal.isErrTty || now - this.#lastLine < lineEveryMs) return;
    this.#lastLine = now;
    this.#report.notes([this.#line()]);
  }

  /** Of many rows that went wrong, people read the first few, and the rest in the report. */
  #remark(text: string, { what }: RunEvent): void {
    if (what === 'row' || what === 'left') this.#remarks += 1;
    if (this.#remarks <= maxRemarks || what === 'halt' || what === 'pause') this.#report.notes([text]);
    else if (this.#remarks === maxRemarks + 1)
      this.#report.notes([`for the other rows: \`paycli batch show ${this.#head.id} --out ${this.#head.id}\``]);
  }

  #line(): string {
    const counters = this.#counters;
    if (counters === undefined) return `batch ${this.#head.id}`;
    const sent = counters.count();
    const passed = (this.#runtime.clock.monotonic() - this.#from) / 1000;
    const rate = passed < 1 ? '' : ` at ${(sent / passed).toFixed(1)}/s`;
    const money = totalsText(counters.money('done'));
    const facts = [
      `${sent} of ${this.#head.count} rows${rate}`,
      `done ${counters.count('done')}${money === '' ? '' : ` (${money})`}`,
      ...(counters.count('accepted') === 0 ? [] : [`open ${counters.count('accepted')}`]),
      `unknown ${counters.count('unknown')}`,
    ];
    return `batch ${this.#head.id}: ${facts.join(', ')}`;
  }

  /** What a run came to. */
  async showResult({ states, stopped, exit, next }: RunResult): Promise<void> {
    this.#report.progress(undefined);
    const { id, profile, digest, operation, count } = this.#head;
    const { paint } = this.#report;
    const lines = Object.entries({ stopped, next }).filter(([, text]) => text !== undefined);
    await this.#report.show({
      document: {
        ...{ schema: 'paycli.batch-run/1', ok: exit === 0, profile, plan: id, digest, operation, planned: count },
        ...{ states: stateDocuments(states), stopped: stopped ?? null, exit, next: next ?? null },
      },
      text: () =>
        `${paint.bold(id)}${sandboxMark(profile)}\n${this.#report.columns(stateRows(states, paint))}` +
        `${rowsText(count)} = ${countsText(states, ' + ')}\n` +
        lines.map(([name, text]) => `${name}: ${text}\n`).join(''),
    });
  }
}

interface RunResult {
  readonly states: readonly StateSummary[];
  /** Why rows are left, in a clause. */
  readonly stopped: string | undefined;
  readonly exit: number;
  readonly next: string | undefined;
}

function documentOf(event: RunEvent): Record<string, unknown> {
  const { what, number: row, request, ...facts } = { number: undefined, request: undefined, ...event };
  if (request === undefined) return { event: what, ...(row === undefined ? {} : { row }), ...facts };
  const { state, orderId = null, clientOrderId = null, reason } = request;
  return { event: what, row, state, orderId, clientOrderId, ...(what === 'row' ? { reason } : {}), ...facts };
}

/** What a person wants to know at once. */
function remarkOf(event: RunEvent): string | undefined {
  if (event.what === 'left') return `row ${event.number} was not sent: ${event.reason}`;
  if (event.what === 'pause') return `rate-limited by the gateway: nothing will be sent for ${durationText(event.ms)}`;
  if (event.what === 'halt') return `no more rows will be sent: ${event.why}`;
  const { clientOrderId, orderId = '', state, reason } = event.request;
  const row = `row ${event.number} (order ${clientOrderId ?? orderId}) ${stateClause(state)}`;
  if (event.what === 'wait') return `${row}: the other rows wait up to ${durationText(event.ms)} for its outcome`;
  return ['unknown', 'refused', 'not_sent', 'conflict'].includes(state) ? `${row}: ${reason}` : undefined;
}
