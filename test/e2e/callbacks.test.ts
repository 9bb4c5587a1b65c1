import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventually, freePort, Home } from './home.js';

/** CALLBACKS=10000 for the nightly run. */
const many = Number(process.env['CALLBACKS'] ?? 24);
/** How many of them come between two kills. */
const life = Math.max(20, Math.ceil(many / 12));
const shopKey = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';

test('a listener that is killed again and again loses nothing and counts nothing twice', {
  timeout: 120_000 + many * 50,
}, async () => {
  const own = new Home();
  const key = own.write('control.key', shopKey);
  const port = String(await freePort());
  const connection = [
    ...['--base-url', 'http://127.0.0.1:9/gateway', '--login', 'shop'],
    ...['--endpoint-id', '5001', '--control-key-file', key],
  ];
  const start = () => own.start(['callback', 'listen', '--port', port, '--json', ...connection]);
  try {
    let running = await start();
    for (let at = 0; at < many; at += 1) {
      if (at % life === life - 1) {
        const sent = delivered(port, at);
        running.signal('SIGKILL');
        await running.done;
        running = await start();
        await sent;
      } else await delivered(port, at);
      if (at % 10 === 0) await delivered(port, at);
    }
    // The one before may have been answered by the listener that was killed: only an answer says that this one is ready
    // for a signal.
    await delivered(port, 0);
    running.signal('SIGTERM');
    expect((await running.done).exit).toBe(0);
    const listed = await own.call(['callback', 'list', '-o', 'ndjson', '--profile', 'flags']);
    const orders = listed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).order.clientOrderId);
    expect([orders.length, new Set(orders).size]).toEqual([many, many]);
  } finally {
    own.remove();
  }
});

/** As a gateway delivers: until it is answered with 200. */
async function delivered(port: string, at: number): Promise<void> {
  const control = createHash('sha1')
    .update(`approved${1000 + at}order-${at}${shopKey}`)
    .digest('hex');
  const query = new URLSearchParams({
    status: 'approved',
    orderid: String(1000 + at),
    client_orderid: `order-${at}`,
    type: 'sale',
    control,
  });
  await eventually('it is taken', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/callback?${query}`).catch(() => undefined);
    return answer?.status === 200 || undefined;
  });
}
