import type { NewRequest } from '../journal/port.js';
import type { Unsigned } from '../signing/index.js';
import { idKinds, keptNames, kindOf, namesOfKind, type Operation, replyFields } from '../spec/index.js';
import { withoutCardData, withoutCardNumbers } from '../wire/mask.js';
import { withoutAddresses } from '../wire/redact.js';

export type RequestPlace = Pick<NewRequest, 'base' | 'login' | 'profile' | 'class'>;

/**
 * A request as the journal stores it. `hash` is the journal's keyed one; card number, security code, incidental texts
 * and the client order id, which the journal has anyway, do not go into it.
 */
export function describeRequest(
  unsigned: Unsigned,
  place: RequestPlace,
  hash: (parts: readonly string[]) => string,
): NewRequest {
  const { row, values, endpointId, minor, digits } = unsigned;
  if (row.effect === 'read') throw new Error('a read is not recorded');
  const { clientOrderId, orderId, currency, cardNumber } = values;
  // What a request by hand is about is unknown.
  const isByHand = row.id === 'REQUEST';
  const payment = paymentParts(unsigned);
  const hasSum = minor !== undefined && currency !== undefined && digits !== undefined;
  return {
    kind: row.opens ? 'payment' : !isByHand && orderId !== undefined ? 'follow-up' : 'other',
    operation: isByHand ? row.path : row.id,
    effect: row.effect,
    ...place,
    endpoint: endpointId,
    clientOrderId,
    orderId: row.opens ? undefined : orderId,
    sum: hasSum ? { minor, currency, digits } : undefined,
    card4: cardNumber?.slice(-4),
    content: hash([row.id, ...contentOf(unsigned)]),
    payment: payment && hash(payment),
  };
}

/**
 * What makes it the same request. Not a description, a comment, a return address: with another one it is the same
 * payment. A card counts by its last four digits, which the journal has anyway: a hash of all would let whoever has the
 * file try out the rest. Another card with the same four counts as the same payment, so that status is queried and
 * nothing is sent. A pair that is no field of the row may hold a card.
 */
function contentOf({ row, pairs }: Unsigned): readonly string[] {
  const fields = Object.entries(row.fields);
  return pairs.flatMap(([name, value]) => {
    const found = fields.find(([, { wire }]) => wire === name);
    if (found === undefined) return [JSON.stringify([name, withoutCardNumbers(value)])];
    const [key, { kind, incidental }] = found;
    if (key === 'clientOrderId' || kindOf(kind).secrecy === 'secret' || incidental === true) return [];
    return [JSON.stringify([name, kind === 'cardNumber' ? value.slice(-4) : value])];
  });
}

// What a later command shows of a reply. Addresses of pages are left out: whoever has one may act on the order.
const storable: ReadonlySet<string> = new Set(keptNames);

const maxCharacters = 500;

// Long numbers that support needs, and no card's.
const ids = namesOfKind(replyFields, ...idKinds);

/** The fields of a reply that may be stored, without what could be a card number or opens a page, cut to a line or two. */
export function storableFields(fields: ReadonlyMap<string, string>): Record<string, string> {
  const masked = (name: string, value: string) => (ids.has(name) ? value : withoutCardData(withoutAddresses(value)));
  const own = [...fields].filter(([name]) => storable.has(name));
  return Object.fromEntries(own.map(([name, value]) => [name, masked(name, value).slice(0, maxCharacters)]));
}

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
function paymentParts({ row, values, minor, digits }: Unsigned): readonly string[] | undefined {
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
  const other = destination?.find((key) => (values[key] ?? '') !== '');
  return other === undefined ? undefined : [other, comparableAccount(values[other] ?? '')];
}

/** An account without what does not distinguish it: case, blanks, punctuation, and zeros in front. */
function comparableAccount(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/^0+/, '');
}
