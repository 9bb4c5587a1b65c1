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
