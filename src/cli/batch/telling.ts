import type { EndTotal } from '../../batch/outcome.js';
import { ends } from '../../batch/outcome.js';
import type { PlanHead } from '../../batch/plan.js';
import type { Run } from '../../batch/run.js';
import type { RunEvent } from '../../batch/run-ports.js';
import type { Runtime } from '../../runtime/ports.js';
import { moneyDocument, moneyText } from '../batch-plans.js';
import { columns } from '../present/columns.js';
import type { Shown } from '../present/shown.js';
import { durationText } from '../present/time.js';
import type { Reporter } from '../reporter.js';

const lineEveryMs = 10_000;
const mostRemarks = 20;

/** Tells of a run while it goes on: a line that moves on a terminal, events for programs, now and then a remark elsewhere. */
export class Telling {
  readonly #head: PlanHead;
  readonly #report: Reporter;
  readonly #runtime: Runtime;
  readonly #from: number;
  #figures: Run['figures'] | undefined;
  #lastLine: number;
  #remarks = 0;

  constructor(head: PlanHead, report: Reporter, runtime: Runtime) {
    this.#head = head;
    this.#report = report;
    this.#runtime = runtime;
    this.#from = runtime.clock.monotonic();
    this.#lastLine = this.#from;
  }

  watch(figures: Run['figures']): void {
    this.#figures = figures;
    this.#report.progress(() => this.#line());
  }

  /** Before the first row. */
  phase(text: string): void {
    this.#report.progress(text);
  }

  end(): void {
    this.#report.progress(undefined);
  }

  event(event: RunEvent): void {
    const { form } = this.#report;
    if (form === 'ndjson')
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
    if (this.#remarks <= mostRemarks || what === 'halt' || what === 'pause') this.#report.notes([text]);
    else if (this.#remarks === mostRemarks + 1) this.#report.notes([`further rows: \`paycli batch report ${this.#head.id}\``]);
  }

  #line(): string {
    const figures = this.#figures;
    if (figures === undefined) return `batch ${this.#head.id}`;
    const sent = figures.count();
    const passed = (this.#runtime.clock.monotonic() - this.#from) / 1000;
    const rate = passed < 1 ? '' : ` at ${(sent / passed).toFixed(1)}/s`;
    const money = this.#head.totals.flatMap(({ currency, digits }) => {
      const done = figures.totals().find((each) => each.state === 'done' && each.currency === currency);
      return done === undefined ? [] : [moneyText({ minor: done.minor, digits, currency })];
    });
    const facts = [
      `${sent} of ${this.#head.count} rows${rate}`,
      `done ${figures.count('done')}${money.length === 0 ? '' : ` (${money.join(', ')})`}`,
      ...(figures.count('accepted') === 0 ? [] : [`open ${figures.count('accepted')}`]),
      `unknown ${figures.count('unknown')}`,
    ];
    return `batch ${this.#head.id}: ${facts.join(', ')}`;
  }
}

function documentOf(event: RunEvent): Record<string, unknown> {
  if (event.what === 'wait')
    return { event: 'wait', row: event.number, state: event.state, clientOrderId: event.order ?? null, ms: event.ms };
  if (event.what === 'pause') return { event: 'pause', ms: event.ms };
  if (event.what === 'halt') return { event: 'halt', why: event.why };
  if (event.what === 'left') return { event: 'left', row: event.number, reason: event.reason };
  const { number, state, intent, reason } = event;
  return { event: 'row', row: number, state, orderId: intent.orderId ?? null, clientOrderId: intent.clientOrderId ?? null, reason };
}

/** What a person wants to know at once. */
function remarkOf(event: RunEvent): string | undefined {
  if (event.what === 'left') return `row ${event.number} is left: ${event.reason}`;
  if (event.what === 'pause') return `the gateway asks for a pause: nothing is sent for ${durationText(event.ms)}`;
  if (event.what === 'wait') {
    const order = event.order === undefined ? '' : `, order ${event.order},`;
    return `row ${event.number}${order} is ${event.state}: the other rows wait for its outcome, for ${durationText(event.ms)} at most`;
  }
  if (event.what === 'halt') return `no further row is sent: ${event.why}`;
  return ['unknown', 'refused', 'not_sent', 'conflict'].includes(event.state)
    ? `row ${event.number} is ${event.state}: ${event.reason}`
    : undefined;
}

export interface Ended {
  readonly head: PlanHead;
  readonly totals: readonly EndTotal[];
  /** Why rows are left, in a clause. */
  readonly why: string | undefined;
  readonly exit: number;
  readonly next: string | undefined;
}

/** What a run came to. */
export function shownEnd({ head, totals, why, exit, next }: Ended, report: Reporter): Shown {
  const digits = new Map(head.totals.map((total) => [total.currency, total.digits]));
  const money = (sums: EndTotal['sums']) => sums.map((sum) => ({ ...sum, digits: digits.get(sum.currency) ?? 0 }));
  return {
    document: {
      schema: 'paycli.batch-run/1',
      ok: exit === 0,
      ...{ plan: head.id, digest: head.digest, operation: head.operation, planned: head.count },
      ends: totals.map(({ end, count, sums }) => ({ end, count, totals: money(sums).map(moneyDocument) })),
      ...{ stopped: why ?? null, exit, next: next ?? null },
    },
    text: () => {
      const { paint } = report;
      const rows = totals
        .filter(({ count }) => count > 0)
        .map(({ end, count, sums }) => [
          `  ${end.replace('_', ' ')}`,
          String(count),
          money(sums).map(moneyText).join(', '),
          paint.dim(ends[end]),
        ]);
      const sum = totals.map(({ end, count }) => `${count} ${end.replace('_', ' ')}`).join(' + ');
      const lines = [...(why === undefined ? [] : [`stopped: ${why}`]), ...(next === undefined ? [] : [`next: ${next}`])];
      return `${paint.bold(head.id)}\n${columns(rows)}${head.count} planned = ${sum}\n${lines.map((line) => `${line}\n`).join('')}`;
    },
  };
}
