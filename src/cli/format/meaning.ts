import { builtInSandbox } from '../../config/index.js';
import { shellWord } from '../../errors/index.js';
import type { Request, Sum } from '../../journal/port.js';
import { isAboutOperation } from '../../payments/evidence.js';
import { describe, nameOf, sumText } from '../../payments/words.js';
import {
  commandOf as commandOfOperation,
  fitsKind,
  isPayerStep,
  movesOf,
  type Operation,
  type PayerStep,
  payerStepIn,
  payerSteps,
  replyField,
  statusOf,
  threeDSecureStepIn,
} from '../../spec/index.js';
import { failedFollowUpIn, orderUnchanged, waitingForBank } from '../../spec/transaction-words.js';
import { decimalText } from '../../wire/amount.js';
import { isCardNumber, maskedEnding } from '../../wire/mask.js';
import { flagsFor } from '../flags.js';
import { timeText } from './time.js';

export type Fields = ReadonlyMap<string, string>;

/** One sentence on an accepted reply, its tone, and the next useful command. */
interface Meaning {
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'warn';
  readonly next: string | undefined;
  /** True for a step that the payer has to take. */
  readonly isStep?: true;
}

/** How later commands name the order, with profile and live flag, ready to paste. */
export interface OrderName {
  readonly orderId: string | undefined;
  /** For a command that takes either id in one place: the one that is known. */
  readonly either?: string;
  readonly clientOrderId: string | undefined;
  /** True where the journal has both ids, so that one of them is enough for an upload too. */
  readonly isRecorded?: boolean;
  /** ` --profile shop --live` and the like; empty for the built-in sandbox. */
  readonly flags: string;
}

export function orderCommand(command: string, order: OrderName, more: readonly string[] = []): string {
  const one = order.either === undefined ? undefined : ` ${orderWords(order.either, 'clientOrderId')}`;
  const id = one ?? (order.orderId === undefined ? '' : ` ${orderWords(order.orderId, 'gatewayId')}`);
  const clientId = order.clientOrderId === undefined ? '' : ` ${clientOrderIdFlag(order.clientOrderId)}`;
  return `paycli ${command}${id}${clientId}${more.map((word) => ` ${word}`).join('')}${flagsFor(command, order.flags)}`;
}

/** A command about the order of an entry, which takes either id, or the number of an entry without one. */
export function commandFor(command: string, request: Request, flags: string): string {
  return orderCommand(command, { orderId: undefined, clientOrderId: undefined, either: nameOf(request), flags });
}

/** By one id: `status` takes the other one from the journal, and the gateway needs only one. */
export function statusCommand(order: OrderName, more: readonly string[] = []): string {
  return orderCommand('status', byOneId(order), more);
}

/** With its flag where the id looks like a card number, which is not taken as an argument. */
export function orderWords(id: string, kind: 'gatewayId' | 'clientOrderId'): string {
  return `${isCardNumber(id) ? '--order-id ' : ''}${idWord(id, kind, 'ORDER')}`;
}

/** With `=` where the id itself looks like a flag. */
function clientOrderIdFlag(id: string): string {
  const dashes = /^-*/.exec(id)?.[0] ?? '';
  if (dashes === '') return `--client-order-id ${idWord(id, 'clientOrderId', 'ID')}`;
  const rest = id.slice(dashes.length);
  const word = `${dashes}${rest === '' ? '' : shellWord(rest, 'ID')}`;
  return `--client-order-id=${fitsKind('clientOrderId', id) ? word : 'ID'}`;
}

/** An id as a word of a command if its format is valid, else a placeholder; the reply itself shows the id. */
export function idWord(id: string, kind: 'gatewayId' | 'clientOrderId' | 'uuid', instead: string): string {
  return fitsKind(kind, id) ? shellWord(id, instead) : instead;
}

