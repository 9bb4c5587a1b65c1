import type { Unsigned } from '../signing/index.js';
import type { Operation } from '../spec/index.js';

/** Fields that name the card or account money is taken from, or paid to; of a card the last four digits count. */
const instruments: readonly (readonly [key: string, kind: string])[] = [
  ['destinationCardNumber', 'card'],
  ['cardNumber', 'card'],
  ['destinationCardRefId', 'card reference'],
  ['cardRefId', 'card reference'],
  ['destinationRecurringId', 'recurring payment'],
  ['accountNumber', 'account'],
  ['receiverPhone', 'phone'],
  ['walletId', 'wallet'],
];

/**
 * What makes two requests that open an order the same payment, whatever else is spelled differently in them: whether
 * money is taken or paid, the card or account, the amount and the currency. A hold takes money as a sale does, and a
 * registered payout pays as one that is sent at once. Undefined where a request has no amount, or no card or account.
 */
export function paymentParts({ row, values, minor, digits }: Unsigned): readonly string[] | undefined {
  const { currency } = values;
  const instrument = instrumentOf(row, values);
  if (!row.opens || minor === undefined || currency === undefined || instrument === undefined) return undefined;
  const direction = row.destination === undefined ? 'takes' : 'pays';
  return ['payment', direction, ...instrument, minor, String(digits), currency];
}

function instrumentOf({ destination }: Operation, values: Unsigned['values']): readonly string[] | undefined {
  for (const [key, kind] of instruments) {
    const text = values[key] ?? '';
    if (text === '' || (destination !== undefined && !destination.includes(key))) continue;
    return [kind, kind === 'card' ? text.slice(-4) : comparableAccount(text)];
  }
  return undefined;
}

/** An account without what does not distinguish it: case, blanks, punctuation, and zeros in front. */
function comparableAccount(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/^0+/, '');
}
