import { describe, expect, test } from 'vitest';
import { moveClock } from '../../src/sandbox/clock.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { legality } from '../../src/spec/lifecycle.js';
import {
  type Answer,
  approvedOrder,
  card,
  cardOrder,
  type Fixture,
  onOrder,
  openFixture,
  orderFacts,
  rebill,
  recurring,
  signed,
  status,
} from './support.js';

// The cards of these tests are good until the end of December 2033.
const lastMoment = Date.UTC(2033, 11, 31, 23, 59, 59, 999);

function benchAt(time: number): Fixture {
  const fixture = openFixture();
  fixture.clock.time = time;
  return fixture;
}

const why = ({ fields }: Answer) => fields['error-message'];
const money = { amount: '10.00', currency: 'USD' };
const { cvv2: _, ...cardToAskAbout } = card();

const requests: readonly (readonly [name: string, send: (fixture: Fixture, id: string) => Answer])[] = [
  ['a sale', (fixture, id) => cardOrder(fixture, 'sale', { id })],
  ['a recurring payment', (fixture, id) => recurring(fixture, id, money)],
  [
    'a payout to a card',
    (fixture, id) => {
      const { cvv2: __, ...destination } = card();
      return signed(fixture, '/api/v2/payout/4001', { client_orderid: id, ...money, ...destination });
    },
  ],
  [
    'a question about a card',
    (fixture, id) => {
      const { credit_card_number: number = '', card_printed_name: holder = '', ...expiry } = cardToAskAbout;
      const asked = { 'client-order-id': id, 'sending-card-number': number, 'card-printed-name': holder, ...expiry };
      return signed(fixture, '/api/v2/pan-eligibility/send/4001', asked);
    },
  ],
];

describe.each(requests)('%s', (_name, send) => {
  test('is taken to the last moment of the month the card is good in, and refused after it', () => {
    expect(why(send(benchAt(lastMoment), 'x'))).toBeUndefined();
    const fixture = benchAt(lastMoment + 1);
    const refused = send(fixture, 'x');
    expect([refused.status, refused.fields['type']]).toEqual([400, 'validation-error']);
    expect(why(refused)).toMatch(
      /^expire[_-]month and expire[_-]year: the card has expired by the clock of the sandbox$/,
    );
    expect(status(fixture, 'x', '')['error-message']).toBe('order not found');
  });
});

test('a card reference is not charged once its card has expired, and nothing offers that', () => {
  const fixture = openFixture();
  const order = approvedOrder(fixture, 'sale', { id: 's' });
  const ref = onOrder(fixture, '/api/v2/create-card-ref', 's', order).fields['card-ref-id'] ?? '';
  moveClock(fixture.sandboxState.store, lastMoment);
  expect(why(rebill(fixture, 'r1', ref, '10.00'))).toBeUndefined();
  fixture.later(1);
  const refused = rebill(fixture, 'r2', ref, '10.00');
  expect([refused.status, refused.fields['type'], why(refused)]).toEqual([
    400,
    'validation-error',
    'the card behind cardrefid has expired by the clock of the sandbox',
  ]);
  expect(status(fixture, 'r2', '')['error-message']).toBe('order not found');
  const asked = signed(fixture, '/api/v2/pan-eligibility/send/4001', {
    'client-order-id': 'e',
    'sending-card-ref-id': ref,
  });
  expect(why(asked)).toBe('the card behind sending-card-ref-id has expired by the clock of the sandbox');
  const facts = orderFacts(fixture, order);
  expect(legality('REBILL', facts, assumeDefaults)).toBe(
    'its card has expired; a rebill needs one that is still valid',
  );
  // What it stands for may still be looked at.
  expect(legality('CARDINFO', facts, assumeDefaults)).toBeUndefined();
  expect(fixture.post('/api/v2/get-card-info/4001', { login: 'sandbox', cardrefid: ref }).fields['expire-year']).toBe(
    '2033',
  );
});

test('a schedule goes on over the day its card expires, and its charges are declined from then on', () => {
  const fixture = openFixture();
  const schedule = { period: 'monthly', interval: '1', 'start-date': '2033-12-01', 'finish-date': '2034-01-31' };
  recurring(fixture, 'club', { ...money, ...schedule });
  moveClock(fixture.sandboxState.store, Date.UTC(2034, 1, 1));
  expect(status(fixture, 'club-1', '')['status']).toBe('approved');
  expect(status(fixture, 'club-2', '')).toMatchObject({
    status: 'declined',
    'error-message': 'The card has expired',
    'error-code': '54',
  });
});
