import { afterAll, expect, test } from 'vitest';
import { eventually, Home } from './home.js';

const home = new Home();
afterAll(() => home.remove());

test('a sandbox that listens by another name is named', { timeout: 60_000 }, async () => {
  const queued = ['sandbox', 'outcomes', 'next', 'approved'];
  await home.call([...queued, '--name', 'boxa']);
  const doctor = async () => JSON.parse((await home.call(['doctor', '--json'])).out).checks;
  const server = await home.start(['sandbox', 'start', '--name', 'livebox', '--port', '0']);
  await eventually('it listens', () => (server.out().includes('Ctrl-C') ? true : undefined));
  expect(server.out()).toMatch(
    /^sandbox livebox ready: \S+\n {2}merchants and keys: paycli sandbox status --name livebox {3}stop: Ctrl-C\n$/,
  );
  expect((await home.call(['sandbox', 'status'])).err).toContain(
    '; on this machine: boxa, livebox (listening): --name NAME',
  );
  expect(await doctor()).toContainEqual(
    expect.objectContaining({
      check: 'sandbox',
      text: 'none yet; it is created when first used; sandbox livebox listens (PAYCLI_SANDBOX=livebox)',
    }),
  );
  const note = 'this is sandbox default; others on this machine: boxa, livebox (listening): --name NAME\n';
  expect((await home.call(queued)).err).toContain(note);
  const own = ['sandbox', 'start', '--port', '0', '--run', '--', 'true'];
  expect(await home.run(own)).toMatchObject({ exit: 0, err: expect.stringContaining(note) });
  expect(await doctor()).toContainEqual(
    expect.objectContaining({
      check: 'sandbox',
      text: expect.stringMatching(/; sandbox livebox listens \(PAYCLI_SANDBOX=livebox\)$/),
    }),
  );
  const stopped = await home.call(['sandbox', 'stop', '--name', 'livebox', '--json']);
  expect(JSON.parse(stopped.out)).toEqual({
    schema: 'paycli.sandbox-stopped/1',
    name: 'livebox',
    stopped: true,
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/gateway$/),
  });
  expect((await server.done).exit).toBe(0);
  const plain = await home.start(['sandbox', 'start', '--port', '0']);
  await eventually('it listens', () => (plain.out().includes('Ctrl-C') ? true : undefined));
  expect(plain.out()).toMatch(/^sandbox ready: \S+\n {2}merchants and keys: paycli sandbox status {3}stop: Ctrl-C\n$/);
  expect((await home.call(queued)).err).not.toContain('others');
  plain.signal('SIGTERM');
  await plain.done;
});

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
