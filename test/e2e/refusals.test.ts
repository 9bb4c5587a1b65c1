// @module-tag openssl
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMerchants } from '../faults/merchants.js';
import { eventually, Home } from './home.js';
import { type Gateway, payerFlags, startGateway } from './shop.js';

const money = ['--amount', '10.42', '--currency', 'USD'];
const sale = ['sale', ...money, '--test-card', 'approved', '--client-order-id', 'order-1'];

let gateway: Gateway;
let home: Home;

beforeAll(async () => {
  gateway = await startGateway();
  home = new Home();
}, 60_000);

const { serve } = openMerchants();
afterAll(async () => {
  home.remove();
  await gateway.close();
});

/** A connection to another server, made by the environment. */
function reaching(url: string) {
  const { control, pkcs8 } = gateway.keys;
  return {
    PAYCLI_BASE_URL: url,
    PAYCLI_LOGIN: 'shop',
    PAYCLI_ENDPOINT_ID: '5001',
    PAYCLI_CONTROL_KEY_FILE: control,
    PAYCLI_PRIVATE_KEY_FILE: pkcs8,
    ...apart(),
  };
}

let apartments = 0;

/** A journal of its own: equal payments of one user at once would stop each other. */
function apart() {
  apartments += 1;
  return { PAYCLI_STATE_DIR: `${home.path}/state-${apartments}`, PAYCLI_ASK_FIRST: 'off' };
}
const complete = [...sale, '--redirect-url', 'https://shop.example/', ...payerFlags];

describe.concurrent('nothing is sent', () => {
  test('when Ctrl-C comes while the connection is made: exit 130', async () => {
    // It takes the connection and never says anything, so TLS stays half open.
    let connected = false;
    const server = await serve({
      connected: () => {
        connected = true;
      },
    });
    const running = await home.start([...complete, '--json'], reaching(server.url.replace('http:', 'https:')));
    await eventually('a connection', () => connected || undefined);
    running.signal('SIGINT');
    const { exit, out, err } = await running.done;
    expect({ exit, out }).toEqual({ exit: 130, out: '' });
    expect(err).toContain('no payment was sent');
    expect(server.bodies()).toBe(0);
  });
});

describe.concurrent('the outcome is known', () => {
  /** For the merchant in the box, whom the home of the listening sandbox has without a profile. */
  const queue = async (name: string, id: string) => {
    const { exit, err } = await gateway.home.call(['sandbox', 'outcomes', 'next', name, '--client-order-id', id]);
    expect(exit, err).toBe(0);
  };

  test('Ctrl-C during the wait: exit 7, since the request was accepted', async () => {
    await queue('slow', 'slow-1');
    // Not the amount of another test in this home, whose payment may be in doubt by then.
    const other = ['--amount', '10.43', '--currency', 'USD'];
    const words = ['sale', ...other, '--test-card', 'approved', '--client-order-id', 'slow-1', '--wait', '--verbose'];
    const running = await gateway.home.start(words);
    await eventually(
      'an answered question',
      () => (running.err().match(/^< HTTP 200/gm) ?? []).length > 1 || undefined,
    );
    running.signal('SIGINT');
    const { exit, out, err } = await running.done;
    expect(exit, err).toBe(7);
    expect(out).toContain('next: paycli status ');
  });
});
