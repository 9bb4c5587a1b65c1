import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, lost, saleFlags, statusReply, taken } from './profiles.js';

const run = (home: string, argv: string | readonly string[], ...replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const status = (word: string, more: Readonly<Record<string, string>> = {}) =>
  reply(200, statusReply(word, { 'transaction-type': 'sale', amount: '10.42', currency: 'USD', ...more }));

describe('a request that was sent before says that nothing was sent', () => {
  test.each([
    ['approved', 0],
    ['declined', 5],
  ])('with the outcome %s', async (word, exit) => {
    const home = homeWithProfile();
    const first = await run(home, [...saleFlags, '--wait', '--json'], reply(200, taken), status(word));
    expect([first.exit, JSON.parse(first.out).sent]).toEqual([exit, undefined]);
    const again = await run(home, [...saleFlags, '--wait', '--json']);
    expect([again.exit, again.requests.length]).toEqual([exit, 0]);
    expect(JSON.parse(again.out)).toMatchObject({
      sent: false,
      meaning: expect.stringMatching(/; nothing was sent now$/),
    });
    expect((await run(home, [...saleFlags, '--wait'])).out).toMatch(
      new RegExp(`^. (?:already )?${word}.*; nothing was sent now$`, 'm'),
    );
    expect((await run(home, [...saleFlags, '--wait', '--fields=sent,result.status'])).out).toContain('"sent": false');
  });

  test('where its status is only queried', async () => {
    const home = homeWithProfile();
    expect((await run(home, saleFlags, reply(200, taken))).exit).toBe(0);
    const again = await run(home, [...saleFlags, '--json'], status('processing'));
    expect([again.exit, JSON.parse(again.out)]).toEqual([0, expect.objectContaining({ sent: false })]);
  });

  test('where a person settled it', async () => {
    const home = homeWithProfile();
    expect((await run(home, saleFlags, lost)).exit).toBe(8);
    const settle = ['resolve', '902B4FF5', '--offline', '--settle-as', 'paid', '--evidence', 'statement, line 4'];
    expect((await run(home, settle)).exit).toBe(0);
    const again = await run(home, [...saleFlags, '--json']);
    expect(JSON.parse(again.out)).toMatchObject({
      sent: false,
      meaning: expect.stringMatching(/^marked as paid by hand at .*Z; nothing was sent now$/),
    });
  });
});

describe('an equal follow-up is said to be done already, and what a second one takes', () => {
  test.each([
    ['return', 'sale', ['--amount', '5.00'], 'return of 5.00 EUR'],
    ['capture', 'preauth', ['--amount', '5.00'], 'capture of 5.00 EUR'],
    ['void', 'preauth', ['--comment', 'x'], 'void'],
  ])('%s', async (command, opening, flags, words) => {
    const home = temporaryHome();
    const ids = ['--client-order-id', 'e-1', '--amount', '25.00', '--currency', 'EUR', '--test-card', 'approved'];
    expect((await run(home, [opening, ...ids, '--wait'])).exit).toBe(0);
    const line = [command, 'e-1', ...flags, '--wait'];
    expect((await run(home, line)).exit).toBe(0);
    const again = await run(home, line);
    expect(again.exit).toBe(0);
    expect(again.out).toMatch(/^! already approved; nothing was sent now/);
    expect(again.err).toMatch(
      new RegExp(`^warning: an equal ${words} on order \\d+ was already sent; it has been approved`, 'm'),
    );
    expect(again.err).toMatch(/; if a second one is meant, --again sends it as well$/m);
    const json = JSON.parse((await run(home, [...line, '--json'])).out);
    expect(json).toMatchObject({ sent: false, meaning: 'already approved; nothing was sent now' });
  });
});

describe('an equal upload of 3-D Secure, whose order has an outcome of its own', () => {
  const cRes = Buffer.from(JSON.stringify({ transStatus: 'N' })).toString('base64url');
  const upload = ['upload-3ds', 'cres', '12345', '--c-res', cRes, '--client-order-id', '902B4FF5', '--wait'];

  test.each([
    ['declined', [], 5],
    ['declined', ['--expect', 'approved'], 11],
    ['declined', ['--expect', 'declined'], 0],
    ['approved', [], 0],
  ])('is not sent again, and the order is %s, with %j: exit %i', async (word, expected, exit) => {
    const home = homeWithProfile();
    const first = await run(home, upload, reply(200, taken), status(word));
    expect(first.exit, first.err).toBe(word === 'approved' ? 0 : 5);
    // One reply alone: of a status query.
    const again = await run(home, [...upload, ...expected], status(word));
    expect(again.exit, again.err + again.out).toBe(exit);
    expect(again.out).toContain(word);
    expect(again.err).toContain('was already sent; it has been accepted since');
  });
});
