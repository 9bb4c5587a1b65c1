import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';

async function sale(home: string, card: string): Promise<string> {
  const made = await paycli(
    ['sale', '--amount', '10.42', '--currency', 'EUR', '--test-card', card, '--client-order-id', 't', '--json'],
    {
      home,
    },
  );
  expect(made.exit, made.err).toBe(0);
  return String(JSON.parse(made.out).order.orderId);
}

describe('3ds run', () => {
  const cards = ['3ds-method', '3ds-challenge', '3ds-pares', '3ds-simplified'];
  const ends = [
    ['challenge', 'approved', 'AUTHENTICATED'],
    ['fail', 'declined', 'NOT_AUTHENTICATED'],
    ['abandon', 'declined', 'NOT_AUTHENTICATED'],
    ['timeout', 'declined', 'NOT_AUTHENTICATED'],
  ] as const;
  const cases = cards.flatMap((card) => ends.map(([path, status, tds]) => ({ card, path, status, tds })));

  test.each(cases.filter(({ card, path }) => card !== '3ds-simplified' || path !== 'timeout'))(
    '$card, path $path: $status',
    async ({ card, path, status, tds }) => {
      const home = temporaryHome();
      const order = await sale(home, card);
      const ran = await paycli(['3ds', 'run', '--order', order, '--client-order-id', 't', '--path', path, '--json'], {
        home,
      });
      expect(ran.exit, ran.err).toBe(0);
      expect(JSON.parse(ran.out).result).toMatchObject({ status, 'verified-3d-status': tds });
    },
  );

  test('frictionless ends without a question', async () => {
    const home = temporaryHome();
    const order = await sale(home, '3ds-frictionless');
    const ran = await paycli(
      ['3ds', 'run', '--order', order, '--client-order-id', 't', '--path', 'frictionless', '--json'],
      { home },
    );
    expect(ran.exit, ran.err).toBe(0);
    expect(JSON.parse(ran.out).result).toMatchObject({ status: 'approved', 'verified-3d-status': 'AUTHENTICATED' });
  });

  test('says so when the bank asks after all, or nothing is open', async () => {
    const home = temporaryHome();
    const order = await sale(home, '3ds-challenge');
    const ran = await paycli(['3ds', 'run', '--order', order, '--client-order-id', 't', '--path', 'frictionless'], {
      home,
    });
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('--path challenge')]);
    const done = temporaryHome();
    const plain = await sale(done, 'approved');
    const wrong = await paycli(['3ds', 'run', '--order', plain, '--client-order-id', 't', '--path', 'challenge'], {
      home: done,
    });
    expect([wrong.exit, wrong.err]).toEqual([2, expect.stringContaining('no 3-D Secure step is open')]);
  });
});

describe('3ds decode', () => {
  test('a message of an order', async () => {
    const home = temporaryHome();
    await sale(home, '3ds-challenge');
    const shown = JSON.parse((await paycli(['status', '--client-order-id', 't', '--json'], { home })).out).result;
    const decoded = await paycli(['3ds', 'decode', '-'], { stdin: `${shown['tds-creq-form-creq']}\n` });
    expect([decoded.exit, decoded.out]).toEqual([0, expect.stringContaining('"messageType": "CReq"')]);
  });

  test('names what is wrong, with exit 11', async () => {
    const ran = await paycli(['3ds', 'decode', Buffer.from('{"messageType":"CRes"}').toString('base64')]);
    expect([ran.exit, ran.out]).toEqual([11, expect.stringContaining('wrong: transStatus is missing')]);
  });
});

describe('form fill', () => {
  async function form(kind: string, home: string): Promise<string> {
    const made = await paycli(
      [
        'form',
        kind,
        ...(kind === 'account-verification' ? [] : ['--amount', '10.42', '--currency', 'EUR']),
        '--client-order-id',
        'f',
        '--json',
      ],
      { home },
    );
    expect(made.exit, made.err).toBe(0);
    return String(JSON.parse(made.out).result['redirect-url']);
  }

  test.each(['sale', 'preauth', 'payment', 'payout', 'account-verification'])('%s', async (kind) => {
    const home = temporaryHome();
    const ran = await paycli(['form', 'fill', await form(kind, home), '--json'], { home });
    expect(ran.exit, ran.err).toBe(0);
    const status = JSON.parse((await paycli(['status', '--client-order-id', 'f', '--json'], { home })).out);
    expect(status.result.status).toBe('approved');
  });

  test.each([
    [['--test-card', '3ds-form'], 0, 'approved'],
    [['--test-card', '3ds-simplified'], 0, 'approved'],
    [['--test-card', 'funds'], 5, 'declined'],
    [['--cancel'], 0, 'declined'],
  ])('%s: exit %i, %s', async (flags, exit, status) => {
    const home = temporaryHome();
    const ran = await paycli(['form', 'fill', await form('sale', home), ...flags, '--json'], { home });
    expect([ran.exit, JSON.parse(ran.out).status]).toEqual([exit, status]);
  });
});