/** Steps of 3-D Secure by what the reply holds for them, each with the upload that follows and what that takes. */
const uploads: Readonly<Record<string, readonly [text: string, command: string, ...flags: readonly string[]]>> = {
  MethodUrlFrame: [
    '3-D Secure 2.x: load the method URL in a hidden frame, then upload its result',
    'upload-3ds method',
    ...['--tds-server-trans-id', 'UUID', '--tds-comp-ind', 'Y'],
  ],
  CReqForm: [
    "3-D Secure 2.x: post the challenge request from the payer's browser, then upload the CRes",
    'upload-3ds cres',
    ...['--c-res', 'BASE64'],
  ],
  PaReqForm: [
    "3-D Secure 1.0.2: post the PaReq from the payer's browser, then upload the PaRes",
    'upload-3ds pares',
    ...['--pa-res', 'BASE64'],
  ],
};

/** What the payer, or the merchant for the payer, has to do before the order can continue. */
function stepOf(fields: Fields, named: OrderName): Meaning | undefined {
  const order = named.isRecorded === true ? byOneId(named) : named;
  // A final order may still carry the fields of a step; they no longer matter.
  if (statusOf(replyField(fields, 'status') ?? '')?.final === true) return undefined;
  const step = threeDSecureStepIn(fields);
  const [text, command = '', ...flags] = uploads[step ?? ''] ?? [];
  const tdsId = idWord(replyField(fields, 'tdsId') ?? '', 'uuid', 'UUID');
  const given = flags.map((flag) => (flag === 'UUID' ? tdsId : flag));
  if (text !== undefined) return { text, tone: 'warn', next: orderCommand(command, order, given), isStep: true };
  const address = replyField(fields, 'redirectTo', 'redirect');
  const what = address === undefined ? step && `pending step: ${step}` : `the payer has to continue at ${address}`;
  return what === undefined ? undefined : { text: what, tone: 'warn', next: statusCommand(order), isStep: true };
}

/** For who only looks at the order: an upload needs what only the payer's browser gave, so the text names it. */
export function meaningOfStatus(row: Operation, fields: Fields, order: OrderName): Meaning {
  const meaning = meaningOf(row, fields, order);
  if (meaning.isStep !== true) return meaning;
  const text =
    meaning.next?.startsWith('paycli upload-3ds') === true ? `${meaning.text}: \`${meaning.next}\`` : meaning.text;
  return { ...meaning, text, next: statusCommand(order, ['--wait']) };
}

/** The meaning of an accepted reply. */
export function meaningOf({ records: { reply } }: Operation, fields: Fields, order: OrderName): Meaning {
  const step = stepOf(fields, order);
  if (step !== undefined) return step;
  const reference = replyField(fields, 'cardRef') ?? '';
  const info = `paycli card-ref info --card-ref-id ${idWord(reference, 'gatewayId', 'ID')}${order.flags}`;
  if (reply === 'CardRefAsyncResponse' || reply === 'CardRefV4AsyncResponse')
    return { text: `the card is stored as reference ${reference}`, tone: 'good', next: info };
  const registered = `registered as recurring payment ${replyField(fields, 'recurring') ?? ''}`;
  if (reply === 'CreateRecurringPaymentResponse') return { text: registered, tone: 'good', next: undefined };
  if (reply === 'CardInfoAsyncResponse') return { text: cardText(fields), tone: 'good', next: undefined };
  return statusMeaning(fields, order);
}

function cardText(fields: Fields): string {
  const brand = replyField(fields, 'cardType') ?? 'a card';
  const lastFour = (replyField(fields, 'lastFour') ?? replyField(fields, 'maskedNumber'))?.slice(-4);
  const number = lastFour === undefined ? '(number not shown)' : maskedEnding(lastFour);
  const month = replyField(fields, 'expireMonth');
  const year = replyField(fields, 'expireYear');
  return `${brand} ${number}${month === undefined || year === undefined ? '' : `, expires ${month}/${year}`}`;
}

/** A checked payout waits for `payout pay`; its status alone does not show it (A29). */
export function isCheckedPayout(fields: Fields): boolean {
  return replyField(fields, 'stage')?.toLowerCase() === 'payout_check_validated';
}

