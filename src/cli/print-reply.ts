import { exits, fail, isPaycliError, type PaycliError } from '../errors/index.js';
import type { Request } from '../journal/port.js';
import { unresolvedStates } from '../journal/states.js';
import type { Classified } from '../payments/classify.js';
import { approvedOtherwise } from '../payments/evidence.js';
import type { Paint } from '../runtime/ports.js';
import { isUnknownWord, type Operation, opensForm, replyField, statusOf, statusQuery } from '../spec/index.js';
import { digitsOf, readAmount } from '../wire/amount.js';
import { maskedEnding } from '../wire/mask.js';
import { membersOf } from '../wire/reply.js';
import { conflictIn, faultAfterSending, nameOf, type Submission } from './core/submission.js';
import { type Document, oneLine, replyDocument } from './format/document.js';
import {
  byOneId,
  commandFor,
  type Fields,
  isCheckedPayout,
  matchedDocuments,
  matchedIn,
  matchedText,
  meaningOf,
  meaningOfStatus,
  orderCommand,
  pendingSince,
  sandboxMark,
  waitingIn,
  waitingText,
  waitsIn,
} from './format/meaning.js';
import { howToClose, warnOfConflict } from './gateway.js';
import type { Session } from './session.js';

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
  const { row } = unsigned;
  const named = nameOf(submission, fields);
  const isRecorded = named.isRecorded === true || requests.some(({ kind }) => kind === 'payment');
  const isAsking = row.id === statusQuery.id;
  const meaning = (isAsking ? meaningOfStatus : meaningOf)(row, fields, { ...named, isRecorded });
  const own = record === undefined ? requests : [record.request];
  const conflict = conflictIn(requests);
  const isInDoubt = exit === exits.unknown || conflict !== undefined;
  const inDoubt = isInDoubt ? own.find(({ state }) => unresolvedStates.includes(state)) : undefined;
  const ending: Ending = {
    ...{ ok, exit },
    text: conflict === undefined ? textOf(submission, fields, meaning, requests) : `in conflict: ${conflict.reason}`,
    tone: conflict === undefined ? meaning.tone : 'warn',
    next: inDoubt === undefined ? meaning.next : commandFor('resolve', inDoubt, session.flags),
  };
  const code = await printFields(submission, fields, ending, { requests, more });
  if (exit === exits.checkFailed && conflict === undefined) {
    const got = replyField(fields, 'status') ?? 'no status';
    const expected = options.expect ?? '';
    const how = orderCommand('order', byOneId(named));
    report.error(fail('CHECK_FAILED', { why: `expected ${expected}, got ${got}`, how, expected, got }));
  }
  return code;
}

/** What a reply means, and whom its order waits for. */
function textOf(
  { record, unsigned: { row } }: Submission,
  fields: Fields,
  { text, isStep }: ReturnType<typeof meaningOf>,
  requests: readonly Request[],
): string {
  const waiting = waitingIn(requests);
  const isForm = opensForm(row.id) || waiting?.for === 'form';
  const since = pendingSince(record === undefined ? requests : [record.request]);
  const waits = waitsIn(fields, waiting, isForm, { since });
  // In other replies the text of the step says it, if the reply has its data.
  const isShown = row.id === statusQuery.id || waits?.for === 'bank' || (row.opens && isStep !== true);
  if (waits === undefined || !isShown) return text;
  return [waitingText(waits), ...(isStep === true ? [text] : [])].join('; ');
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
  const matched = matchedIn(request === undefined ? requests : [request]);
  const ending = endingNow(submission, given);
  const document = {
    ...replyEnvelope(submission, fields, ending),
    ...more,
    ...(isRepeat === true ? { sent: false } : {}),
    ...(matched.length === 0 ? {} : { matched: matchedDocuments(matched) }),
  };
  try {
    await report.show({ document, text: () => replyText(submission, fields, ending, report.paint) });
    report.notes(unservedPage(fields, session));
    if (ending.error !== undefined) report.error(ending.error);
  } catch (error) {
    if (request === undefined || !isPaycliError(error) || error.code !== 'STORAGE') throw error;
    report.error(faultAfterSending(error, request, session), ending.exit);
  }
  report.notes(matched.map(matchedText));
  if (request?.state === 'conflict') warnOfConflict(request, submission);
  return ending.exit;
}

