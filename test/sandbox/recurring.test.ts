import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { listCallbacks } from '../../src/sandbox/callbacks/outbox.js';
import { moveClock } from '../../src/sandbox/clock.js';
import {
  type Answer,
  cardOrder,
  FakeClock,
  type Fields,
  type Fixture,
  type FixtureOptions,
  openFixture,
  recurring,
  status,
} from './support.js';

const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

function benchAt(moment: string, assume: FixtureOptions['assume'] = {}): Fixture {
  const clock = new FakeClock();
  clock.time = Date.parse(moment);
  const fixture = openFixture({ clock, assume });
  // One pair for all of them: making one takes longer than everything else.
  fixture.database.run(
    "UPDATE merchants SET public_key = ?, private_key = ? WHERE login = 'sandbox'",
    pair.publicKey,
    pair.privateKey,
  );
  return fixture;
}

const create = (fixture: Fixture, own: Fields): Answer =>
  recurring(fixture, 'club', { 'expire-year': '2099', currency: 'EUR', ...own });

/** Made and accepted. */
function keep(fixture: Fixture, own: Fields): void {
  const answer = create(fixture, own);
  expect(answer.status, answer.body).toBe(200);
}

test('a used client order id is refused although a recurring payment makes no order; the ids of its charges are still free (A20)', () => {
  const fixture = benchAt('2030-01-10T12:00:00Z');
  const own = { period: 'daily', interval: '1', amount: '10.00', 'start-date': '2030-01-10' };
  keep(fixture, own);
  moveClock(fixture.sandboxState.store, fixture.clock.time + 1000);
  expect(charges(fixture)).toMatchObject([{ id: 'club-1', status: 'approved' }]);
  // It has no status, so that is not what the refusal advises.
  expect(create(fixture, own).fields['error-message']).toBe(
    'client_orderid was used before, by CREATE_RP_V4; choose another (A20)',
  );
  expect(cardOrder(fixture, 'sale', { id: 'club' }).fields['error-message']).toMatch(/used before, by CREATE_RP_V4/);
  expect(cardOrder(fixture, 'sale', { id: 'club-1' }).status).toBe(200);
});

interface Charge {
  readonly id: string;
  readonly at: string;
  readonly amount: string;
  readonly status: string;
}

function charges({ database }: Fixture): Charge[] {
  return database
    .all("SELECT t.* FROM transactions t JOIN orders o ON o.id = t.order_id WHERE t.kind = 'rebill' ORDER BY t.id")
    .map((row) => ({
      id: String(row['client_order_id']),
      at: new Date(Number(row['made_at'])).toISOString(),
      amount: String(row['amount']),
      status: String(row['status']),
    }));
}

function daysUntil(fixture: Fixture, moment: string): string[] {
  moveClock(fixture.sandboxState.store, Date.parse(moment));
  return charges(fixture).map(({ at }) => {
    expect(at).toMatch(/T00:00:00\.000Z$/);
    return at.slice(0, 10);
  });
}

const monthly = { amount: '9.99', period: 'monthly', interval: '1' };

describe('the days of a schedule', () => {
  const schedules: readonly (readonly [name: string, fields: Fields, until: string, days: readonly string[]])[] = [
    [
      'monthly on the 31st, in a year with 28 days in February',
      { ...monthly, 'start-date': '2030-01-31' },
      '2030-07-01T00:00:00Z',
      ['2030-01-31', '2030-02-28', '2030-03-31', '2030-04-30', '2030-05-31', '2030-06-30'],
    ],
    [
      'without a start date, one period after the day it was made',
      monthly,
      '2030-04-01T00:00:00Z',
      ['2030-02-10', '2030-03-10'],
    ],
    [
      'with a finish date, which is the last possible day',
      { ...monthly, 'start-date': '2030-02-01', 'finish-date': '2030-04-01' },
      '2031-01-01T00:00:00Z',
      ['2030-02-01', '2030-03-01', '2030-04-01'],
    ],
    [
      'days before it was made are not made up for',
      { ...monthly, 'start-date': '2029-10-15' },
      '2030-02-16T00:00:00Z',
      ['2030-01-15', '2030-02-15'],
    ],
    [
      'a finish date that is over already',
      { ...monthly, 'start-date': '2029-10-15', 'finish-date': '2030-01-14' },
      '2031-01-01T00:00:00Z',
      [],
    ],
    ['without a schedule', { amount: '9.99' }, '2031-01-01T00:00:00Z', []],
  ];

  test.each(schedules)('%s', (_, fields, until, days) => {
    const fixture = benchAt('2030-01-10T12:00:00Z');
    keep(fixture, fields);
    expect(daysUntil(fixture, until)).toEqual(days);
  });
});

describe('a charge', () => {
  test('is an order of its own, settles, and is reported', () => {
    const fixture = benchAt('2030-01-10T12:00:00Z');
    keep(fixture, { ...monthly, server_callback_url: 'http://127.0.0.1:9/hook' });
    fixture.clock.time = Date.parse('2030-03-10T00:00:00.300Z');
    for (const [id, day] of [
      ['club-1', '2030-02-10'],
      ['club-2', '2030-03-10'],
    ] as const)
      expect(status(fixture, id, '')).toMatchObject({
        status: 'approved',
        'transaction-type': 'sale',
        'order-stage': 'sale_approved',
        amount: '9.99',
        currency: 'EUR',
        'last-four-digits': '1111',
        'paynet-processing-date': `${day} 00:00:00 UTC`,
      });
    expect(listCallbacks(fixture.sandboxState.store)).toMatchObject([
      { clientOrderId: 'club-1', status: 'approved', state: 'pending', madeAt: '2030-02-10T00:00:00.300Z' },
      { clientOrderId: 'club-2', status: 'approved', state: 'pending', madeAt: '2030-03-10T00:00:00.300Z' },
    ]);
  });

  test('of an amount sequence takes one amount after the other and ends', () => {
    const fixture = benchAt('2030-01-10T12:00:00Z');
    keep(fixture, { 'amount-sequence': '10.00,5.5,1.00', period: 'daily', interval: '1' });
    moveClock(fixture.sandboxState.store, Date.parse('2030-02-10T00:00:00Z'));
    expect(charges(fixture).map(({ id, amount }) => [id, amount])).toEqual([
      ['club-1', '1000'],
      ['club-2', '550'],
      ['club-3', '100'],
    ]);
  });

  test('ends as was queued, else as the ending of its amount says', () => {
    const fixture = benchAt('2030-01-10T12:00:00Z');
    keep(fixture, { 'amount-sequence': '10.00,10.00,10.00', period: 'daily', interval: '1' });
    fixture.sandboxState.queueOutcome('funds', { clientOrderId: 'club-2' });
    moveClock(fixture.sandboxState.store, Date.parse('2030-01-14T00:00:00Z'));
    expect(charges(fixture).map((each) => each.status)).toEqual(['approved', 'declined', 'approved']);
    expect(status(fixture, 'club-2', '')).toMatchObject({ 'error-code': '51' });
  });
});
