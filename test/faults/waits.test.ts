import { beforeAll, describe, expect, test } from 'vitest';
import type { Runtime } from '../../src/runtime/ports.js';
import { openTransport } from '../../src/runtime/transport.js';
import { paycli } from '../support/runtime.js';
import { openMerchants, sale } from './merchant.js';
import { type Fault, faults, trickle } from './server.js';

// Every limit a twentieth of what it is, inside this process; with REAL_WAITS the program as it is built.
const isReal = process.env['REAL_WAITS'] !== undefined;
const part = isReal ? 1 : 20;

// One merchant for each sale: by their clocks, sales side by side have been silent for long.
const { newMerchant, serve } = openMerchants();

interface Ended {
  readonly exit: number | null;
  readonly err: string;
  readonly seconds: number;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

async function sell(url: string): Promise<Ended> {
  const merchant = newMerchant();
  const start = performance.now();
  const { exit, err } = isReal
    ? await merchant.run(sale(), url)
    : await paycli(sale(), { home: merchant.home.path, env: merchant.reaching(url), outside: hurried });
  return { exit, err, seconds: (performance.now() - start) / 1000, rows: merchant.rows(url) };
}

function hurried(usual: Runtime): Runtime {
  const own = openTransport({}, {});
  return {
    ...usual,
    transport: async () => ({ ...own, post: (request, replyMs, signal) => own.post(request, replyMs / part, signal) }),
  };
}

// Not part of what is measured: the program may have to be built first.
beforeAll(() => newMerchant().home.run(['--version']), 60_000);

describe.concurrent(`the time is up, ${isReal ? 'in full' : 'at a twentieth'}`, () => {
  const why = 'no complete reply within';
  const limit = 60;
  const cases: readonly (readonly [row: string, fault: Fault])[] = [
    ['F8 a body of one byte in ten seconds', trickle(isReal ? 10_000 : 200)],
    ['F8 a body that stops', faults.stall],
  ];

  test.each(cases)('%s: exit 8, unknown, one body', { timeout: 120_000 }, async (_, fault) => {
    const server = await serve(fault);
    const { exit, err, seconds, rows } = await sell(server.url);
    expect(exit, err).toBe(8);
    expect(err).toContain(`money may have moved: ${why} ${limit / part} s\nnext:  do not send it again`);
    expect(seconds).toBeGreaterThan(limit / part - 0.5);
    expect(seconds).toBeLessThan(limit / part + 7);
    expect(rows).toMatchObject([{ state: 'unknown', attempt: 1, reason: expect.stringContaining(why) }]);
    expect(server.bodies()).toBe(1);
  });

  const replies = { 'is accepted': faults.accepted, 'loses its reply': faults.resetAfterBody };
  test.each([
    ['is accepted', 7],
    ['loses its reply', 8],
  ] as const)(
    'a sale that %s, and no status reply after it: --wait-timeout ends with %i, sent once',
    { timeout: 60_000 },
    async (what, exit) => {
      const server = await serve({
        received(socket, exchange) {
          if (!exchange.head.includes('/status/')) replies[what].received?.(socket, exchange);
        },
      });
      const merchant = newMerchant();
      const start = performance.now();
      const ran = await merchant.call([...sale(), '--wait', '--wait-timeout', '2'], server.url);
      expect(ran.exit, ran.err).toBe(exit);
      expect(performance.now() - start).toBeLessThan(20_000);
      expect(server.bodies('/sale/')).toBe(1);
      expect(merchant.rows(server.url)).toMatchObject([{ attempt: 1, state: exit === 7 ? 'accepted' : 'unknown' }]);
    },
  );
});
