import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, freePort, Home, type Running } from './home.js';

/** The built-in sandbox and a listener, each a process of its own, with one user. */
const home = new Home();
let sandbox: Running;

beforeAll(async () => {
  const ready = join(home.path, 'sandbox-ready');
  sandbox = await home.start(['sandbox', 'start', '--port', '0', '--ready-file', ready]);
  await eventually('the sandbox is ready', () => existsSync(ready) || undefined);
}, 60_000);

afterAll(async () => {
  sandbox.signal('SIGTERM');
  await sandbox.done;
  home.remove();
});

interface Line {
  readonly event: string;
  readonly order?: { readonly clientOrderId: string };
  readonly as?: string;
  readonly verified?: string;
  readonly status?: string;
  readonly type?: string;
}

const lines = (running: Running): Line[] =>
  running
    .out()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

test('a listener that is killed again and again loses nothing and counts nothing twice', {
  timeout: 120_000,
}, async () => {
  const own = new Home();
  const key = own.write('control.key', shopKey);
  const port = String(await freePort());
  const connection = [
    '--base-url',
    'http://127.0.0.1:9/gateway',
    '--login',
    'shop',
    '--endpoint-id',
    '5001',
    '--control-key-file',
    key,
  ];
  const start = () => own.start(['callback', 'listen', '--port', port, '--json', ...connection]);
  try {
    let running = await start();
    const many = 40;
    const life = 20;
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
    const orders = lines({ ...running, out: () => listed.out }).map(({ order }) => order?.clientOrderId);
    expect([orders.length, new Set(orders).size]).toEqual([many, many]);
  } finally {
    own.remove();
  }
});

const shopKey = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';

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