function statusMeaning(fields: Fields, order: OrderName): Meaning {
  const word = replyField(fields, 'status') ?? 'processing';
  const show = orderCommand('order', byOneId(order));
  if (isCheckedPayout(fields))
    return { text: 'validated: the payout is registered; no money has moved yet', tone: 'good', next: show };
  const facts = statusOf(word);
  if (facts === undefined) {
    const text = `${word} (a status unknown to paycli, treated as not final)`;
    return { text, tone: 'warn', next: statusCommand(order) };
  }
  const reason = facts.success ? '' : (replyField(fields, 'errorMessage') ?? '');
  const isNamed = facts.meaning.split(' ')[0] === word;
  const why = isNamed ? ` (${reason})` : `: ${reason}`;
  const inWords = `${facts.meaning}${reason === '' ? '' : why}`;
  // No colon after the word: errors are printed as `not approved: …`, and `error` is one of the words.
  const inFull = isNamed ? inWords : `${word} (${inWords})`;
  const followUp = failedFollowUpIn(fields);
  const text = followUp === undefined ? inFull : `${followUp} ${inFull}; ${orderUnchanged}`;
  if (!facts.final) return { text, tone: 'warn', next: statusCommand(order, ['--wait']) };
  return {
    text,
    tone: facts.success ? 'good' : 'bad',
    // Harmless when pasted: it shows what may follow and moves no money.
    next: facts.success || followUp !== undefined ? show : undefined,
  };
}

/** Only the gateway order id, where it is known: the command finds the other one itself. */
export function byOneId(order: OrderName): OrderName {
  const { orderId } = order;
  return orderId !== undefined && fitsKind('gatewayId', orderId) ? { ...order, clientOrderId: undefined } : order;
}

/** What an order waits for: a step of its payer, or its bank. */
export interface Wait {
  readonly for: PayerStep | 'bank';
  /** Undefined where the journal does not know it. */
  readonly since?: number | undefined;
}

/** The step that an order expects from its payer, by the journal. */
export interface Waiting extends Wait {
  readonly for: PayerStep;
}

/** What an order waits for its payer to do, by its requests. */
export function waitingIn(requests: readonly Request[]): Waiting | undefined {
  const payment = requests.find(({ waitsFor }) => isPayerStep(waitsFor));
  return isPayerStep(payment?.waitsFor) ? { for: payment.waitsFor, since: payment.changedAt } : undefined;
}

/** For people. */
export function waitingText({ for: whom, since }: Wait): string {
  const what = whom === 'bank' ? waitingForBank : `waiting for the payer: ${payerSteps[whom]}`;
  return since === undefined ? what : `${what} (since ${timeText(since)})`;
}

/** An event that says what its payer is waited for, in words; undefined for any other. */
export function stepWords({ waitsFor }: Readonly<Record<string, unknown>>): string | undefined {
  if (waitsFor === 'nothing') return 'no longer waiting for the payer';
  return isPayerStep(waitsFor) ? waitingText({ for: waitsFor }) : undefined;
}

/**
 * What an order waits for, from a reply, and from the journal: what it knows of the payer's step, and of the request
 * that the bank works on. `isForm` as in `payerStepIn`.
 */
export function waitsIn(
  fields: Fields,
  waiting: Waiting | undefined,
  isForm: boolean,
  bank: Omit<Wait, 'for'> = {},
): Wait | undefined {
  const step = payerStepIn(fields, isForm);
  if (step === 'nothing') return isWithBank(fields) ? { for: 'bank', ...bank } : undefined;
  return waiting ?? (step === undefined ? undefined : { for: step });
}

/** Only an explicit status says so; an unfilled form and the check of a payout are processing as well. */
function isWithBank(fields: Fields): boolean {
  const stage = replyField(fields, 'stage')?.toLowerCase() ?? '';
  return (
    replyField(fields, 'status') === 'processing' && !stage.endsWith('_starting') && !/_validat(ing|ed)$/.test(stage)
  );
}

