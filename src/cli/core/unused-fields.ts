import { fail, type PaycliError } from '../../errors/index.js';
import { type Assume, assumptionNamed, type Operation } from '../../spec/index.js';
import { fieldsInForce, isOutOfForce } from '../../wire/check.js';
import { cardKeys } from './card-source.js';
import { flagOf, isFromProfile } from './flags.js';

/** Typed values that may turn out unused. */
interface GivenValues {
  readonly fields: Readonly<Record<string, string>>;
  readonly order: string | undefined;
  readonly options: CardSources;
}

interface CardSources {
  readonly testCard?: string;
  readonly cardFile?: string;
  readonly cardFd?: string;
}

/**
 * Mistakes for given values that would not be sent. Nothing typed is dropped silently: a user who gives a card, a
 * partial amount or an order expects it in the request.
 */
export function unusedFaults(row: Operation, typed: GivenValues, assume: Assume): PaycliError[] {
  const { fields, order, options } = typed;
  const given = order === undefined ? fields : { ...fields, ...orderNamed(row, { fields, order }) };
  const why = [
    ...Object.keys(given).map((key) => unusedReason(row, key, assume)),
    ...cardSources(options).map((flag) => whyNoCard(row, flag, assume)),
  ];
  const { command } = row;
  const isThird = order !== undefined && !Object.values(given).includes(order);
  return [
    ...(isThird ? [fail('threeIdsForOneOrder', { command })] : []),
    ...why.flatMap((each) => (each === undefined ? [] : [fail('USAGE', { why: each, command })])),
  ];
}

/** Which id the order argument is: beside --order-id it can only be the client order id. */
export function orderNamed(
  row: Operation,
  { fields, order }: Pick<GivenValues, 'fields' | 'order'>,
): Readonly<Record<string, string>> {
  if (order === undefined || fields['orderId'] === order) return {};
  if (fields['orderId'] === undefined) return { orderId: order };
  return fields['clientOrderId'] === undefined && 'clientOrderId' in row.fields ? { clientOrderId: order } : {};
}

/** Why a field of the row is not sent under these assumptions; undefined where it is. */
export function unusedReason(row: Operation, key: string, assume: Assume): string | undefined {
  const field = row.fields[key];
  if (field?.when === undefined || isFromProfile(key) || !isOutOfForce(field, assume)) return undefined;
  return `${flagOf(key)} ${notSent(field.when.switch, field.when.value, assume)}`;
}

function cardSources({ testCard, cardFile, cardFd }: CardSources): string[] {
  const given = { '--test-card': testCard, '--card-file': cardFile, '--card-fd': cardFd };
  return Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
}

function whyNoCard(row: Operation, flag: string, assume: Assume): string | undefined {
  if (fieldsInForce(row, assume).some(([key]) => cardKeys.some((card) => card === key))) return undefined;
  const when = row.fields['cardNumber']?.when;
  return when === undefined ? undefined : `${flag} ${notSent(when.switch, when.value, assume)}`;
}

function notSent(name: keyof Assume, value: string, assume: Assume): string {
  const { id = '', about = '' } = assumptionNamed(name) ?? {};
  return `is only used when ${id} ${name} is ${value}, but it is ${assume[name]}: ${about.replace(/\.$/, '')}`;
}
