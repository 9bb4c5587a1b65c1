import { exits, fail, isPaycliError, type PaycliError } from '../errors/index.js';
import type { Journal, Request } from '../journal/port.js';
import { inDoubtStates, unresolvedStates } from '../journal/states.js';
import type { Classified } from '../payments/classify.js';
import { approvedOtherwise, matchedByAmount } from '../payments/evidence.js';
import { statusRequest } from '../payments/exchange.js';
import { failureFacts } from '../payments/failure.js';
import { describe } from '../payments/words.js';
import type { Paint } from '../runtime/ports.js';
import type { Unsigned } from '../signing/index.js';
import { isUnknownWord, type Operation, opensForm, replyField, statusOf, statusQuery } from '../spec/index.js';
import { readSum } from '../wire/amount.js';
import { maskedEnding } from '../wire/mask.js';
import { membersOf } from '../wire/reply.js';
import { adviceAfterFailedQuery, adviceAfterRefusal, unknownAtGateway } from './core/order-query.js';
import { type Document, oneLine, replyDocument } from './format/document.js';
import { possibleEffect } from './format/journal-entries.js';
import {
  commandFor,
  type Fields,
  isCheckedPayout,
  meaningOf,
  type OrderName,
  orderCommand,
  sandboxMark,
  waitText,
} from './format/meaning.js';
import { type GatewayContext, howToClose } from './gateway.js';
import type { Session } from './session.js';

/** A request in its open journal, as it is known now. */
export interface Recorded {
  readonly journal: Journal;
  request: Request;
  /** Storage that failed after something was sent: reported at the end, as the outcome must still be shown. */
  fault?: PaycliError | undefined;
}

/** One request being sent. */
export interface Submission extends GatewayContext {
  readonly unsigned: Unsigned;
  /** Its journal entry, once there is one; undefined for a read. */
  record?: Recorded | undefined;
  /** It was sent before, and nothing is sent now. */
  isRepeat?: boolean;
  /** When --wait gives up, by the monotonic clock; see `waitEnd`. */
  end?: number;
}

/** The ids of its order, as far as they are known. */
export function nameOf({ unsigned, session, record }: Submission, fields: Fields): OrderName {
  return {
    orderId: replyField(fields, 'orderId') ?? unsigned.values['orderId'] ?? record?.request.orderId,
    clientOrderId: unsigned.values['clientOrderId'] ?? replyField(fields, 'clientOrderId'),
    flags: session.flags,
  };
}

/**
 * Says that nothing is sent, and what to do where the user means another request. A second refund may be meant, so
 * --quiet must not hide this; a payment under the same id is meant as a repeat.
 */
export function warnSentBefore({ unsigned, report }: Submission, request: Request, clause: string): void {
  const { opens } = unsigned.row;
  const hint = opens
    ? 'another payment needs an order id of its own'
    : inDoubtStates.includes(request.state)
      ? 'until its outcome is known no other one is sent'
      : 'if a second one is meant, --again sends it as well';
  const line = `${opens ? 'this' : 'an equal'} ${describe(request)} ${clause}; ${hint}`;
  if (opens) report.notes([`warning: ${line}`]);
  else report.warn([line]);
}

/** The error for storage that failed after a request was sent: it must not suggest sending again. */
export function faultAfterSending({ facts }: PaycliError, request: Request, { flags }: Session): PaycliError {
  const shown = `\`${commandFor('journal', request, flags)}\` shows it`;
  const settled = `\`${commandFor('resolve', request, flags)}\` brings it up to date`;
  const how = `the request was sent; do not send it again. Check the disk; then ${shown}, and ${settled}`;
  return fail('STORAGE', { ...facts, how });
}

/** How a reply ends the command. */
export interface Ending {
  readonly ok: boolean;
  readonly exit: number;
  /** One sentence on what it means. */
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'warn';
  /** The next useful command, if any. */
  readonly next: string | undefined;
  /** Why it is not a success, printed on standard error. It names the next step, so the text of the reply omits it. */
  readonly error?: PaycliError;
}

