import type { Delivery, HttpReply } from '../runtime/ports.js';
import { type ReplyFacts, type ReplyRecord, replies, replyField, replyFields } from '../spec/index.js';
import { parseReply, type ReplyFlaw } from '../wire/reply.js';

/**
 * `accepted`: the gateway accepted it; the outcome is in the fields.
 * `refused`: a definite refusal without effect.
 * `unknown`: money may have moved.
 * `ask-status`: a refusal that names an order, so status must resolve it; unknown until then.
 * `read-retry`: a read without a usable answer; nothing was changed.
 * `not-sent`, `certificate`: proven that no byte was sent.
 */
type OutcomeClass = 'accepted' | 'refused' | 'unknown' | 'not-sent' | 'certificate' | 'ask-status' | 'read-retry';

export interface Classified {
  readonly class: OutcomeClass;
  /** In words of paycli; never text of the gateway. */
  readonly reason: string;
  /** HTTP status, when a reply came. */
  readonly status?: number;
  /** When the body was a record about this order. */
  readonly fields?: ReadonlyMap<string, string>;
  /** The record names another order. */
  readonly isOfAnother?: true;
  /** How far the clock of this machine was off, where it was. */
  readonly clock?: string;
  /** The time of the gateway, where a reply says. */
  readonly at?: number | undefined;
  /** What to do about a certificate that was not accepted. */
  readonly remedy?: string;
}

export interface ClassifyContext {
  readonly effect: 'read' | 'write' | 'money';
  readonly reply: ReplyRecord;
  readonly clientOrderId?: string | undefined;
  /** The gateway's id of the order a follow-up or a read is about. */
  readonly orderId?: string | undefined;
  /** The value of A12. */
  readonly format: 'json' | 'form';
  /** True when an attempt of the same key may have reached the gateway before: then a refusal may mean "duplicate". */
  readonly earlierAttempt: boolean;
}

export function classify(delivery: Delivery, context: ClassifyContext): Classified {
  if (delivery.kind === 'reply') return ofReply(delivery.reply, context);
  if (delivery.kind === 'lost') return { class: openClass(context), reason: delivery.reason };
  const { kind, ...facts } = delivery;
  return { class: kind === 'certificate' ? kind : 'not-sent', ...facts };
}

