import type { SeenOrder, Sum } from '../../journal/port.js';
import { storableFields } from '../../payments/request.js';
import { replyField, replyNames } from '../../spec/index.js';
import { isOfFollowUp } from '../../spec/transaction-words.js';
import { digitsOf, readAmount } from '../../wire/amount.js';
import type { Fields } from '../format/meaning.js';
import type { Session } from '../session.js';

type Place = Pick<Session, 'gatewayBase' | 'login' | 'name' | 'class' | 'assume'>;

/** The amount of an order as a status reply states it; that of a later transaction may be a part of it. */
export function amountOfOrder(
  fields: Fields,
  { assume }: Pick<Session, 'assume'>,
  endpointId: string,
): Sum | undefined {
  const isOpening = fields.has('transaction-type') && !isOfFollowUp(fields);
  const text = fields.get('initial-amount') ?? (isOpening ? fields.get('amount') : undefined);
  const currency = replyField(fields, 'currency') ?? '';
  const digits = digitsOf(currency, assume['minor-digits'], endpointId);
  if (text === undefined || digits === undefined) return undefined;
  const reading = readAmount(text, currency, digits);
  return reading.ok ? { minor: String(reading.minor), digits, currency } : undefined;
}

/** An order as a status reply shows it, to be listed beside those that were sent from here; undefined without its id. */
export function seenOrder(fields: Fields, session: Place, at: number, endpointId = ''): SeenOrder | undefined {
  const orderId = replyField(fields, 'orderId');
  const status = replyField(fields, 'status');
  if (orderId === undefined || status === undefined) return undefined;
  const named = replyNames('lastFour', 'destinationLastFour').map((name) => fields.get(name) ?? '');
  return {
    ...{ base: session.gatewayBase, login: session.login, profile: session.name, class: session.class },
    ...{ orderId, status, at },
    clientOrderId: replyField(fields, 'clientOrderId'),
    type: replyField(fields, 'transactionType'),
    sum: amountOfOrder(fields, session, endpointId),
    card4: named.find((digits) => /^\d{4}$/.test(digits)),
    outcome: storableFields(fields),
  };
}