/** Of a request that was sent before, or that this reply, or what is known of it, contradicts. */
function endingNow({ record, isRepeat, session }: Submission, given: Ending): Ending {
  const request = record?.request.state === 'conflict' ? record.request : undefined;
  const said = request === undefined ? given.text : `in conflict: ${request.reason}`;
  const text = isRepeat === true ? `${said.replace(/^approved/, 'already approved')}; nothing was sent now` : said;
  // A check mark would look like a second payment.
  const tone = isRepeat === true && given.tone === 'good' ? 'warn' : given.tone;
  if (request === undefined) return { ...given, text, tone };
  return {
    ...{ ...given, text, tone: 'warn', ok: false },
    ...{ exit: exitOfDoubt(request, session), next: howToClose(request, session) },
  };
}

/** Where nobody serves the page that the payer has to open: what serves it, and what does without a browser. */
function unservedPage(fields: Fields, { unservedPages }: Session): string[] {
  const isOver = statusOf(replyField(fields, 'status') ?? '')?.final === true;
  if (unservedPages === undefined || isOver || ![...fields.values()].some((text) => text.includes(unservedPages)))
    return [];
  const served = 'so nothing serves that page: `paycli sandbox start` does';
  const pay = `paycli sandbox pay ${replyField(fields, 'orderId') ?? 'ORDER'}`;
  return [`no sandbox is listening, ${served}; without a browser, \`${pay}\` performs the payer's steps`];
}

/** A reply for people: the verdict, the next command, then every field. */
function replyText(submission: Submission, fields: Fields, ending: Ending, paint: Paint): string {
  const { unsigned, session, options } = submission;
  const { tone, next, error } = ending;
  const members = membersOf(fields);
  const width = Math.max(0, ...members.map(({ name }) => name.length));
  const lines = members.map(
    ({ name, text: value }) =>
      `  ${paint.name(oneLine(name).padEnd(width))}  ${name === 'status' ? statusText(value, paint) : oneLine(value)}`,
  );
  const mark = { good: paint.good('✓'), bad: paint.bad('✗'), warn: paint.warn('!') }[tone];
  const verdict = `${mark} ${oneLine(verdictText(submission, fields, ending))}${sandboxMark(session.name)}`;
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
function verdictText({ unsigned: { row }, isRepeat }: Submission, fields: Fields, { text }: Ending): string {
  const currency = replyField(fields, 'currency');
  const amount = replyField(fields, 'amount');
  const movement = row.moves && movements[row.moves];
  if (text !== 'approved' || isRepeat === true || movement === undefined) return text;
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
  return {
    schema: 'paycli/1',
    ok: ending.ok,
    operation: row.id,
    profile: session.name,
    order: {
      orderId: replyField(fields, 'orderId') ?? null,
      clientOrderId: values['clientOrderId'] ?? replyField(fields, 'clientOrderId') ?? null,
    },
    ...amountIn(fields, session.assume['minor-digits'], endpointId),
    result: replyDocument(fields),
    meaning: ending.text,
    next: ending.next ?? null,
    exit: ending.exit,
  };
}

function amountIn(fields: Fields, minorDigits: string, endpointId: string): object {
  const text = replyField(fields, 'amount');
  const currency = replyField(fields, 'currency');
  if (text === undefined || currency === undefined) return {};
  const digits = digitsOf(currency, minorDigits, endpointId);
  const reading = readAmount(text, currency, digits);
  return reading.ok ? { amount: { minor: String(reading.minor), digits, currency, text } } : {};
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

/** True when the reply has fields to show. */
export function hasReply(classified: Classified): classified is Classified & { readonly fields: Fields } {
  return classified.fields !== undefined && classified.fields.size > 0;
}

/** The exit code of a request in doubt; of a conflict it is known where the gateway approved another amount. */
export function exitOfDoubt(request: Request | undefined, { assume }: Pick<Session, 'assume'>): number {
  if (request?.state !== 'conflict') return exits.unknown;
  const fields = new Map(Object.entries(request.outcome));
  return approvedOtherwise(request, fields, assume['minor-digits']) === undefined ? exits.unknown : exits.checkFailed;
}