/** What is known besides the reply. */
interface Beside {
  /** Of the order, in the journal: a status reply does not distinguish an unfilled form from a payment in progress. */
  readonly requests?: readonly Request[];
  /** Further fields for programs. */
  readonly more?: Document;
}

/** Prints what an accepted reply means, with an error where another outcome was expected. Returns the exit code. */
export async function print(
  submission: Submission,
  fields: Fields,
  exit: number,
  { requests = [], more = {}, ok = exit === exits.ok }: Beside & { readonly ok?: boolean } = {},
): Promise<number> {
  const { record, unsigned, options, session, report } = submission;
  const order = nameOf(submission, fields);
  const { isApproved, isStep, text, tone, next } = meaningOf(unsigned.row, fields, order);
  const known = record === undefined ? requests : [record.request];
  // In other replies the text of the step says it.
  const mayWait = isStep !== true && (unsigned.row.opens || unsigned.row.id === statusQuery.id);
  const waits = mayWait ? waitText(fields, known, opensForm(unsigned.row.id)) : undefined;
  const inDoubt = exit === exits.unknown ? known.find(({ state }) => unresolvedStates.includes(state)) : undefined;
  const ending: Ending = {
    ...{ ok, exit, tone },
    text: isApproved === true ? approvedText(submission, fields, text) : (waits ?? text),
    next: inDoubt === undefined ? next : commandFor('resolve', inDoubt, session.flags),
  };
  const code = await printFields(submission, fields, ending, { requests, more });
  if (exit === exits.checkFailed && code === exit) {
    const got = replyField(fields, 'status') ?? 'no status';
    const expected = options.expect ?? '';
    const how = orderCommand('order', order);
    report.error(fail('CHECK_FAILED', { why: `expected ${expected}, got ${got}`, how, expected, got }));
  }
  return code;
}

/** Prints a reply, with `more` fields for programs, and returns the exit code. */
export async function printFields(
  submission: Submission,
  fields: Fields,
  given: Ending,
  { requests = [], more = {} }: Beside = {},
): Promise<number> {
  const { session, report, isRepeat } = submission;
  const request = submission.record?.request;
  const known = request === undefined ? requests : [request];
  const ending = endingNow(submission, given, known);
  // An equal request of another machine would look the same.
  for (const each of known.filter(({ reason }) => reason.endsWith(matchedByAmount)))
    report.warn([`${describe(each)}: ${each.reason}; compare with the gateway's list of transactions`]);
  const document = {
    ...replyEnvelope(submission, fields, ending),
    ...more,
    ...(isRepeat === true ? { sent: false } : {}),
  };
  try {
    await report.show({ document, text: () => replyText(submission, fields, ending, report.paint) });
    report.notes(unservedPage(fields, session));
    if (ending.error !== undefined) report.error(ending.error);
  } catch (error) {
    if (request === undefined || !isPaycliError(error) || error.code !== 'STORAGE') throw error;
    report.error(faultAfterSending(error, request, session), ending.exit);
  }
  return ending.exit;
}

/** The same for a request that was sent before, or for one that what is known of it contradicts: a person decides. */
function endingNow({ isRepeat, session }: Submission, given: Ending, known: readonly Request[]): Ending {
  const conflict = known.find(({ state }) => state === 'conflict');
  const said = conflict === undefined ? given.text : `in conflict: ${conflict.reason}`;
  const text = isRepeat === true ? `${said}; nothing was sent now` : said;
  if (conflict !== undefined) {
    const next = howToClose(conflict, session);
    return { ok: false, exit: exitOfDoubt(conflict, session), tone: 'warn', text, next };
  }
  // A check mark would look like a second payment.
  return { ...given, text, tone: isRepeat === true && given.tone === 'good' ? 'warn' : given.tone };
}

