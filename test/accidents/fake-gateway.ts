import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, type Ran, reply } from '../support/runtime.js';

type Fields = Readonly<Record<string, string>>;

export interface Asked {
  /** As in the path: sale, payout, status. */
  readonly operation: string;
  readonly clientOrderId: string;
  readonly orderId: string;
}

/** A gateway for any number of homes, which answers as a test says. */
export class FakeGateway {
  readonly requests: Asked[] = [];
  /** What status shows of an order, by its client order id. */
  readonly orders = new Map<string, Fields>();
  /** What it does with a payment; left out: takes it, and it is approved. */
  onPayment: (asked: Asked) => Delivery | undefined = () => undefined;
  onStatus: (asked: Asked) => Delivery | undefined = () => undefined;

  async run(home: string, argv: readonly string[]): Promise<Ran> {
    return paycli([...argv, '--json'], {
      home,
      outside: (usual) => ({
        ...usual,
        // Waits of many minutes in few steps.
        clock: {
          now: () => usual.clock.now(),
          monotonic: () => usual.clock.monotonic(),
          sleep: (ms) => usual.clock.sleep(Math.max(ms, 500)),
        },
        transport: async () => ({
          post: async ({ url, body }) => this.#answer(url, new URLSearchParams(body)),
          close: async () => undefined,
        }),
      }),
    });
  }

  /** The operations that were asked for, as `status row-1`, from the request `from` on. */
  asked(from = 0): string[] {
    return this.requests.slice(from).map(({ operation, clientOrderId }) => `${operation} ${clientOrderId}`);
  }

  /** How often a payment with this id arrived. */
  sent(id: string): number {
    return this.requests.filter(({ operation, clientOrderId }) => operation !== 'status' && clientOrderId === id)
      .length;
  }

  #answer(url: string, body: URLSearchParams): Delivery {
    const operation = new URL(url).pathname.split('/').at(-2) ?? '';
    const clientOrderId = body.get('client_orderid') ?? '';
    const asked = { operation, clientOrderId, orderId: body.get('orderid') ?? '' };
    this.requests.push(asked);
    if (operation === 'status') return this.onStatus(asked) ?? this.#status(asked);
    const special = this.onPayment(asked);
    if (special !== undefined) return special;
    this.orders.set(clientOrderId, {
      // A29: status names both steps of a payout by the same type.
      ...{
        'transaction-type': operation.replace('-pay', ''),
        status: 'approved',
        currency: body.get('currency') ?? '',
      },
      ...{ amount: body.get('amount') ?? '', 'initial-amount': body.get('amount') ?? '' },
    });
    return reply(200, { type: 'async-response', 'serial-number': 's', ...idsOf(clientOrderId) });
  }

  #status({ clientOrderId }: Asked): Delivery {
    const order = this.orders.get(clientOrderId);
    return order === undefined
      ? noSuchOrder
      : reply(200, { type: 'status-response', 'serial-number': 't', ...idsOf(clientOrderId), ...order });
  }
}

function idsOf(clientOrderId: string): Fields {
  return { 'merchant-order-id': clientOrderId, 'paynet-order-id': `7${clientOrderId.replace(/\D/g, '')}` };
}

export const refusal = (message: string, status = 400): Delivery =>
  reply(status, { type: 'validation-error', 'serial-number': '1', 'error-message': message, 'error-code': '1' });
export const noSuchOrder = refusal('No such order');
export const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };

const header = 'client_orderid,amount,currency,account_number,bank_name,bank_branch';

/** Plans payouts row-1, row-2 and so on, of 10.42 EUR each; the plan's id. */
export async function planPayouts(home: string, count: number, gateway = new FakeGateway()): Promise<string> {
  const file = join(home, 'payouts.csv');
  const rows = Array.from(
    { length: count },
    (_, at) => `row-${at + 1},10.42,EUR,DE89370400440532${at + 1000},Bank,Main`,
  );
  writeFileSync(file, [header, ...rows, ''].join('\n'), { mode: 0o600 });
  const total = `EUR=${(count * 10.42).toFixed(2)}`;
  const words = ['--operation', 'payout', '--expect-count', String(count), '--expect-total', total];
  const planned = await gateway.run(home, ['batch', 'plan', file, ...words]);
  expect(planned.exit, planned.err).toBe(0);
  return String(JSON.parse(planned.out).plan);
}

export async function entriesOf(home: string): Promise<readonly { readonly state: string; readonly reason: string }[]> {
  return JSON.parse((await paycli(['journal', '--json'], { home })).out).entries;
}

/** The error that a command printed, after its notes. */
export function errorIn({ err }: Ran): { readonly code: string; readonly message: string } {
  return JSON.parse(err.slice(err.indexOf('{')));
}
