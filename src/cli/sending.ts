import { fail, renderError } from '../errors/index.js';
import type { Classified } from '../gateway/classify.js';
import { compose } from '../gateway/compose.js';
import { type ExchangeOptions, type ExchangePorts, exchange } from '../gateway/exchange.js';
import { defaultLimits } from '../gateway/send.js';
import { type Waited, waitForOutcome } from '../gateway/wait.js';
import type { Runtime } from '../runtime/ports.js';
import type { Unsigned } from '../signing/index.js';
import { operationById, replyField } from '../spec/index.js';
import { hostOf } from '../wire/address.js';
import { printable } from '../wire/redact.js';
import { openPage } from './open-page.js';
import type { CommonOptions } from './options.js';
import { exitOfStatus, exitOfWait, exits, hasReply } from './outcome.js';
import { type Fields, isCheckedPayout, meaningOf, type OrderName, orderCommand, stepOf } from './present/meaning.js';
import { refusalHint } from './present/refusal.js';
import { presentJson, presentText, type Result } from './present/reply.js';
import { watchExchange } from './present/verbose.js';
import type { Reporter } from './reporter.js';
import { seconds } from './seconds.js';
import type { Session } from './session.js';

/** Everything one sending needs, so that steps stay small. */
interface Job {
  readonly unsigned: Unsigned;
  readonly options: CommonOptions;
  readonly session: Session;
  readonly report: Reporter;
  readonly runtime: Runtime;
  readonly ports: ExchangePorts;
  readonly exchange: ExchangeOptions;
  readonly stop: AbortController;
}

/** Sends a request, waits for its outcome where that was asked, prints it, and gives the exit code. */
export async function sendOperation(
  unsigned: Unsigned,
  options: CommonOptions,
  session: Session,
  report: Reporter,
  runtime: Runtime,
): Promise<number> {
  const stop = new AbortController();
  const unlisten = runtime.processes.onStop((signal) => stop.abort(signal));
  try {
    const ports = { transport: await session.transport(), clock: runtime.clock, random: runtime.random };
    const firstByteMs = seconds('--timeout', options.timeout, 300) ?? session.timeoutMs ?? defaultLimits.firstByteMs;
    const limits = { ...defaultLimits, firstByteMs, totalMs: Math.max(defaultLimits.totalMs, firstByteMs + 30_000) };
    const watch = report.verbose ? watchExchange(unsigned.row, report) : undefined;
    const job = {
      unsigned,
      options,
      session,
      report,
      runtime,
      ports,
      stop,
      exchange: { assume: session.assume, limits, signal: stop.signal, watch },
    };
    const credentials = await session.credentials(unsigned.protection);
    return await conclude(job, await exchange(unsigned, credentials, ports, job.exchange));
  } finally {
    unlisten();
  }
}

function conclude(job: Job, classified: Classified): Promise<number> | number {
  switch (classified.class) {
    case 'accepted':
      return accepted(job, classified.fields ?? new Map());
    case 'ask-status':
      return settleByStatus(job, classified);
    case 'refused':
      return refused(job, classified);
    case 'unknown':
      return unknown(job, classified);
    case 'read-retry':
      throw fail('READ_FAILED', { why: classified.reason });
    case 'certificate':
      throw fail('CERTIFICATE', { host: hostOf(job.unsigned.url), why: classified.reason });
    case 'not-sent':
      if (job.stop.signal.aborted) throw fail(job.stop.signal.reason === 'SIGTERM' ? 'TERMINATED' : 'INTERRUPTED');
      throw fail('NOT_SENT', { why: classified.reason });
  }
}

async function accepted(job: Job, fields: Fields): Promise<number> {
  const { options, unsigned } = job;
  if (options.open === true) await openPage(fields, job.report, job.runtime);
  const isStatus = unsigned.row.id === 'STATUS';
  const wants = options.wait === true || options.expect !== undefined;
  if (!wants) return print(job, fields, { ok: !isStatus || exitOfStatus(fields, undefined) !== exits.declined, exit: exits.ok });
  if (isStatus && options.wait !== true) return printExpected(job, fields, exitOfStatus(fields, options.expect));
  const waited = await wait(job, nameOf(job, fields));
  if (waited === 'stopped') return pendingAfter(job, fields, 'interrupted while waiting');
  const shown = waited.fields ?? fields;
  if (waited.kind === 'read-failed') return pendingAfter(job, shown, `asking for the outcome failed: ${waited.last.reason}`);
  return printExpected(job, shown, exitOfWait(waited, options.expect));
}

function printExpected(job: Job, fields: Fields, exit: number): number {
  const code = print(job, fields, { ok: exit === exits.ok, exit });
  if (exit === exits.otherThanExpected && !job.report.json) {
    const got = replyField(fields, 'status') ?? 'no status';
    job.report.err(renderError(fail('CHECK_FAILED', { expected: job.options.expect ?? '', got }), job.report.errPaint));
  }
  return code;
}

