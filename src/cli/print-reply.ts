import { exits, fail, type PaycliError } from '../errors/index.js';
import type { Request } from '../journal/port.js';
import type { Classified } from '../payments/classify.js';
import { approvedOtherwise } from '../payments/evidence.js';
import type { Paint, Runtime } from '../runtime/ports.js';
import { isUnknownWord, type Operation, replyField, statusOf } from '../spec/index.js';
import { webAddress } from '../wire/address.js';
import { digitsOf, readAmount } from '../wire/amount.js';
import { membersOf } from '../wire/reply.js';
import type { Reporter } from './core/reporter.js';
import { type Document, oneLine, replyDocument } from './format/document.js';
import { byOneId, type Fields, isCheckedPayout, type OrderName, orderCommand, sandboxMark } from './format/meaning.js';
import type { Session } from './session.js';

/** Whose reply is printed, and where. */
interface ReplyContext {
  readonly row: Operation;
  readonly endpointId: string;
  readonly clientOrderId: string | undefined;
  readonly session: Session;
  readonly report: Reporter;
}

/** How a reply ends the command. */
export interface Ending {
  readonly ok: boolean;
  readonly exit: number;
  readonly text: string;
  readonly tone: Result['tone'];
  readonly next: string | undefined;
  /** Why it is not a success, printed on standard error. It names the next step, so the text of the reply omits it. */
  readonly error?: PaycliError;
}

/** Prints a reply, with `more` fields for programs, and returns the exit code. */
export async function printReply(
  { row, endpointId, clientOrderId, session, report }: ReplyContext,
  fields: Fields,
  { text: meaning, error, ...ending }: Ending,
  more: Document = {},
): Promise<number> {
  const result: Result = {
    ...{ row, profile: session.name, clientOrderId, fields, meaning, ...ending },
    ...{ minorDigits: session.assume['minor-digits'], endpointId },
  };
  const text = () => presentText(error === undefined ? result : { ...result, next: undefined }, report.paint);
  await report.show({ document: { ...resultDocument(result), ...more }, text });
  report.notes(unservedPage(fields, session));
  if (error !== undefined) report.error(error);
  return ending.exit;
}

/** Where nobody serves the page that the payer has to open: what serves it, and what does without a browser. */
function unservedPage(fields: Fields, { unservedPages, flags }: Session): string[] {
  const isOver = statusOf(replyField(fields, 'status') ?? '')?.final === true;
  if (unservedPages === undefined || isOver || ![...fields.values()].some((text) => text.includes(unservedPages)))
    return [];
  const order = { orderId: replyField(fields, 'orderId'), clientOrderId: undefined, flags };
  const without =
    replyField(fields, 'redirect') === undefined || replyField(fields, 'redirectTo') !== undefined
      ? `\`${orderCommand('3ds run', order, ['--path', 'challenge'])}\` performs the payer's steps`
      : '`paycli form fill ADDRESS --test-card approved` fills it in';
  const served = 'so nothing serves that page: `paycli sandbox start` does';
  return [`no sandbox is listening, ${served}; without a browser, ${without}`];
}

/** Reports that the outcome is not the expected one. */
export function printUnexpected(
  fields: Fields,
  expected: string | undefined,
  order: OrderName,
  report: Reporter,
): void {
  const got = replyField(fields, 'status') ?? 'no status';
  report.error(
    fail('CHECK_FAILED', {
      why: `expected ${expected ?? ''}, got ${got}`,
      how: orderCommand('order', byOneId(order)),
      expected: expected ?? '',
      got,
    }),
  );
}

/** Shows the hosted page of a reply in the user's browser, or says why the user has to. */
export async function openPage(fields: Fields, report: Reporter, runtime: Runtime): Promise<void> {
  const address = replyField(fields, 'redirect');
  if (address === undefined || webAddress(address) === undefined) {
    report.warn(['the reply contains no page to open']);
    return;
  }
  const isOpen = await runtime.processes.browse(address);
  if (isOpen) report.notes([`opened in the browser: ${address}`]);
  else report.warn([`no browser could be started; open this yourself: ${address}`]);
}

/** The result of an operation after all status queries. */
export interface Result {
  readonly row: Operation;
  readonly profile: string;
  readonly ok: boolean;
  readonly clientOrderId: string | undefined;
  /** Reply fields in the order the gateway sent them. */
  readonly fields: ReadonlyMap<string, string>;
  /** One sentence on what it means. */
  readonly meaning: string;
  readonly tone: 'good' | 'bad' | 'warn';
  /** The next useful command, if any. */
  readonly next: string | undefined;
  readonly exit: number;
  readonly minorDigits: string;
  readonly endpointId: string;
}

/** A reply for people: every field, the meaning in one line, the next command. */
export function presentText(result: Result, paint: Paint): string {
  const members = membersOf(result.fields);
  const width = Math.max(0, ...members.map(({ name }) => name.length));
  const lines = members.map(
    ({ name, text: value }) =>
      `  ${paint.name(oneLine(name).padEnd(width))}  ${name === 'status' ? statusText(value, paint) : oneLine(value)}`,
  );
  const mark = { good: paint.good('✓'), bad: paint.bad('✗'), warn: paint.warn('!') }[result.tone];
  const next = result.next === undefined ? [] : [`${paint.dim('next:')} ${oneLine(result.next)}`];
  const head = `${paint.bold(result.row.command)}${sandboxMark(result.profile)}`;
  return `${[head, ...lines, `${mark} ${oneLine(result.meaning)}`, ...next].join('\n')}\n`;
}

/** A status in its colour. */
export function statusText(word: string, paint: Paint): string {
  const facts = statusOf(word);
  if (facts?.success === true) return paint.good(word);
  const text = oneLine(word);
  return facts?.final === true ? paint.bad(text) : paint.warn(text);
}

/** A reply for programs: a stable envelope around the reply's own fields, all values text. */
export function resultDocument(result: Result): Document {
  const { row, profile, ok, fields } = result;
  return {
    schema: 'paycli/1',
    ok,
    operation: row.id,
    profile,
    order: {
      orderId: replyField(fields, 'orderId') ?? null,
      clientOrderId: result.clientOrderId ?? replyField(fields, 'clientOrderId') ?? null,
    },
    ...money(result),
    result: replyDocument(fields),
    meaning: result.meaning,
    next: result.next ?? null,
    exit: result.exit,
  };
}

function money({ fields, minorDigits, endpointId }: Result): object {
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