/** Where nobody serves the page that the payer has to open: what serves it, and what does without a browser. */
function unservedPage(fields: Fields, { unservedPages }: Session): readonly string[] {
  const isOver = statusOf(replyField(fields, 'status') ?? '')?.final === true;
  if (unservedPages === undefined || isOver || ![...fields.values()].some((text) => text.includes(unservedPages)))
    return [];
  const pay = `paycli sandbox pay ${replyField(fields, 'orderId') ?? 'ORDER'}`;
  return [`nothing serves that page: \`paycli sandbox start\` does; without a browser, \`${pay}\` pays`];
}

/** A reply for people: the verdict, the next command, then every field. */
function replyText({ unsigned, session, options }: Submission, fields: Fields, ending: Ending, paint: Paint): string {
  const { tone, text, next, error } = ending;
  const members = membersOf(fields);
  const width = Math.max(0, ...members.map(({ name }) => name.length));
  const lines = members.map(
    ({ name, text: value }) =>
      `  ${paint.name(oneLine(name).padEnd(width))}  ${name === 'status' ? statusText(value, paint) : oneLine(value)}`,
  );
  const mark = { good: paint.good('✓'), bad: paint.bad('✗'), warn: paint.warn('!') }[tone];
  const verdict = `${mark} ${oneLine(text)}${sandboxMark(session.name)}`;
  const isNext = next !== undefined && error === undefined;
  const reply = options.quiet === true ? [] : [paint.bold(unsigned.row.command), ...lines];
  return `${[verdict, ...(isNext ? [`${paint.dim('next:')} ${oneLine(next)}`] : []), ...reply].join('\n')}\n`;
}

/** What an approved operation did with the money. */
const movements: Partial<Readonly<Record<NonNullable<Operation['moves']>, string>>> = {
  charges: 'charged',
  holds: 'held',
  captures: 'captured',
  returns: 'refunded',
  releases: 'voided',
  'pays out': 'paid',
  transfers: 'transferred',
};

/** What happened, with the money of the reply where it names it. */
function approvedText({ unsigned: { row }, isRepeat }: Submission, fields: Fields, text: string): string {
  if (isRepeat === true) return `already ${text}`;
  const currency = replyField(fields, 'currency');
  const amount = replyField(fields, 'amount');
  const movement = row.moves && movements[row.moves];
  if (movement === undefined) return text;
  if (row.moves === 'releases' || currency === undefined || amount === undefined) return movement;
  const card = replyField(fields, 'destinationLastFour');
  const to = row.moves !== 'pays out' || card === undefined ? '' : ` to ${maskedEnding(card)}`;
  const total = replyField(fields, 'totalReversed') ?? amount;
  const inAll = row.moves === 'returns' && total !== amount ? `, ${total} in all` : '';
  return `${movement} ${amount} ${currency}${to}${inAll}`;
}

/** A status in its colour. */
export function statusText(word: string, paint: Paint): string {
  const facts = statusOf(word);
  if (facts?.success === true) return paint.good(word);
  const text = oneLine(word);
  return facts?.final === true ? paint.bad(text) : paint.warn(text);
}

/** A reply for programs: a stable envelope around the reply's own fields, all values text. */
function replyEnvelope({ unsigned, session }: Submission, fields: Fields, ending: Ending): Document {
  const { row, values, endpointId } = unsigned;
  const amount = replyField(fields, 'amount');
  const sum = readSum(amount, replyField(fields, 'currency') ?? '', session.assume['minor-digits'], endpointId);
  return {
    schema: 'paycli/1',
    ok: ending.ok,
    operation: row.id,
    profile: session.name,
    order: {
      orderId: replyField(fields, 'orderId') ?? null,
      clientOrderId: values['clientOrderId'] ?? replyField(fields, 'clientOrderId') ?? null,
    },
    ...(sum && { amount: { ...sum, text: amount } }),
    result: replyDocument(fields),
    meaning: ending.text,
    next: ending.next ?? null,
    exit: ending.exit,
  };
}

