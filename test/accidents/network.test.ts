import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../e2e/home.js';
import { program } from '../e2e/program.js';
import { sale } from '../faults/merchant.js';
import { type Fault, faults, raw } from '../faults/server.js';
import { openMerchants } from './merchants.js';

const { newMerchant, serve } = openMerchants();
const merchant = newMerchant();
beforeAll(program, 120_000);

const body = '{"type":"async-response","paynet-order-id":"17","merchant-order-id":"order-1"}';
const reply = `HTTP/1.1 200 OK\r\ncontent-type: application/vnd.pay+json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const next = 'HTTP/1.1 100 Continue\r\n\r\n';

/** An interim reply, and the real one some time later. */
function inPieces(...pieces: readonly string[]): Fault {
  return {
    async received(socket) {
      for (const piece of pieces) {
        socket.write(piece, 'latin1');
        await pause(50);
      }
      socket.end();
    },
  };
}

describe.concurrent('an interim reply that nobody asked for', () => {
  test.each<[string, Fault, exit: number, state: string]>([
    [
      '102 and 103 are skipped, and the real one counts',
      raw(`HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${reply}`),
      ...([0, 'accepted'] as const),
    ],
    ['100 Continue leaves the outcome open', raw(next + reply), 8, 'unknown'],
    ['100 Continue some time before the reply, too', inPieces(next, reply), 8, 'unknown'],
  ])('%s', async (_, fault, exit, state) => {
    const server = await serve(fault);
    const ran = await merchant.call(sale(), server.url);
    expect(ran.exit, ran.err).toBe(exit);
    expect(server.bodies('/sale/')).toBe(1);
    expect(merchant.rows(server.url)).toMatchObject([{ state }]);
  });
});

test('a second Ctrl-C, however soon, ends as the first: 8 and how to resolve it', async () => {
  const server = await serve(faults.silence);
  for (const gap of [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 24]) {
    const id = `order-${gap}`;
    // Each another payment.
    const words = sale(id).map((word) => (word === '10.42' ? `${20 + gap}.00` : word));
    const running = await merchant.home.start(words, merchant.reaching(server.url));
    await eventually('the whole request', () => server.exchanges.find((each) => each.body.includes(`${id}&`)));
    running.signal('SIGINT');
    await pause(gap);
    // Until it has ended: one of them comes at the worst moment.
    const again = setInterval(() => running.signal('SIGINT'), 1);
    const ran = await running.done;
    clearInterval(again);
    expect({ gap, exit: ran.exit }).toEqual({ gap, exit: 8 });
    expect(ran.err).toContain('paycli resolve');
  }
  for (const row of merchant.rows(server.url)) expect(row).toMatchObject({ state: 'unknown' });
}, 60_000);
