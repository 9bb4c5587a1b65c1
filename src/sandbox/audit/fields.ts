import { kindOf } from '../../spec/index.js';
import { fieldsInForce, protectionOf } from '../../wire/check.js';
import { isTestNumber } from '../cards.js';
import { decodeBody, shownName, unknownNames } from '../checks/body.js';
import { merchantFindings, readFields, valuesOf } from '../checks/fields.js';
import { transactionsOf } from '../ledger/transactions.js';
import { merchantOf } from '../merchants.js';
import { type Detector, mostOfOne, nothing, type Sighting, sighting } from './seen.js';

/** Names and values of a body. */
export const fields: Detector = ({ refusal, request, route, pairs, terms }, store) => {
  if (refusal.reason !== 'invalid' || route === undefined) return nothing;
  const { finding } = decodeBody(request.body);
  if (finding !== undefined) return sighting('field-wrong', `${route.id}: ${finding}`);
  const { row, id } = route;
  const unknown = unknownNames(pairs, row, protectionOf(row, terms.assume), terms.assume)
    // A control in the wrong place has a rule of its own.
    .filter((name) => name !== 'control')
    .slice(0, mostOfOne)
    .map((name): Sighting => ({ rule: 'field-unknown', detail: `${id} has no field ${shownName(name)}` }));
  const given = valuesOf(pairs, route, terms);
  const merchant = merchantOf(store, route.endpointId);
  const wrong = [
    ...readFields(given, route, { ...terms, anyCard: true }, store.clock.now()).findings,
    ...(merchant === undefined ? [] : merchantFindings(pairs, route, merchant)),
  ].map((why): Sighting => ({ rule: 'field-wrong', detail: `${id}: ${why}` }));
  const cards = terms.anyCard
    ? []
    : fieldsInForce(row, terms.assume)
        .filter(([key, { kind }]) => kind === 'cardNumber' && isStrange(kindOf(kind).pattern, given[key] ?? ''))
        .map(([, { wire }]): Sighting => ({ rule: 'card-not-test', detail: `${id} with a strange number in ${wire}` }));
  return [...unknown, ...wrong, ...cards];
};

function isStrange(pattern: RegExp, number: string): boolean {
  return pattern.test(number) && !isTestNumber(number);
}

/** A follow-up on an order that is still processing. */
export const moves: Detector = ({ refusal, route, orderId }, store) => {
  if (refusal.reason !== 'illegal-move' || route === undefined || orderId === undefined) return nothing;
  const isOpen = transactionsOf(store, orderId).some(({ status }) => status === 'processing');
  return isOpen ? sighting('acted-before-final', `${route.id} while the order was processing`) : nothing;
};
