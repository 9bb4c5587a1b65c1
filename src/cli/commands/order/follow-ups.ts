import { describeIntent, doubtfulStates, type Intent, stateClause } from '../../../journal/index.js';
import type { KnownOrder } from '../../../sandbox/index.js';
import {
  fitsKind,
  isSuccess,
  type Operation,
  type OperationId,
  operations,
  rebill,
  replyField,
  statusOf,
  statusQuery,
} from '../../../spec/index.js';
import type { OrderFacts } from '../../../spec/lifecycle.js';
import { fieldsInForce } from '../../../wire/check.js';
import { flagOf } from '../../command.js';
import { type Amounts, whyNotPossible } from '../../core/order-amounts.js';
import { noSuchOrder, type SettledStatus, settledOpening } from '../../core/settled-status.js';
import { commandFor } from '../../core/storage-fault.js';
import { isFromProfile, placeholderOf } from '../../flags.js';
import type { Layout } from '../../format/document.js';
import { idWord, isCheckedPayout, orderCommand } from '../../format/meaning.js';
import type { Session } from '../../session.js';

/** Whether one follow-up operation is allowed on an order. */
export interface FollowUp {
  readonly operation: string;
  readonly legal: boolean;
  readonly reason: string | undefined;
  /** Ready to paste, where it is legal. */
  readonly command: string | undefined;
}

/** An order with its status reply. */
export interface AnsweredOrder extends KnownOrder {
  readonly fields: ReadonlyMap<string, string>;
  /** Its requests in the journal. */
  readonly requests: readonly Intent[];
  /** Where a person recorded what the gateway does not know. */
  readonly settled?: SettledStatus['settled'];
  /** The gateway has no such order. */
  readonly isMissing?: true | undefined;
}

/** Every operation on an order or its card, and whether it is allowed. */
export function followUpsOf(order: AnsweredOrder, amounts: Amounts | undefined, session: Session): readonly FollowUp[] {
  return operations.filter((row) => followsOn(row)).map((row) => followUpOf(row, row.id, order, amounts, session));
}

/**
 * A line for people beside what is available on an order that a person settled as paid while the gateway goes on not to
 * know its outcome; empty for any other.
 */
export function refusalNote({ settled, requests }: Pick<AnsweredOrder, 'settled' | 'requests'>): string {
  if (settled === undefined || settled.id !== settledOpening(requests)?.id) return '';
  return `note: the status at the gateway is still ${settled.word}; it may refuse these until gateway support corrects it\n`;
}

/**
 * Leaves out operations that only make sense for another kind of order or 3-D Secure step. `note` is a line about those
 * that are available.
 */
export function followUpsText(
  next: readonly FollowUp[],
  { opened, step }: OrderFacts,
  report: Layout,
  note: string,
): string {
  const { paint } = report;
  const isAside = ({ operation, legal }: FollowUp) =>
    !legal &&
    ((step === 'none' && operation.startsWith('upload-3ds')) ||
      (opened !== 'payout-check' && operation === 'payout pay'));
  const shown = next.filter((each) => !isAside(each));
  const not = shown.filter(({ legal }) => !legal);
  // Each on one line, to paste.
  const commands = shown.flatMap(({ command }) => (command === undefined ? [] : [`  ${command}\n`]));
  const rest =
    not.length === 0
      ? ''
      : `${paint.bold('Not available')}\n${report.columns(
          not.map(({ operation, reason = '' }) => [`  ${operation}`, reason]),
        )}`;
  return commands.length === 0 ? rest : `${paint.bold('Available')}\n${commands.join('')}${note}${rest}`;
}

/** Operations on an order or its card; the others open one. */
function followsOn(row: Operation): boolean {
  return !row.opens || row.id === rebill.id;
}

export function followUpOf(
  row: Operation,
  id: OperationId,
  order: AnsweredOrder,
  amounts: Amounts | undefined,
  session: Session,
): FollowUp {
  const reason = whyNot(row, id, order, amounts, session);
  return {
    operation: row.command,
    legal: reason === undefined,
    reason,
    command: reason === undefined ? followUpCommand(row, order, session) : undefined,
  };
}

