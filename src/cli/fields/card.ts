import { fail } from '../../errors/index.js';
import { kindOf, type Operation, type TestCard, testCards } from '../../spec/index.js';

/** The fields a published test card fills in, by field key; it expires four years after `now` (milliseconds). */
export function testCardFields(card: TestCard, row: Operation, now: number): Readonly<Record<string, string>> {
  const expireYear = String(new Date(now).getUTCFullYear() + 4);
  const { number: cardNumber, cvv } = card;
  const all = { cardNumber, cvv, cardHolder: 'TEST CARD', expireMonth: '12', expireYear };
  return Object.fromEntries(Object.entries(all).filter(([key]) => key in row.fields));
}

/** The test card of this name. Throws USAGE; the flag has a better answer. */
export function testCardNamed(name: string): TestCard {
  const card = testCards.find((candidate) => candidate.name === name);
  if (card === undefined) throw fail('USAGE', { why: 'there is no test card of that name' });
  return card;
}

/** A card number or a CVV. An opaque field is masked because its content is unknown, not because it is card data. */
export function isCardData(row: Operation, key: string): boolean {
  const field = row.fields[key];
  return field !== undefined && field.kind !== 'opaque' && ['card', 'secret'].includes(kindOf(field.kind).secrecy);
}

/** The fields of a card, by key. */
export const cardKeys = ['cardNumber', 'cardHolder', 'expireMonth', 'expireYear', 'cvv'] as const;

/** A payer who does not exist, at addresses reserved for documentation. */
export const testPayer: Readonly<Record<string, string>> = {
  orderDesc: 'Sandbox order',
  email: 'payer@example.com',
  phone: '+4930123456',
  address1: 'Example Street 1',
  city: 'Berlin',
  zipCode: '10115',
  country: 'DE',
  ipAddress: '192.0.2.10',
  redirectUrl: 'https://shop.example/return',
  firstName: 'Pat',
  lastName: 'Payer',
};
