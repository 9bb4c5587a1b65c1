import { builtInSandbox } from '../../config/index.js';
import { shellWord } from '../../errors/index.js';
import type { Request, Sum } from '../../journal/port.js';
import { isAboutOperation } from '../../payments/evidence.js';
import { nameOf, sumText } from '../../payments/words.js';
import {
  commandOf as commandOfOperation,
  fitsKind,
  isPayerStep,
  movesOf,
  type Operation,
  opensForm,
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

/** What an accepted reply means, and the next useful command. */
interface Meaning {
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'warn';
  readonly next: string | undefined;
  /** Money moved as the operation says. */
  readonly isApproved?: true;
  /** The payer has to do something first. */
  readonly isStep?: true;
}

/** How a later command names the order. */
export interface OrderName {
  readonly orderId: string | undefined;
  readonly clientOrderId: string | undefined;
  /** ` --profile shop --live` and the like; empty for the built-in sandbox. */
  readonly flags: string;
}

/** A command about an order, by the one id that is known best, ready to paste. */
export function orderCommand(
  command: string,
  { orderId, clientOrderId, flags }: OrderName,
  more: readonly string[] = [],
): string {
  const isKnown = orderId !== undefined && fitsKind('gatewayId', orderId);
  const named =
    isKnown || clientOrderId === undefined
      ? orderWord(orderId)
      : `--client-order-id ${idWord(clientOrderId, 'clientOrderId', 'ID')}`;
  return `paycli ${[command, named, ...more].join(' ')}${flagsFor(command, flags)}`;
}

/** A command about the order of an entry, or about an entry without one. */
export function commandFor(command: string, request: Request, flags: string): string {
  return `paycli ${command} ${orderWord(nameOf(request))}${flagsFor(command, flags)}`;
}

/** An id as an argument, with its flag where it looks like a card number, which is not taken as an argument. */
export function orderWord(id = ''): string {
  return `${isCardNumber(id) ? '--order-id ' : ''}${idWord(id, 'clientOrderId', 'ORDER')}`;
}

/** An id as a word of a command if its format is valid, else a placeholder. */
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
function stepOf(fields: Fields, order: OrderName): Meaning | undefined {
  // A final order may still carry the fields of a step; they no longer matter.
  if (statusOf(replyField(fields, 'status') ?? '')?.final === true) return undefined;
  const step = threeDSecureStepIn(fields);
  const [text, command = '', ...flags] = uploads[step ?? ''] ?? [];
  const tdsId = idWord(replyField(fields, 'tdsId') ?? '', 'uuid', 'UUID');
  const given = flags.map((flag) => (flag === 'UUID' ? tdsId : flag));
  if (text !== undefined) return { text, tone: 'warn', next: orderCommand(command, order, given), isStep: true };
  const address = replyField(fields, 'redirectTo', 'redirect');
  const what = address === undefined ? step && `pending step: ${step}` : `the payer has to continue at ${address}`;
  return what === undefined
    ? undefined
    : { text: what, tone: 'warn', next: orderCommand('status', order, ['--wait']), isStep: true };
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
  const wait = orderCommand('status', order, ['--wait']);
  if (isCheckedPayout(fields)) {
    const text = 'validated: the payout is registered; no money has moved yet';
    return { text, tone: 'good', next: orderCommand('payout pay', order) };
  }
  const facts = statusOf(word);
  if (facts === undefined)
    return { text: `${word} (a status unknown to paycli, treated as not final)`, tone: 'warn', next: wait };
  const reason = facts.success ? undefined : replyField(fields, 'errorMessage');
  const inWords = `${facts.meaning}${reason === undefined ? '' : ` (${reason})`}`;
  // No colon after the word: errors are printed as `not approved: …`, and `error` is one of the words.
  const said = facts.meaning.startsWith(word) ? inWords : `${word} (${inWords})`;
  if (!facts.final) return { text: said, tone: 'warn', next: wait };
  const failed = failedFollowUpIn(fields);
  return {
    text: failed === undefined ? said : `${failed} ${said}; ${orderUnchanged}`,
    tone: facts.success ? 'good' : 'bad',
    // Harmless when pasted: it shows what may follow and moves no money.
    next: facts.success || failed !== undefined ? orderCommand('order', order) : undefined,
    ...(facts.success ? { isApproved: true } : {}),
  };
}

/** The step that an order expects from its payer, by the journal. */
interface Waiting {
  readonly for: PayerStep;
  readonly since: number;
}

/** What an order waits for its payer to do, by its requests. */
export function waitingIn(requests: readonly Request[]): Waiting | undefined {
  const payment = requests.find(({ waitsFor }) => isPayerStep(waitsFor));
  return isPayerStep(payment?.waitsFor) ? { for: payment.waitsFor, since: payment.changedAt } : undefined;
}

/** For people. */
export function waitingText({ for: step, since }: Waiting): string {
  return `${stepText(step)} (since ${timeText(since)})`;
}

function stepText(step: PayerStep): string {
  return `waiting for the payer: ${payerSteps[step]}`;
}

/** An event that says what its payer is waited for, in words; undefined for any other. */
export function stepWords({ waitsFor }: Readonly<Record<string, unknown>>): string | undefined {
  if (waitsFor === 'nothing') return 'no longer waiting for the payer';
  return isPayerStep(waitsFor) ? stepText(waitsFor) : undefined;
}

/** Whom an order waits for, by a reply, else by the journal; undefined where that is not known. */
export function waitText(fields: Fields, requests: readonly Request[], isForm: boolean): string | undefined {
  const waiting = waitingIn(requests);
  const step = payerStepIn(fields, isForm || requests.some(({ operation }) => opensForm(operation)));
  if (step === 'nothing') return isWithBank(fields) ? waitingForBank : undefined;
  return waiting === undefined ? step && stepText(step) : waitingText(waiting);
}

/** Only an explicit status says so; an unfilled form and the check of a payout are processing as well. */
function isWithBank(fields: Fields): boolean {
  const stage = replyField(fields, 'stage')?.toLowerCase() ?? '';
  const isElsewhere = stage.endsWith('_starting') || /_validat(ing|ed)$/.test(stage);
  return replyField(fields, 'status') === 'processing' && !isElsewhere;
}

/** For programs; null when the order does not wait for its payer, or that is not known. */
export function waitingDocument(waiting: Waiting | undefined): Readonly<Record<string, string>> | null {
  return waiting === undefined ? null : { for: waiting.for, since: new Date(waiting.since).toISOString() };
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

/** The command of an entry's operation. */
export function commandOf({ operation }: Pick<Request, 'operation'>): string {
  return commandOfOperation(operation) ?? operation;
}
