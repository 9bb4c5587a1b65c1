import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Running } from '../e2e/home.js';
import { type Merchant, openMerchants, sale } from './merchant.js';
import { answer, byPath, type Fault, type FaultServer, faults } from './server.js';

// The writes of SQLite are many, and so are the moments of a kill: all of them in a long run only.
const isLong = process.env['EVERY_WRITE'] !== undefined;
const rounds = isLong ? 20 : 2;

const { newMerchant, serve } = openMerchants();

const approved = answer(
  '{"type":"status-response","paynet-order-id":"17","merchant-order-id":"order-1","status":"approved"}',
);
const noRecord = answer('{"type":"validation-error","error-message":"order not found","error-code":"3"}', {
  status: 400,
});

interface Scene {
  readonly merchant: Merchant;
  readonly server: FaultServer;
}

/** A merchant whose journal is there already, and a gateway that knows of a sale once its body has arrived. */
async function scene(onSale: Fault = faults.accepted, knows = () => true): Promise<Scene> {
  const merchant = newMerchant();
  const server: FaultServer = await serve(
    byPath({
      '/sale/': onSale,
      '/status/': {
        received: (...on) => (server.bodies('/sale/') > 0 && knows() ? approved : noRecord).received?.(...on),
      },
    }),
  );
  await merchant.call(['journal'], server.url);
  return { merchant, server };
}

const rowOf = ({ merchant, server }: Scene) => merchant.rows(server.url)[0];

describe.concurrent('SIGKILL', () => {
  test('F32 between the journal and the connection: only asked about, never sent', { tags: 'strace' }, async () => {
    const whole = await scene();
    // Nothing matches a thousandth call, so this only counts. Before the gateway, the names of users are looked up.
    const undisturbed = ['connect:signal=KILL:when=1000'];
    await whole.merchant.traced(undisturbed, sale(), whole.merchant.reaching(whole.server.url));
    const connects = readFileSync(join(whole.merchant.home.path, 'trace'), 'utf8').split('\n');
    const when = connects.findIndex((line) => line.includes('AF_INET')) + 1;
    const at = await scene();
    const { merchant, server } = at;
    await merchant.traced([`connect:signal=KILL:when=${when}`], sale(), merchant.reaching(server.url));
    expect(rowOf(at)).toMatchObject({ state: 'sending', attempt: 1 });
    expect(await merchant.entries(server.url)).toMatchObject([{ state: 'sending' }]);
    expect(server.exchanges).toEqual([]);
    const { exit, err } = await merchant.call(sale(), server.url);
    expect(exit, err).toBe(8);
    expect(err).toContain('the gateway has no such order');
    expect(rowOf(at)).toMatchObject({ state: 'unknown', attempt: 1 });
    expect((await merchant.call(['resolve'], server.url)).exit).toBe(8);
    expect(server.bodies('/sale/')).toBe(0);
    await merchant.expectWhole();
  });

  test('F33 between the request and its reply: settled by status', async () => {
    let running: Running | undefined;
    const at = await scene({ received: () => running?.signal('SIGKILL') });
    const { merchant, server } = at;
    running = await merchant.home.start(sale(), merchant.reaching(server.url));
    expect((await running.done).exit).toBe(null);
    expect(rowOf(at)).toMatchObject({ state: 'sending', attempt: 1 });
    expect(await merchant.entries(server.url)).toMatchObject([{ state: 'sending' }]);
    const { exit, err } = await merchant.call(sale(), server.url);
    expect(exit, err).toBe(0);
    expect(rowOf(at)).toMatchObject({ state: 'done', attempt: 1, order_id: '17' });
    expect(merchant.states(1)).toEqual(['sending', 'unknown', 'done']);
    expect(server.bodies('/sale/')).toBe(1);
    await merchant.expectWhole();
  });

  test(`F35 ${rounds} times while it is settled: states move forward only, and nothing is sent again`, async () => {
    let isFound = false;
    const { merchant, server } = await scene(faults.resetAfterBody, () => isFound);
    expect((await merchant.call(sale(), server.url)).exit).toBe(8);
    const known = merchant.states(1);
    const kill = async (round: number) => {
      const words = round % 2 === 0 ? sale() : ['resolve', '--client-order-id', 'order-1'];
      const running = await merchant.home.start(words, merchant.reaching(server.url));
      await pause(40 + Math.random() * 200);
      running.signal('SIGKILL');
      await running.done;
      const now = merchant.states(1);
      expect(now.slice(0, known.length)).toEqual(known);
      known.splice(0, known.length, ...now);
    };
    for (let round = 0; round < rounds; round += 1) await kill(round);
    isFound = true;
    expect((await merchant.call(['resolve', '--client-order-id', 'order-1'], server.url)).exit).toBe(0);
    expect(merchant.states(1)).toEqual(['sending', 'unknown', 'done']);
    expect(server.bodies('/sale/')).toBe(1);
    await merchant.expectWhole();
  });
});

const calls = isLong ? ['fsync', 'rename', 'pwrite64'] : ['fsync', 'rename'];

describe.concurrent('F31–F34 SIGKILL at every write of a sale', { tags: 'strace' }, () => {
  /** How often an undisturbed sale makes a system call. */
  async function countOf(call: string): Promise<number> {
    const { merchant, server } = await scene();
    // Nothing matches a thousandth call, so this only counts.
    const { exit, err } = await merchant.traced(
      [`${call}:signal=KILL:when=1000`],
      sale(),
      merchant.reaching(server.url),
    );
    expect(exit, err).toBe(0);
    return readFileSync(join(merchant.home.path, 'trace'), 'utf8').match(new RegExp(`\\b${call}\\(`, 'g'))?.length ?? 0;
  }

  test.each(calls)('%s', { timeout: 120_000 }, async (call) => {
    const count = await countOf(call);
    // The mark is renamed into its place before the request and after it.
    expect(count).toBeGreaterThanOrEqual(2);
    const seen = { sent: 0, unsent: 0 };
    // By day a quarter of the many flushes.
    const step = isLong || count < 6 ? 1 : 4;
    for (let at = 1; at <= count; at += step) {
      const now = await scene();
      const { merchant, server } = now;
      await merchant.traced([`${call}:signal=KILL:when=${at}`], sale(), merchant.reaching(server.url));
      const wasSent = server.bodies('/sale/') === 1;
      const before = rowOf(now)?.['state'];
      if (wasSent) expect(['sending', 'accepted'], `${call} ${at}`).toContain(before);
      const { exit, err } = await merchant.call(sale(), server.url);
      const after = rowOf(now)?.['state'];
      const found = { at, before, after, exit, bodies: server.bodies('/sale/') };
      if (wasSent) expect(found, err).toMatchObject({ exit: 0, after: 'done', bodies: 1 });
      else if (before === 'sending') expect(found, err).toMatchObject({ exit: 8, after: 'unknown', bodies: 0 });
      else expect(found, err).toMatchObject({ exit: 0, after: 'accepted', bodies: 1 });
      await merchant.expectWhole();
      seen[wasSent ? 'sent' : 'unsent'] += 1;
    }
    expect(seen.sent).toBeGreaterThan(0);
    expect(seen.unsent).toBeGreaterThan(0);
  });
});
