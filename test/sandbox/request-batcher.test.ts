import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SandboxReply, SandboxRequest } from '../../src/sandbox/checks/request.js';
import { base, bodyOf, card, type Fixture, openFixture, payer, plainHeaders, sha1 } from './support.js';

/** One thing a client does. Ids and orders come from a few, so that they meet. */
interface Deed {
  readonly what:
    | 'sale'
    | 'preauth'
    | 'capture'
    | 'return'
    | 'void'
    | 'status'
    | 'wrong-control'
    | 'nonsense'
    | 'queued-fault';
  readonly id: number;
  readonly amount: number;
  readonly cvv: string;
}

const deed: fc.Arbitrary<Deed> = fc.record({
  what: fc.constantFrom(
    'sale',
    'preauth',
    'capture',
    'return',
    'void',
    'status',
    'wrong-control',
    'nonsense',
    'queued-fault',
  ),
  id: fc.integer({ min: 0, max: 5 }),
  amount: fc.constantFrom(500, 1042, 2000),
  cvv: fc.constantFrom('123', '116'),
});

const decimal = (minor: number) => (minor / 100).toFixed(2);

/** The request of a deed; the orders are those the first one of an id got, which both sides count alike. */
function requestOf({ what, id, amount, cvv }: Deed, key: string, orders: ReadonlyMap<number, string>): SandboxRequest {
  const client = `order-${id}`;
  const order = orders.get(id) ?? '1';
  const [path, fields] = ((): readonly [string, Record<string, string>] => {
    const opening = {
      client_orderid: client,
      amount: decimal(amount),
      currency: 'USD',
      ...card(undefined, cvv),
      ...payer,
      redirect_url: 'https://shop.example/r',
    };
    const openingControl = sha1(`4001${client}${amount}${payer['email']}${key}`);
    if (what === 'sale' || what === 'queued-fault') return ['sale', { ...opening, control: openingControl }];
    if (what === 'preauth') return ['preauth', { ...opening, control: openingControl }];
    if (what === 'wrong-control') return ['sale', { ...opening, control: sha1('x') }];
    if (what === 'nonsense') return ['sale', { unknown_field: 'x' }];
    const about = { client_orderid: client, orderid: order };
    if (what === 'status')
      return ['status', { login: 'sandbox', ...about, control: sha1(`sandbox${client}${order}${key}`) }];
    if (what === 'void')
      return ['void', { login: 'sandbox', ...about, control: sha1(`sandbox${client}${order}${key}`) }];
    const sum = { amount: decimal(amount), currency: 'USD' };
    const control = sha1(`sandbox${client}${order}${amount}USD${key}`);
    return [what, { login: 'sandbox', ...about, ...sum, ...(what === 'return' ? { comment: 'x' } : {}), control }];
  })();
  return {
    method: 'POST',
    url: `${base}/api/v2/${path}/4001`,
    headers: plainHeaders,
    body: Buffer.from(bodyOf(fields)),
  };
}

interface Run {
  readonly replies: readonly (readonly [status: number, said: unknown])[];
  readonly ledger: readonly unknown[];
  readonly openings: readonly unknown[];
  readonly kinds: readonly unknown[];
}

/** Plays groups of deeds, each group at one moment; `handle` answers a group. */
function play(
  groups: readonly (readonly Deed[])[],
  handle: (fixture: Fixture, group: readonly SandboxRequest[]) => readonly SandboxReply[],
): Run {
  const fixture = openFixture();
  const orders = new Map<number, string>();
  const replies: [number, unknown][] = [];
  for (const group of groups) {
    for (const { what, id } of group)
      if (what === 'queued-fault') fixture.sandboxState.queueOutcome('server-error', { clientOrderId: `order-${id}` });
    const requests = group.map((each) => requestOf(each, fixture.key, orders));
    for (const [at, reply] of handle(fixture, requests).entries()) {
      const fields = JSON.parse(reply.body);
      replies.push([reply.status, [fields.type, fields['paynet-order-id'], fields.status, fields['error-message']]]);
      const { what, id = -1 } = group[at] ?? {};
      if ((what === 'sale' || what === 'preauth') && reply.status === 200 && !orders.has(id))
        orders.set(id, fields['paynet-order-id']);
    }
    fixture.later();
  }
  fixture.sandbox.handleAll([]);
  const { database } = fixture;
  return {
    replies,
    ledger: database
      .all(
        'SELECT order_id, client_order_id, kind, amount, status, step, due_at, made_at, done_at FROM transactions ORDER BY id',
      )
      .map((row) => ({ ...row })),
    openings: database
      .all('SELECT login, client_order_id, operation FROM orders ORDER BY id')
      .map((row) => ({ ...row })),
    kinds: database.all('SELECT kind, order_id, title FROM events ORDER BY id').map((row) => ({ ...row })),
  };
}

let shared = 0;

test('requests answered together come to what they come to one after another at the same moment', () => {
  fc.assert(
    fc.property(fc.array(fc.array(deed, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 }), (groups) => {
      const together = play(groups, (fixture, group) => fixture.sandbox.handleAll(group));
      const alone = play(groups, (fixture, group) => group.map(fixture.sandbox.handle));
      expect(together).toEqual(alone);
      shared += groups.filter((group) => group.length > 1).length;
    }),
    { numRuns: Number(process.env['FC_RUNS'] ?? 4) },
  );
  expect(shared).toBeGreaterThan(0);
});
