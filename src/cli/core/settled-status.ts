import { amountText, type Intent, reachedStates, unresolvedStates, wasSettledManually } from '../../journal/index.js';
import { isAboutOperation } from '../../payments/evidence.js';
import { isUnknownWord, replyField } from '../../spec/index.js';
import { isDecimal, unitsOf } from '../../wire/amount.js';
import type { Fields } from '../format/meaning.js';

/** What the gateway answers of an order that it does not have, in the words of paycli. */
export const noSuchOrder = 'the gateway has no such order';

const bankNumber = 'processor-tx-id';

/** A status reply in which the outcome that a person recorded stands for one that the gateway does not know. */
export interface SettledStatus {
  readonly fields: Fields;
  /** The request that was settled, and the gateway's word for it; undefined where the reply stayed as it was. */
  readonly settled?: { readonly id: number; readonly word: string };
}

/**
 * Status describes the newest transaction (A42), so it is about the newest request of its kind in the journal if the
 * amounts are equal. `requests` are those on the order, oldest first.
 */
export function withSettlement(fields: Fields, requests: readonly Intent[]): SettledStatus {
  const word = replyField(fields, 'status');
  if (word === undefined || !isUnknownWord(word)) return { fields };
  const newest = requests.findLast(
    ({ operation, state }) => reachedStates.includes(state) && isAboutOperation(operation, fields),
  );
  if (newest === undefined || !isSettled(newest) || !isSameTransaction(newest, fields)) return { fields };
  const others = [...fields].filter(([name]) => name !== 'error-message' && name !== 'error-code');
  const status = newest.state === 'done' ? 'approved' : 'declined';
  return { fields: new Map([...others, ['status', status]]), settled: { id: newest.id, word } };
}

/** The opening request of an order, where a person recorded its outcome and nothing sent on the order is in doubt. */
export function settledOpening(requests: readonly Intent[]): Intent | undefined {
  if (requests.some(({ state }) => unresolvedStates.includes(state))) return undefined;
  return requests.find((each) => each.kind === 'opening' && isSettled(each));
}

function isSettled({ state, reason }: Intent): boolean {
  return (state === 'done' || state === 'declined') && wasSettledManually(reason);
}

/** Another machine may have sent a later request: for another part, or with another number at the bank. */
function isSameTransaction({ kind, sum, outcome }: Intent, fields: Fields): boolean {
  const [own, shown] = [outcome[bankNumber], fields.get(bankNumber)];
  if (own !== undefined && shown !== undefined && own !== shown) return false;
  if (kind === 'opening' || sum === undefined) return true;
  const amount = replyField(fields, 'amount') ?? '';
  return isDecimal(amount) && unitsOf(amount) === unitsOf(amountText(sum));
}
