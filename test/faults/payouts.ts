import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Home } from '../e2e/home.js';
import { makeKeys } from '../e2e/keys.js';
import { profileText } from '../e2e/shop.js';
import { readJournalFile } from '../support/journal-file.js';
import { expectSound } from '../support/user-journal.js';
import { answer, byPath, type Exchange, type Fault, faultServer } from './server.js';

/**
 * A merchant with files of payouts, and a gateway that carries out every request it gets, a second one for the same
 * order too.
 */
export interface Payouts {
  readonly home: Home;
  readonly port: number;
  /** How often the payout of an order arrived. */
  readonly paid: Map<string, number>;
  /** Makes a plan of so many rows. */
  plan(rows: number): Promise<Planned>;
  /** Asked whenever a payout has arrived: what goes wrong with it. */
  onFault(choose: ChooseFault): void;
  close(): Promise<void>;
}

type ChooseFault = () => { readonly wasMade: boolean; readonly fault: Fault } | undefined;

export interface Planned {
  readonly id: string;
  readonly orders: readonly string[];
}

const header = 'client_orderid,amount,currency,account_number,bank_name,bank_branch';

// So that several rows are on their way at once.
const replyMs = 20;

export async function startPayouts(): Promise<Payouts> {
  const paid = new Map<string, number>();
  let choose: ChooseFault = () => undefined;
  const gateway = await faultServer(
    byPath({
      '/payout/': {
        received: (socket, exchange) => {
          const order = orderIn(exchange);
          const wrong = choose();
          if (wrong?.wasMade !== false) paid.set(order, (paid.get(order) ?? 0) + 1);
          const reply = wrong?.fault ?? answer(JSON.stringify({ type: 'async-response', ...idsOf(order) }));
          setTimeout(() => reply.received?.(socket, exchange), replyMs);
        },
      },
      '/status/': {
        received: (socket, exchange) => {
          const order = orderIn(exchange);
          const known = JSON.stringify({ type: 'status-response', status: 'approved', ...idsOf(order) });
          (paid.has(order) ? answer(known) : noSuchOrder).received?.(socket, exchange);
        },
      },
    }),
  );
  const home = homeOf(gateway.url);
  let plans = 0;
  return {
    ...{ home, paid, port: gateway.port },
    plan(rows) {
      plans += 1;
      return planned(home, plans, rows);
    },
    onFault(wanted) {
      choose = wanted;
    },
    async close() {
      home.remove();
      await gateway.close();
    },
  };
}

const noSuchOrder = answer('{"type":"error","error-message":"No such order","error-code":"1"}', { status: 400 });

function orderIn({ body }: Exchange): string {
  return new URLSearchParams(body.toString('latin1')).get('client_orderid') ?? '';
}

function idsOf(order: string): Readonly<Record<string, string>> {
  return { 'paynet-order-id': order.replace('order-', ''), 'merchant-order-id': order };
}

/** Of class sandbox, so that questions about an unknown outcome take no minutes. */
function homeOf(url: string): Home {
  const home = new Home();
  const profile = profileText('shop', url, makeKeys(home.path)).replace('class: test', 'class: sandbox');
  mkdirSync(join(home.path, 'config'));
  home.write('config/config.yaml', `default-profile: shop\nprofiles:\n${profile}`);
  return home;
}

async function planned(home: Home, number: number, rows: number): Promise<Planned> {
  const orders = Array.from({ length: rows }, (_, at) => `order-${number * 1_000_000 + at + 1}`);
  const lines = orders.map((order) => `${order},1.00,EUR,${order.replace('order-', 'DE89')},Bank,Main`);
  const file = home.write(`payouts-${number}.csv`, `${[header, ...lines].join('\n')}\n`);
  const words = ['--operation', 'payout', '--expect-count', String(rows), '--expect-total', `EUR=${rows}.00`, '--json'];
  const { exit, out, err } = await home.call(['batch', 'plan', file, ...words]);
  expect(exit, err).toBe(0);
  return { id: String(JSON.parse(out).plan), orders };
}

export const runFlags = ['--rate', '2000/s', '--max-unknown', '100%', '--json'];

/**
 * Takes a batch that was broken off to its end, and holds every row against what arrived: none twice, none forgotten,
 * and none sent now that may have left before.
 */
export async function expectFinished({ home, paid }: Payouts, { id, orders }: Planned): Promise<void> {
  const mayHaveLeft = rowsOf(home).filter(({ state }) => state === 'sending' || state === 'unknown');
  const neverArrived = mayHaveLeft.map((row) => String(row['client_order_id'])).filter((order) => !paid.has(order));
  const ended = await home.call(['batch', 'run', id, ...runFlags]);
  expect([0, 8], ended.err).toContain(ended.exit);
  expect(neverArrived.filter((order) => paid.has(order))).toEqual([]);
  const entries = new Map(rowsOf(home).map((row) => [row['client_order_id'], row]));
  const found = orders.map((order) => ({ order, paid: paid.get(order) ?? 0, state: entries.get(order)?.['state'] }));
  for (const row of found) {
    // In doubt is only what may have left and never arrived.
    const wanted = row.paid === 0 && ended.exit === 8 ? { paid: 0, state: 'unknown' } : { paid: 1, state: 'done' };
    expect(row, `exit ${ended.exit}\n${ended.err}`).toEqual({ order: row.order, ...wanted });
  }
  await expectSound(home.path);
}

function rowsOf({ state }: Home): readonly Readonly<Record<string, unknown>>[] {
  return readJournalFile(state).requests;
}
