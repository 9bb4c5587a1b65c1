import { moveClockBy } from '../sandbox/clock.js';
import type { Sandbox, SandboxState } from '../sandbox/index.js';
import { signRequest } from '../signing/library.js';
import { testCards } from '../spec/index.js';
import type { OrderedOperation, Prepared, Scenario, ScenarioOrder } from './scenario.js';

/** What CERTIFY_ORDER holds. */
export interface DriverOrder {
  readonly operation: OrderedOperation;
  /** The number of the order in the shop: the same whenever the same order is handed over. */
  readonly reference: string;
  /** What the payer does at the pages of the bank; in scenarios of 3-D Secure only. */
  readonly payer?: string;
  /**
   * The fields to send, by their names in the interface; login, control, OAuth and callback address are the client's.
   */
  readonly fields: Readonly<Record<string, string>>;
}

/** The earlier payment that an order refers to, by both its ids, and its card reference. */
export interface EarlierPayment {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly cardRef: string | undefined;
}

const payer = {
  email: 'jane@example.com',
  phone: '+4930123456',
  address1: 'Example Street 1',
  city: 'Berlin',
  zip_code: '10115',
  country: 'DE',
  ipaddress: '192.0.2.1',
} as const;
const recipient = { account_number: 'DE02120300000000202051', bank_name: 'DKB', bank_branch: 'Berlin' } as const;
const redirectUrl = 'https://shop.example/return';

/** The order as a driver gets it. */
export function driverOrder(
  scenario: Scenario,
  order: ScenarioOrder,
  reference: string,
  earlier: EarlierPayment | undefined,
  now: number,
): DriverOrder {
  return {
    ...{ operation: order.operation, reference },
    ...(scenario.setUp?.payer === undefined ? {} : { payer: scenario.setUp.payer }),
    fields: { ...orderFields(order, earlier, new Date(now).getUTCFullYear()), ...order.fields },
  };
}

function orderFields(order: ScenarioOrder, earlier: EarlierPayment | undefined, year: number): Record<string, string> {
  const { operation, amount = '10.42', currency = 'EUR' } = order;
  const ids = earlier === undefined ? {} : { client_orderid: earlier.clientOrderId, orderid: earlier.orderId };
  switch (operation) {
    case 'sale':
      return {
        ...{ amount, currency, ...cardFields(order.card ?? 'approved', year), order_desc: 'Two tickets', ...payer },
        redirect_url: redirectUrl,
      };
    case 'capture':
    case 'return':
      return { ...ids, amount, currency };
    case 'void':
      return ids;
    case 'rebill':
      return { cardrefid: earlier?.cardRef ?? '', amount, currency, order_desc: 'May', ipaddress: payer.ipaddress };
    default:
      return { amount, currency, ...recipient };
  }
}

function cardFields(name: string, year: number): Record<string, string> {
  const card = testCards.find((known) => known.name === name);
  if (card === undefined) throw new Error(`unknown test card ${name}`);
  return {
    credit_card_number: card.number,
    card_printed_name: 'JANE DOE',
    expire_month: '12',
    expire_year: String(year + 3),
    cvv2: card.cvv,
  };
}

const dayMs = 86_400_000;
const fiveYearsMs = 5 * 366 * dayMs;

/** Makes the earlier payment of a scenario, approved; undefined where it needs none. */
export function prepare(
  prepared: Prepared | undefined,
  reference: string,
  sandbox: Sandbox,
  state: SandboxState,
): EarlierPayment | undefined {
  if (prepared === undefined) return undefined;
  const { store } = state;
  const { login, endpointId, controlKey } = state.identity();
  const post = (operation: string, fields: Record<string, string>, values: readonly string[]) => {
    const url = `http://127.0.0.1/gateway/api/v2/${operation}/${endpointId}`;
    const { headers, body } = signRequest({ scheme: 'control', url, fields, values, keys: { controlKey } });
    const named = Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]);
    const request = { method: 'POST', url, headers: Object.fromEntries(named), body: Buffer.from(body) };
    const reply = sandbox.handle(request);
    if (reply.status !== 200) throw new Error(`the sandbox refused to prepare ${reference}: ${reply.body}`);
    return JSON.parse(reply.body) as Readonly<Record<string, string>>;
  };
  const clientOrderId = `${reference}-first`;
  const year = new Date(store.clock.now()).getUTCFullYear();
  const opened = post(
    prepared === 'preauth' ? 'preauth' : 'sale',
    { client_orderid: clientOrderId, ...orderFields({ operation: 'sale', amount: '25.00' }, undefined, year) },
    [endpointId, clientOrderId, '2500', payer.email],
  );
  const orderId = opened['paynet-order-id'] ?? '';
  moveClockBy(store, 1);
  if (prepared === 'settled-sale') moveClockBy(store, dayMs);
  if (prepared !== 'expired-card') return { orderId, clientOrderId, cardRef: undefined };
  const ids = { login, client_orderid: clientOrderId, orderid: orderId };
  const { 'card-ref-id': cardRef } = post('create-card-ref', ids, [login, clientOrderId, orderId]);
  moveClockBy(store, fiveYearsMs);
  return { orderId, clientOrderId, cardRef };
}
