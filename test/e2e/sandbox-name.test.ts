import { afterAll, expect, test } from 'vitest';
import { Home } from './home.js';

const home = new Home();
afterAll(() => home.remove());

test('a merchant that is there gets a new control key as the refusal to add it again says', async () => {
  const merchants = async () =>
    JSON.parse((await home.call(['sandbox', 'status', '--name', 'rotate', '--json'])).out).merchants;
  const ownMerchant = async () => (await merchants()).find(({ login }: { login: string }) => login === 'shop-a');
  const add = ['sandbox', 'merchant', 'add', '--name', 'rotate', '--login', 'shop-a'];
  expect((await home.call([...add, '--endpoint-id', '7007'])).exit).toBe(0);
  const before = await ownMerchant();
  const refused = await home.call([...add, '--endpoint-id', '7008']);
  const suggested = /`paycli (sandbox start [^`]*)`/.exec(refused.err)?.[1] ?? '';
  expect(suggested).toBe('sandbox start --login shop-a --endpoint-id 7007 --control-key-file FILE --name rotate');
  const file = home.write('next-control.key', 'a-new-control-key-of-the-test\n');
  const words = suggested.replace('FILE', file).split(' ');
  expect((await home.run([...words, '--port', '0', '--run', '--', 'true'])).exit).toBe(0);
  expect(await ownMerchant()).toEqual({ ...before, controlKey: 'a-new-control-key-of-the-test' });
});
