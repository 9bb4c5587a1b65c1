import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { Home, type Ran } from '../e2e/home.js';
import { readJournalFile } from '../support/journal-file.js';

const money = ['--amount', '10.42', '--currency', 'USD'];

/** A merchant and the built-in sandbox, whose ledger is the judge. */
class Shop {
  readonly home = new Home();

  async run(argv: readonly string[], exit: number): Promise<Ran> {
    const ran = await this.home.call(argv);
    expect(ran.exit, `${argv.join(' ')}\n${ran.err}${ran.out}`).toBe(exit);
    return ran;
  }

  /** An approved order; its two ids as follow-ups take them. */
  async approved(command: 'sale' | 'preauth'): Promise<readonly string[]> {
    const { out } = await this.run([command, ...money, '--test-card', 'approved', '--wait', '--json'], 0);
    const { orderId, clientOrderId } = JSON.parse(out).order;
    return [orderId, '--client-order-id', clientOrderId];
  }

  /** Of one operation, according to the journal's own table. */
  entry(operation: string): Readonly<Record<string, unknown>> {
    const { requests } = readJournalFile(this.home.state, 'sandbox-requests.db');
    const found = requests.filter((row) => row['operation'] === operation);
    expect(found).toHaveLength(1);
    return { ...found[0] };
  }

  /** Transactions of one kind in the ledger of the sandbox. */
  executed(kind: string): number {
    const database = new DatabaseSync(join(this.home.state, 'sandbox/default.db'), { readOnly: true });
    try {
      return database.prepare('SELECT * FROM transactions WHERE kind = ?').all(kind).length;
    } finally {
      database.close();
    }
  }

  async states(): Promise<Readonly<Record<string, string>>> {
    const { entries }: { entries: { operation: string; state: string }[] } = JSON.parse(
      (await this.run(['journal', '--json'], 0)).out,
    );
    return Object.fromEntries(entries.map(({ operation, state }) => [operation, state]));
  }
}

const shops: Shop[] = [];
const newShop = () => {
  const shop = new Shop();
  shops.push(shop);
  return shop;
};

afterAll(() => {
  for (const { home } of shops) home.remove();
});

const saleWords = ['sale', ...money, '--test-card', 'approved', '--client-order-id', 'order-1'];

describe.concurrent('HTTP 500 after a sale', () => {
  test('F24 that was done is settled by the same command: exit 8, then 0', async () => {
    const shop = newShop();
    await shop.run(['sandbox', 'outcomes', 'next', 'server-error-done', '--client-order-id', 'order-1'], 0);
    const { err } = await shop.run(saleWords, 8);
    expect(err).toMatch(/HTTP 500.*\nnext: {2}do not send it again; resolve it with `paycli resolve order-1`/);
    expect(shop.entry('SALE')).toMatchObject({ state: 'unknown', attempt: 1 });
    await new Promise((settled) => setTimeout(settled, 400));
    await shop.run([...saleWords, '--wait'], 0);
    expect(await shop.states()).toEqual({ SALE: 'done' });
    expect(shop.entry('SALE')).toMatchObject({ state: 'done', attempt: 1, minor: '1042' });
    expect(shop.executed('sale')).toBe(1);
  });
});

describe.concurrent('a follow-up', () => {
  const give = ['--amount', '5.00', '--currency', 'USD'];

  test('F24 a return answered 500 with the effect done: exit 8, then 0, one return in the ledger', async () => {
    const shop = newShop();
    const order = await shop.approved('sale');
    await shop.run(['sandbox', 'outcomes', 'next', 'server-error-done', '--order', order[0] ?? ''], 0);
    await shop.run(['return', ...order, ...give], 8);
    expect(shop.entry('RETURN')).toMatchObject({ state: 'unknown', order_id: order[0], minor: '500' });
    await shop.run(['return', ...order, ...give, '--wait'], 0);
    expect(await shop.states()).toEqual({ SALE: 'done', RETURN: 'done' });
    expect(shop.executed('reversal')).toBe(1);
  });

  test('F25 a return answered 500 with no effect is not taken as done because the sale is approved', async () => {
    const shop = newShop();
    const order = await shop.approved('sale');
    await shop.run(['sandbox', 'outcomes', 'next', 'server-error', '--order', order[0] ?? ''], 0);
    await shop.run(['return', ...order, ...give], 8);
    for (const again of [
      ['return', ...order, ...give, '--wait'],
      ['resolve', order[0] ?? ''],
    ]) {
      const { err } = await shop.run(again, 8);
      expect(err).toContain('the status describes another transaction of this order');
    }
    await shop.run(['status', ...order, '--wait'], 0);
    expect(await shop.states()).toEqual({ SALE: 'done', RETURN: 'unknown' });
    // While it is in doubt, nothing else may touch the order.
    const { err } = await shop.run(['return', ...order, '--amount', '1.00', '--currency', 'USD'], 10);
    expect(err).toContain(`resolve it first with \`paycli resolve ${order[0]}\``);
    expect(shop.executed('reversal')).toBe(0);
    expect(shop.entry('RETURN')).toMatchObject({ state: 'unknown', attempt: 1 });
  });

  test('a capture that is still processing: --wait ends with 7, never on the older approved; then done', async () => {
    const shop = newShop();
    const order = await shop.approved('preauth');
    await shop.run(['sandbox', 'outcomes', 'next', 'slow', '--order', order[0] ?? ''], 0);
    await shop.run(['capture', ...order, ...give, '--wait', '--wait-timeout', '1'], 7);
    expect(await shop.states()).toEqual({ PREAUTH: 'done', CAPTURE: 'accepted' });
    await shop.run(['capture', ...order, ...give, '--wait', '--wait-timeout', '1'], 7);
    await shop.run(['resolve'], 7);
    expect(shop.entry('CAPTURE')).toMatchObject({ state: 'accepted', attempt: 1 });
    await shop.run(['sandbox', 'clock', '+2h'], 0);
    await shop.run(['capture', ...order, ...give, '--wait'], 0);
    expect(shop.entry('CAPTURE')).toMatchObject({ state: 'done', attempt: 1 });
    expect(shop.executed('capture')).toBe(1);
  });
});