/**
 * The exit code of a status reply when an outcome is required. `expect` is compared with final statuses only; an
 * outcome that is open or unknown keeps its own code, unless `processing` itself is expected.
 */
export function exitOfStatus(fields: Fields, expect: string | undefined): number {
  const word = replyField(fields, 'status') ?? 'processing';
  const facts = statusOf(word);
  if (facts?.final === true)
    return expect === undefined
      ? facts.success
        ? exits.ok
        : exits.declined
      : expect === word
        ? exits.ok
        : exits.checkFailed;
  if (isUnknownWord(word)) return exits.unknown;
  if (expect === 'processing') return exits.ok;
  return isCheckedPayout(fields) && expect === undefined ? exits.ok : exits.pending;
}

/** The exit code of a request in doubt; of a conflict it is known where the gateway approved another amount. */
export function exitOfDoubt(request: Request | undefined, { assume }: Pick<Session, 'assume'>): number {
  if (request?.state !== 'conflict') return exits.unknown;
  const fields = new Map(Object.entries(request.outcome));
  return approvedOtherwise(request, fields, assume['minor-digits']) === undefined ? exits.unknown : exits.checkFailed;
}

/** What to check after a failed status query, which may be signed in another way than the request itself. */
export function adviceAfterQuery(submission: Submission, fields: Fields, last: Classified): string | undefined {
  const { unsigned, connection, session } = submission;
  const question = { endpointId: unsigned.endpointId, ...nameOf(submission, fields) };
  return adviceAfterFailedQuery(last, statusRequest(question, connection.target), session);
}

/**
 * The gateway refused it: printed, or thrown where its answer has no fields. `known` are the requests on the order of a
 * status query.
 */
export async function refused(
  submission: Submission,
  classified: Classified,
  known: readonly Request[] = [],
): Promise<number> {
  const { session, unsigned } = submission;
  const how = adviceAfterRefusal(classified, unsigned, session);
  const error = unknownAtGateway(fail('REFUSED', { ...failureFacts(classified), how }), known, session);
  // A refused query says nothing about the payment that it is about.
  const isQuery = unsigned.row.effect === 'read';
  const text = isQuery ? 'the gateway refused this query' : 'refused by the gateway; nothing took effect';
  return printFailure(submission, classified, { ok: false, exit: error.exit, text, tone: 'bad', next: how, error });
}

/** Prints the reply with its error, or throws the error where there is no reply. */
function printFailure(
  submission: Submission,
  { fields, status: httpStatus }: Classified,
  ending: Ending & { readonly error: PaycliError },
): Promise<number> {
  if (fields === undefined || fields.size === 0) throw ending.error;
  return printFields(submission, fields, ending, { more: { httpStatus } });
}

/** `failure` is the answer to the status query that showed no outcome. */
export async function unknown(submission: Submission, classified: Classified, failure?: Classified): Promise<number> {
  const { record, session, unsigned, report, isRepeat } = submission;
  const fields = classified.fields ?? new Map<string, string>();
  const how =
    record === undefined
      ? orderCommand('status', nameOf(submission, fields))
      : commandFor('resolve', record.request, session.flags);
  const check = failure === undefined ? undefined : adviceAfterQuery(submission, fields, failure);
  // The HTTP status and the rest are those of the request itself; of a repeated one there was only the query.
  const about = isRepeat === true ? (failure ?? classified) : classified;
  report.noteStatus(about.status);
  const facts = { ...failureFacts(about), may: possibleEffect(unsigned.row.id) };
  const error = fail('OUTCOME_UNKNOWN', { ...facts, ...(check && { check }), why: classified.reason, how });
  const text = 'the outcome is unknown; do not send it again';
  return printFailure(submission, classified, { ok: false, exit: exits.unknown, text, tone: 'warn', next: how, error });
}
