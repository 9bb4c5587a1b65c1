import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCallbackStore } from '../../src/callbacks/store.js';
import { sqlite } from '../../src/runtime/database.js';
import { temporaryHome } from '../support/runtime.js';
import { openFixture, openListener, queryOf, saleFields, testSecrets } from './support.js';

/** CALLBACKS=10000 for the nightly run. */
const many = Number(process.env['CALLBACKS'] ?? 150);
const restartEvery = Math.ceil(many / 12);

test('callbacks delivered while the listener is started anew are neither lost nor counted twice', {
  timeout: 600_000,
}, async () => {
  const path = join(temporaryHome(), 'callbacks.db');
  let open = await started(path);
  let restarts = 0;
  const sending: Promise<void>[] = [];
  for (let at = 0; at < many; at += 1) {
    // As a gateway does: again and again until it is answered with 200, and now and then once more after that.
    const query = queryOf(saleFields({ orderid: String(100_000 + at), client_orderid: `order-${at}` }));
    sending.push(delivered(() => `${open.url}?${query}`, at % 7 === 0 ? 2 : 1));
    if (sending.length < 25) continue;
    if (at % restartEvery < 25 && restarts < at / restartEvery) {
      restarts += 1;
      // In the middle of what is under way.
      await open.kill();
      open = await started(path);
    }
    await Promise.all(sending.splice(0));
  }
  await Promise.all(sending);
  await open.kill();
  const store = openCallbackStore(sqlite.open(path), testSecrets);
  const all = store.list();
  expect(restarts).toBeGreaterThan(5);
  expect(new Set(all.map(({ orderId }) => orderId)).size).toBe(many);
  expect(all).toHaveLength(many);
  expect(all.every(({ verified }) => verified === 'fits')).toBe(true);
  store.close();
});

async function started(path: string) {
  const store = openCallbackStore(sqlite.open(path), testSecrets);
  const { receiver } = openFixture({ store });
  const listener = await openListener(receiver.receive);
  return {
    url: listener.url,
    async kill() {
      await listener.close();
      await receiver.idle();
      store.close();
    },
  };
}

async function delivered(url: () => string, times: number): Promise<void> {
  for (let left = times; left > 0; ) {
    const status = await fetch(url()).then(
      (answer) => answer.status,
      () => undefined,
    );
    if (status === 200) left -= 1;
    else await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
