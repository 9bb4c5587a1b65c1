import { moneyDocument, moneyText, type PlanHead } from '../../../batch/plan.js';
import { type EndTotal, ends, type StateTally } from '../../../batch/progress.js';
import type { RunEvent } from '../../../batch/run-ports.js';
import { fail, isPaycliError, type PaycliError } from '../../../errors/index.js';
import type { Request } from '../../../journal/port.js';
import { stateClause } from '../../../payments/words.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Reporter } from '../../core/reporter.js';
import type { CommandOutput } from '../../format/document.js';
import { sandboxMark } from '../../format/meaning.js';
import { durationText } from '../../format/time.js';

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

  /** Before the first row. */
  phase(text: string): void {
    this.#report.progress(text);
  }

  end(): void {
    this.#report.progress(undefined);
  }

  /** What a run came to. */
  async showResult(result: RunResult): Promise<void> {
    const { refusal, exit } = result;
    this.end();
    if (exit === refusal?.exit) this.#report.because(refusal);
    await this.#report.show(renderRunResult(result, this.#report));
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
    const money = counters.money('done').map(moneyText);
    const facts = [
      `${sent} of ${this.#head.count} rows${rate}`,
      `done ${counters.count('done')}${money.length === 0 ? '' : ` (${money.join(', ')})`}`,
      ...(counters.count('accepted') === 0 ? [] : [`open ${counters.count('accepted')}`]),
      `unknown ${counters.count('unknown')}`,
    ];
    return `batch ${this.#head.id}: ${facts.join(', ')}`;
  }
}

function documentOf(event: RunEvent): Record<string, unknown> {
  if (event.what === 'wait') return { event: 'wait', ...rowDocument(event), ms: event.ms };
  if (event.what === 'pause') return { event: 'pause', ms: event.ms };
  if (event.what === 'halt') return { event: 'halt', why: event.why };
  if (event.what === 'left') return { event: 'left', row: event.number, reason: event.reason };
  return { event: 'row', ...rowDocument(event), reason: event.request.reason };
}

function rowDocument({ number, request: { state, orderId, clientOrderId } }: Extract<RunEvent, { request: Request }>) {
  return { row: number, state, orderId: orderId ?? null, clientOrderId: clientOrderId ?? null };
}

/** What a person wants to know at once. */
function remarkOf(event: RunEvent): string | undefined {
  if (event.what === 'left') return `row ${event.number} was not sent: ${event.reason}`;
  if (event.what === 'pause') return `rate-limited by the gateway: nothing will be sent for ${durationText(event.ms)}`;
  if (event.what === 'halt') return `no more rows will be sent: ${event.why}`;
  const { number, request } = event;
  const row = `row ${number}${orderText(request)} ${stateClause(request.state)}`;
  if (event.what === 'wait') return `${row}: the other rows wait up to ${durationText(event.ms)} for its outcome`;
  return ['unknown', 'refused', 'not_sent', 'conflict'].includes(request.state)
    ? `${row}: ${request.reason}`
    : undefined;
}

/** By the id that a command takes. */
function orderText({ clientOrderId, orderId }: Pick<Request, 'clientOrderId' | 'orderId'>): string {
  const name = clientOrderId ?? orderId;
  return name === undefined ? '' : ` (order ${name})`;
}

export interface RunResult {
  readonly head: PlanHead;
  readonly totals: readonly EndTotal[];
  /** Why rows are left, in a clause. */
  readonly why: string | undefined;
  readonly exit: number;
  readonly next: string | undefined;
  /** A cap, or something like it, that stands in the way of rows that are left. */
  readonly refusal: PaycliError | undefined;
}

function renderRunResult({ head, totals, why, exit, next }: RunResult, report: Reporter): CommandOutput {
  return {
    document: {
      schema: 'paycli.batch-run/1',
      ok: exit === 0,
      ...{ profile: head.profile, plan: head.id, digest: head.digest, operation: head.operation, planned: head.count },
      ends: totals.map(({ end, count, sums }) => ({ end, count, totals: sums.map(moneyDocument) })),
      ...{ stopped: why ?? null, exit, next: next ?? null },
    },
    text: () => {
      const { paint } = report;
      const rows = totals
        .filter(({ count }) => count > 0)
        .map(({ end, count, sums }) => [
          `  ${end.replace('_', ' ')}`,
          String(count),
          sums.map(moneyText).join(', '),
          paint.dim(ends[end]),
        ]);
      const sum = totals.map(({ end, count }) => `${count} ${end.replace('_', ' ')}`).join(' + ');
      const lines = [
        ...(why === undefined ? [] : [`stopped: ${why}`]),
        ...(next === undefined ? [] : [`next: ${next}`]),
      ];
      return `${paint.bold(head.id)}${sandboxMark(head.profile)}\n${report.columns(rows)}${head.count} planned = ${sum}\n${lines.map((line) => `${line}\n`).join('')}`;
    },
  };
}

/** What a run of a batch has done that a later fault of the storage must not hide. */
export interface RunProgress {
  /** A row may have left. */
  hasSent: boolean;
  /** The exit code of the result that was shown, once it was. */
  exit: number | undefined;
}

/**
 * Gives the exit code of a run that `again` continues. Storage that fails once rows may have left does not end
 * it with 13, which says that nothing was sent: what became of them is unknown until it was run again; after a result
 * was shown, that one stands and the fault is told beside it.
 */
export async function keepOutcome(
  again: string,
  report: Pick<Reporter, 'error'>,
  work: (progress: RunProgress) => Promise<number>,
): Promise<number> {
  const progress: RunProgress = { hasSent: false, exit: undefined };
  try {
    return await work(progress);
  } catch (error) {
    if (!progress.hasSent || !isPaycliError(error) || error.code !== 'STORAGE') throw error;
    if (progress.exit !== undefined) {
      report.error(error, progress.exit);
      return progress.exit;
    }
    const unknown = fail('OUTCOME_UNKNOWN', {
      may: 'money may have moved',
      why: 'storage failed while rows of the batch were in flight',
      how: again,
    });
    unknown.beside = error;
    throw unknown;
  }
}