// Nothing else: not "end point not found", not an unknown status.
const saysUnknown = [
  /\b(?:no such|unknown|(?:can ?not|could not|can't) find) (?:the |an? )?(?:order|transaction)\b/i,
  /\b(?:order|transaction)(?: with)?(?: id)?(?: \S*\d\S*)? (?:is |was )?(?:not found|does(?: not|n't) exist)\b/i,
  /\b(?:ORDER|TRANSACTION)_NOT_FOUND\b/i,
];

/**
 * True for an answer to a status query that says: there is no such order (A37). Both error records of the interface can
 * say anything, so the message counts and not the type: another refusal says nothing about the order. Under 401, 403
 * and 404 even that message proves nothing.
 */
export function isOrderUnknown({ class: kind, status, fields }: Classified): boolean {
  const isAnswer = kind === 'refused' && (status === 200 || status === 400);
  return isAnswer && fields !== undefined && saysUnknownOrder(replyField(fields, 'errorMessage') ?? '');
}

/** True for a message of a gateway that says: there is no such order. */
export function saysUnknownOrder(words: string): boolean {
  return saysUnknown.some((each) => each.test(words));
}

type Fields = ReadonlyMap<string, string>;

function ofReply(reply: HttpReply, context: ClassifyContext): Classified {
  const { status } = reply;
  const type = header(reply, 'content-type');
  const parsed = parseReply(reply.body, type, context.format, header(reply, 'content-encoding'));
  if (!parsed.ok) {
    // What a firewall, a proxy or a wrong address answers with.
    const isPage = parsed.reason === 'content-type' && /^\s*text\/html\b/i.test(type ?? '');
    const flaw = isPage ? 'an HTML page instead of a gateway reply' : flaws[parsed.reason];
    return { class: openClass(context), reason: `HTTP ${status} with ${flaw}`, status };
  }
  const { fields } = parsed;
  if (isOfAnother(fields, context))
    return { class: openClass(context), reason: `HTTP ${status} about another order`, status, isOfAnother: true };
  const [verdict, reason] = isErrorRecord(fields)
    ? ofError(status, fields, context)
    : ofRecord(status, fields, context);
  return { class: verdict, reason: `HTTP ${status} ${reason}`.trimEnd(), status, fields };
}

type Verdict = readonly [verdict: OutcomeClass, reason: string];

// A43: the interface lists 400 only.
const refusals: readonly number[] = [400, 401, 403, 404];

function ofError(status: number, fields: Fields, context: ClassifyContext): Verdict {
  // A12: form-encoded replies carry their errors under 200.
  const refuses = refusals.includes(status) || (status === 200 && context.format === 'form');
  if (context.effect === 'read') return [refuses || status === 200 ? 'refused' : 'read-retry', 'with an error reply'];
  const names = replyField(fields, 'orderId') !== undefined;
  // 429 is no refusal: the request may have been carried out.
  const is4xx = status >= 400 && status < 500 && status !== 429;
  if (names && (refuses || is4xx)) return ['ask-status', 'with an error reply that names an order'];
  if (!refuses || names) return ['unknown', 'with an error reply'];
  return context.earlierAttempt
    ? ['unknown', 'with an error reply, after an earlier attempt that may have reached the gateway']
    : ['refused', 'with an error reply'];
}

function ofRecord(status: number, fields: Fields, context: ClassifyContext): Verdict {
  const facts: ReplyFacts = replies[context.reply];
  if (status !== 200) return [openClass(context), 'with a reply that is not an error'];
  const type = replyField(fields, 'type');
  // A type that no record has proves nothing: the types are an assumption (A14).
  if (type !== undefined && !facts.types.includes(type) && knownTypes.has(type))
    return [openClass(context), 'with a reply of another kind'];
  if (replyField(fields, ...facts.requires) === undefined)
    return [openClass(context), `without ${replyFields[facts.requires[0]].wire}`];
  return ['accepted', ''];
}

const errorTypes: readonly string[] = [...replies.ValidationErrorResponse.types, ...replies.ServerErrorResponse.types];

const knownTypes: ReadonlySet<string> = new Set(Object.values(replies).flatMap((facts) => facts.types));

function openClass(context: ClassifyContext): OutcomeClass {
  return context.effect === 'read' ? 'read-retry' : 'unknown';
}

function isErrorRecord(fields: Fields): boolean {
  const type = replyField(fields, 'type');
  if (type !== undefined) return errorTypes.includes(type);
  return replyField(fields, 'errorMessage') !== undefined || replyField(fields, 'errorCode') !== undefined;
}

function isOfAnother(fields: Fields, context: ClassifyContext): boolean {
  const differs = (named: string | undefined, own: string | undefined) =>
    named !== undefined && own !== undefined && own !== '' && named !== own;
  return (
    differs(replyField(fields, 'clientOrderId'), context.clientOrderId) ||
    differs(replyField(fields, 'orderId'), context.orderId)
  );
}

function header(reply: HttpReply, name: string): string | undefined {
  const value = Object.hasOwn(reply.headers, name) ? reply.headers[name] : undefined;
  // A repeated header is joined into a value that no check accepts, on purpose.
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
}

const flaws: Readonly<Record<ReplyFlaw, string>> = {
  empty: 'no body',
  'content-type': 'an unexpected content type',
  'content-encoding': 'an unexpected content encoding',
  'not-utf8': 'a body that is not UTF-8',
  unparseable: 'a body that cannot be parsed',
  'not-an-object': 'a body that is not a record',
};