/** Since when the bank has had the last request on an order that is still pending. */
export function pendingSince(requests: readonly Request[]): number | undefined {
  const pending = requests.findLast(({ state }) => state === 'accepted');
  return pending?.begunAt ?? pending?.createdAt;
}

/** What to do while an order waits, so that nobody pays twice. */
export function whileWaiting(whom: Wait['for'], order: OrderName): string {
  const what =
    whom === 'bank' ? 'do not send it again' : `the payer must ${stepsToTake[whom]}; do not start a second payment`;
  return `${what}; \`${statusCommand(order, ['--wait'])}\` waits for the outcome; the gateway states no time limit: if it is still pending the next day, ask its support`;
}

/** After `the payer must`. */
const stepsToTake: Readonly<Record<PayerStep, string>> = {
  form: 'fill in the payment form in the browser',
  method: "keep the shop's page open in the browser until its 3-D Secure method step is done",
  challenge: 'finish the 3-D Secure challenge in the browser',
  pareq: 'finish the 3-D Secure 1.0.2 authentication in the browser',
  'three-d-secure': 'finish 3-D Secure in the browser',
};

/** For programs; null when the order does not wait for its payer, or that is not known. */
export function waitingDocument(waiting: Waiting | undefined): Readonly<Record<string, string>> | null {
  if (waiting === undefined) return null;
  const { for: step, since } = waiting;
  return { for: step, ...(since === undefined ? {} : { since: new Date(since).toISOString() }) };
}

/** What stands in the first line of a result of the built-in sandbox: nobody was paid. */
export function sandboxMark(profile: string): string {
  return profile === builtInSandbox ? ' · sandbox' : '';
}

/** An amount without its currency, such as `10.42`. */
export function amountText({ minor, digits }: Sum): string {
  return decimalText(BigInt(minor), digits);
}

/**
 * Amount and currency of a request; `all` where it is for all that is left, with what the gateway said that it moved;
 * empty without an amount.
 */
export function sumOf({ operation, state, sum, outcome }: Request): string {
  if (sum !== undefined) return sumText(sum);
  if (!['returns', 'captures'].includes(movesOf(operation) ?? '')) return '';
  const { amount, currency } = outcome;
  const isTold = state === 'done' && isAboutOperation(operation, new Map(Object.entries(outcome)));
  return isTold && amount !== undefined && currency !== undefined ? `all (${amount} ${currency})` : 'all';
}

/** Money for programs. */
export function amountDocument(sum: Sum | undefined): Record<string, unknown> | null {
  if (sum === undefined) return null;
  return { minor: sum.minor, digits: sum.digits, currency: sum.currency, text: amountText(sum) };
}

// The end of what `prove` gives as its reason.
const matchedByAmount = 'matched by operation and amount';

/**
 * The requests whose outcome was only matched by operation and amount, because their reply was lost and no answer names
 * them: an equal request of another machine would look the same.
 */
export function matchedIn(requests: readonly Request[]): readonly Request[] {
  return requests.filter(
    ({ state, reason }) => ['accepted', 'done', 'declined'].includes(state) && reason.endsWith(matchedByAmount),
  );
}

/** A request matched only by amount, in words for people: what was concluded and from what. */
export function matchedText(request: Request): string {
  const { state, reason } = request;
  const word = state === 'done' ? 'approved' : state === 'accepted' ? 'pending' : state;
  return `${describe(request)} counts as ${word}, concluded from ${reason}; compare with the gateway's list of transactions`;
}

/** Every request matched only by amount, for programs. */
export function matchedDocuments(requests: readonly Request[]) {
  return matchedIn(requests).map((request) => {
    const { id: entry, state, sum, reason } = request;
    const [amount, currency] = sum === undefined ? [null, null] : [amountText(sum), sum.currency];
    return { entry, operation: commandOf(request), state, amount, currency, reason };
  });
}

/** The command of an entry's operation. */
export function commandOf({ operation }: Pick<Request, 'operation'>): string {
  return commandOfOperation(operation) ?? operation;
}
