import { compose } from '../../src/payments/compose.js';
import type { GatewayConnection } from '../../src/payments/exchange.js';
import { usualReplyMs } from '../../src/payments/exchange.js';
import type { Delivery, HttpRequest } from '../../src/runtime/ports.js';
import { Secret } from '../../src/signing/index.js';
import { assumeDefaults, operationById } from '../../src/spec/index.js';
import { CountingRandom, reply, TestClock } from '../support/runtime.js';

const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };

interface Transaction {
  readonly type: string;
  amount: string;
  readonly serial: string;
}

/** An order as this gateway has it. */
interface Order {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly amount: string;
  readonly type: string;
  status: string;
  returned: number;
  newest: Transaction;
  readonly returns: Transaction[];
}

/**
 * A gateway that pays every sale and return it gets, whatever its id, and says what it did. `lose` and `answers` spoil
 * what it says about the next requests, not what it does.
 */
export class PayingGateway {
  readonly orders: Order[] = [];
  readonly requests: HttpRequest[] = [];
  readonly clock = new TestClock();
  /** Replies in place of its own, for one request each; `lose` does the work and says nothing. */
  readonly answers: (Delivery | 'lose' | undefined)[] = [];
  status = 'approved';

  /** Money that was taken from payers, in cents. */
  get taken(): number {
    return this.orders.reduce((sum, { amount }) => sum + Number(amount.replace('.', '')), 0);
  }

  get returned(): number {
    return this.orders.reduce((sum, { returned }) => sum + returned, 0);
  }

  /** The paths of the requests it got. */
  get paths(): readonly string[] {
    return this.requests.map(({ url }) => new URL(url).pathname.replace('/pay/api/v2/', '').replace(/\/\d+$/, ''));
  }

  readonly connection: GatewayConnection = {
    assume: assumeDefaults,
    replyMs: usualReplyMs,
    ports: {
      clock: this.clock,
      random: new CountingRandom(),
      transport: {
        post: async (request) => {
          this.requests.push(request);
          const answer = this.answers.shift();
          if (answer !== undefined && answer !== 'lose') return answer;
          const own = this.#answer(request);
          return answer === 'lose' ? lost : own;
        },
      },
    },
    target: (endpointId) => ({
      baseUrl: 'https://gate.example/pay',
      endpointId,
      login: 'shop',
      assume: assumeDefaults,
    }),
    credentials: async () => ({ login: 'shop', controlKey: new Secret('control-key') }),
  };

  /** An order made by somebody else. */
  add(clientOrderId: string, amount: string): Order {
    const orderId = String(500 + this.orders.length);
    const newest = { type: 'sale', amount, serial: `s-${orderId}` };
    const order = {
      orderId,
      clientOrderId,
      amount,
      type: 'sale',
      status: this.status,
      returned: 0,
      newest,
      returns: [],
    };
    this.orders.push(order);
    return order;
  }

  #answer({ url, body }: HttpRequest): Delivery {
    const fields = new URLSearchParams(String(body));
    const value = (name: string) => fields.get(name) ?? '';
    const operation = new URL(url).pathname.split('/').at(-2);
    if (operation === 'sale') {
      const { orderId, newest } = this.add(value('client_orderid'), value('amount'));
      return reply(200, {
        ...{ type: 'async-response', 'serial-number': newest.serial, 'end-point-id': '4001' },
        ...{ 'merchant-order-id': value('client_orderid'), 'paynet-order-id': orderId },
      });
    }
    const order = this.orders.find(
      ({ orderId, clientOrderId }) =>
        orderId === value('orderid') || (value('orderid') === '' && clientOrderId === value('client_orderid')),
    );
    if (order === undefined)
      return reply(400, {
        type: 'error',
        'error-message': 'Order not found',
        'error-code': '3',
        'serial-number': 's-0',
      });
    if (operation === 'return') return this.#return(order, value('amount'));
    return this.#statusOf(order, value('by-request-sn'));
  }

  #return(order: Order, amount: string): Delivery {
    const wanted = amount === '' ? Number(order.amount.replace('.', '')) : Number(amount.replace('.', ''));
    order.returned += wanted;
    order.newest = { type: 'reversal', amount: (wanted / 100).toFixed(2), serial: `r-${order.returned}` };
    order.returns.push(order.newest);
    return reply(200, {
      ...{ type: 'async-response', 'serial-number': order.newest.serial, 'end-point-id': '4001' },
      ...{ 'merchant-order-id': order.clientOrderId, 'paynet-order-id': order.orderId },
    });
  }

  /** Of the transaction with this serial number where there is one, else of the newest (A42). */
  #statusOf(order: Order, serial: string): Delivery {
    const { orderId, clientOrderId, amount, status, returned } = order;
    const named = order.returns.find((each) => each.serial === serial);
    const newest = named ?? order.newest;
    return reply(200, {
      ...{ type: 'status-response', 'serial-number': newest.serial, 'end-point-id': '4001' },
      ...{ 'merchant-order-id': clientOrderId, 'paynet-order-id': orderId, status, currency: 'EUR' },
      ...{ 'transaction-type': newest.type, amount: newest.amount, 'initial-amount': amount },
      ...(named === undefined ? {} : { 'by-request-sn': serial }),
      ...(returned === 0 ? {} : { 'total-reversal-amount': (returned / 100).toFixed(2) }),
    });
  }
}

const place = new PayingGateway().connection.target('4001');

export function sale(clientOrderId: string, amount = '10.00', endpointId = '4001') {
  const values = { clientOrderId, amount, currency: 'EUR', orderDesc: 'Tea', cardNumber: '4000000000000002' };
  return compose(operationById('SALE'), values, [], { ...place, endpointId });
}

export function refund(orderId: string, clientOrderId: string, amount?: string) {
  const sum = amount === undefined ? {} : { amount, currency: 'EUR' };
  return compose(operationById('RETURN'), { orderId, clientOrderId, ...sum, comment: 'back' }, [], place);
}