/**
 * Why an operation is not possible. Where the gateway has no such order, none is. Beside a request in doubt the command
 * itself would be refused, so where nothing else rules the operation out, that request does.
 */
function whyNot(
  row: Operation,
  id: OperationId,
  { facts, requests, isMissing }: AnsweredOrder,
  amounts: Amounts | undefined,
  session: Session,
): string | undefined {
  if (isMissing === true) return isSuccess(facts.status) ? `${noSuchOrder}: ask gateway support` : noSuchOrder;
  const doubt = row.opens || row.effect === 'read' ? undefined : requests.find(isInDoubt);
  if (doubt === undefined) return whyNotPossible(id, facts, amounts, session.assume);
  return whyNotPossible(id, { ...facts, following: 'none' }, amounts, session.assume) ?? doubtText(doubt, session);
}

function isInDoubt({ state }: Intent): boolean {
  return doubtfulStates.includes(state);
}

/** A request in doubt, with the command that resolves it. */
export function doubtText(doubt: Intent | undefined, { flags }: Session): string | undefined {
  if (doubt === undefined) return undefined;
  const what = `${describeIntent(doubt)} ${stateClause(doubt.state)}`;
  return `${what}; resolve it first: ${commandFor('resolve', doubt, flags)}`;
}

/** The command to paste, with a placeholder in capitals for every field that only the user knows. */
function followUpCommand(
  row: Operation,
  { orderId, clientOrderId, cardRef, fields }: AnsweredOrder,
  { flags, assume }: Session,
): string {
  const missing = fieldsInForce(row, assume).filter(
    ([key, { need }]) =>
      need === 'required' && !isFromProfile(key) && !['orderId', 'clientOrderId', 'cardRefId'].includes(key),
  );
  const fieldFlags = missing.map(
    ([key, field]) =>
      `${flagOf(key)} ${valueIn(key, fields) ?? field.values?.[0] ?? capitals(key, placeholderOf(field))}`,
  );
  const card = 'cardRefId' in row.fields ? [`--card-ref-id ${idWord(cardRef ?? '', 'gatewayId', 'ID')}`] : [];
  // One id is enough: the command takes the other from the journal or the status. An id that no command can contain is
  // not replaced by a word in capitals, which could be pasted as it stands.
  const isNamed = 'orderId' in row.fields;
  const isById = isNamed && fitsKind('gatewayId', orderId);
  const named = {
    orderId: isById ? orderId : undefined,
    clientOrderId: isNamed && !isById && fitsKind('clientOrderId', clientOrderId) ? clientOrderId : undefined,
  };
  // As in what to do while it waits.
  const isOpen = statusOf(replyField(fields, 'status') ?? '')?.final === false && !isCheckedPayout(fields);
  const wait = row.id === statusQuery.id && isOpen ? ['--wait'] : [];
  return orderCommand(row.command, { ...named, flags }, [...card, ...fieldFlags, ...amountToChoose(row), ...wait]);
}

/** What the status reply already has of a field. */
function valueIn(key: string, fields: AnsweredOrder['fields']): string | undefined {
  if (key !== 'tdsServerTransId') return undefined;
  return idWord(replyField(fields, 'tdsId') ?? '', 'uuid', 'UUID');
}

/** Never the example of a value, such as 10.42, which could be pasted and sent: then the name of the flag. */
function capitals(key: string, placeholder: string): string {
  const [, word] = /^<([a-z][a-z\d]*)>$/.exec(placeholder) ?? [];
  return (word ?? flagOf(key).replace(/^-+/, '').replaceAll('-', '_')).toUpperCase();
}

/**
 * An operation that moves everything when no amount is given gets a place for one: nothing that is pasted as it stands
 * may return or capture money.
 */
function amountToChoose(row: Operation): readonly string[] {
  return row.withoutAmount === 'whole order' && 'amount' in row.fields ? ['--amount AMOUNT'] : [];
}