function pendingAfter(job: Job, fields: Fields, why: string): number {
  const code = print(job, fields, { ok: false, exit: exits.pending });
  job.report.warn([`${why}; the request itself was accepted`]);
  return code;
}

/** Polls status until the outcome is final, a step is due, the time is up or the user stops. */
async function wait(job: Job, order: OrderName): Promise<Waited | 'stopped'> {
  const { session, runtime, stop, options, unsigned } = job;
  const stopped = new Promise<'stopped'>((resolve) => stop.signal.addEventListener('abort', () => resolve('stopped'), { once: true }));
  const waiting = waitForOutcome({
    ask: () => askStatus(job, order),
    clock: runtime.clock,
    random: runtime.random,
    timeoutMs: seconds('--wait-timeout', options.waitTimeout, 3600) ?? session.waitMs,
    everyMs: session.pollMs,
    until: unsigned.row.id === 'PAYOUT_V4_CHECK' || unsigned.row.id === 'STATUS' ? isCheckedPayout : undefined,
  });
  return Promise.race([waiting, stopped]);
}

async function askStatus(job: Job, order: OrderName): Promise<Classified> {
  const { session, unsigned } = job;
  const values: Record<string, string> = {};
  if (order.orderId !== undefined) values['orderId'] = order.orderId;
  if (order.clientOrderId !== undefined) values['clientOrderId'] = order.clientOrderId;
  const question = compose(operationById('STATUS'), values, [], session.target(unsigned.endpointId));
  return exchange(question, await session.credentials(question.protection), job.ports, job.exchange);
}

/** A "no" that names an order proves nothing by itself: status says what became of the order, or nothing does. */
async function settleByStatus(job: Job, classified: Classified): Promise<number> {
  const fields = classified.fields ?? new Map<string, string>();
  const answer = await askStatus(job, nameOf(job, fields));
  const word = answer.fields === undefined ? undefined : replyField(answer.fields, 'status');
  const speaksOfThis = job.unsigned.row.opens && answer.class === 'accepted' && answer.fields !== undefined;
  if (!speaksOfThis || word === undefined) return unknown(job, classified);
  return printExpected(job, answer.fields ?? fields, exitOfStatus(answer.fields ?? fields, job.options.expect));
}

function refused(job: Job, classified: Classified): number {
  const { report, session, unsigned } = job;
  const why = (classified.fields === undefined ? undefined : replyField(classified.fields, 'errorMessage')) ?? classified.reason;
  const how = refusalHint(unsigned, session);
  if (hasReply(classified))
    printFields(job, classified.fields, {
      ok: false,
      exit: exits.refused,
      text: 'refused by the gateway; nothing was done',
      tone: 'bad',
      next: how,
    });
  if (!report.json) report.err(renderError(fail('REFUSED', { why: printable(why).replaceAll('\n', ' '), how }), report.errPaint));
  return exits.refused;
}

function unknown(job: Job, classified: Classified): number {
  const { report } = job;
  const how = orderCommand('status', nameOf(job, classified.fields ?? new Map()));
  const error = fail('OUTCOME_UNKNOWN', { why: classified.reason, how });
  if (!hasReply(classified)) throw error;
  printFields(job, classified.fields, {
    ok: false,
    exit: exits.unknown,
    text: 'the outcome is unknown; do not send it again',
    tone: 'warn',
    next: how,
  });
  if (!report.json) report.err(renderError(error, report.errPaint));
  return exits.unknown;
}

function nameOf({ unsigned, session }: Job, fields: Fields): OrderName {
  return {
    orderId: replyField(fields, 'orderId') ?? unsigned.values['orderId'],
    clientOrderId: unsigned.values['clientOrderId'] ?? replyField(fields, 'clientOrderId'),
    flags: session.flags,
  };
}

function print(job: Job, fields: Fields, end: { readonly ok: boolean; readonly exit: number }): number {
  const order = nameOf(job, fields);
  const step = stepOf(fields, order);
  const meaning = step ?? meaningOf(job.unsigned.row, fields, order);
  return printFields(job, fields, { ...end, text: meaning.text, tone: meaning.tone, next: meaning.next });
}

interface Ending {
  readonly ok: boolean;
  readonly exit: number;
  readonly text: string;
  readonly tone: Result['tone'];
  readonly next: string | undefined;
}

function printFields(job: Job, fields: Fields, ending: Ending): number {
  const { unsigned, session, report } = job;
  const result: Result = {
    row: unsigned.row,
    profile: session.name,
    ok: ending.ok,
    clientOrderId: unsigned.values['clientOrderId'],
    fields,
    meaning: ending.text,
    tone: ending.tone,
    next: ending.next,
    exit: ending.exit,
    minorDigits: session.assume['minor-digits'],
    endpointId: unsigned.endpointId,
  };
  report.out(report.json ? presentJson(result, report.select) : presentText(result, report.paint));
  return ending.exit;
}
