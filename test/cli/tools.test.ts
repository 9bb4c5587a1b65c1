import { describe, expect, test } from 'vitest';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, noSuchOrder, saleFlags, statusReply, taken } from './profiles.js';

describe('output', () => {
  test('--json=… keeps only what was named, and never takes the next word', async () => {
    const ask = ['status', '--json=order.orderId,status', '12345', '--client-order-id', '902B4FF5'];
    const ran = await paycli(ask, { home: homeWithProfile(), network: [() => reply(200, statusReply('approved'))] });
    expect(JSON.parse(ran.out)).toEqual({ 'order.orderId': '12345', status: 'approved' });
    const bare = await paycli(['status', '--json', '12345', '--client-order-id', '902B4FF5'], {
      home: homeWithProfile(),
      network: [() => reply(200, statusReply('approved'))],
    });
    expect(JSON.parse(bare.out).result.status).toBe('approved');
  });

  test('text of the gateway cannot drive the terminal, in text or JSON', async () => {
    const evil = { type: 'error', 'error-message': 'a\u001b]52;c;x\u0007\u009b31m\u202eb' };
    for (const flags of [[], ['--json'], ['--verbose']]) {
      const ran = await paycli([...saleFlags, ...flags], {
        home: homeWithProfile(),
        network: [() => reply(400, evil), () => noSuchOrder],
      });
      expect(ran.exit).toBe(4);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not come through
      expect(ran.out + ran.err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  test('--quiet leaves only the result', async () => {
    const loud = await paycli(['form', 'account-verification']);
    expect(loud.err).toContain('no sandbox is listening');
    const quiet = await paycli(['form', 'account-verification', '--quiet']);
    expect([quiet.exit, quiet.err]).toEqual([0, '']);
  });

  test('--verbose shows the exchange with card data and signatures masked', async () => {
    const ran = await paycli([...saleFlags, '--verbose'], {
      home: homeWithProfile(),
      network: [() => reply(200, taken)],
    });
    expect(ran.err).toContain('> POST https://gate.example/prefix/api/v2/sale/1144');
    expect(ran.err).toContain('> credit_card_number = •••• 1111');
    expect(ran.err).toContain('> control = •••');
    expect(ran.err).toContain('< HTTP 200');
    expect(ran.err).not.toMatch(/4444333322221111|cvv2 = 123/);
  });
});

test('a profile by the environment alone is of class test on this machine', async () => {
  const home = homeWithProfile();
  const env = {
    PAYCLI_BASE_URL: 'http://127.0.0.1:9/x',
    PAYCLI_LOGIN: 'my-shop',
    PAYCLI_ENDPOINT_ID: '5',
    PAYCLI_CONTROL_KEY_FILE: `${home}/control.key`,
  };
  const ran = await paycli(['status', '12345', '--client-order-id', '902B4FF5', '--json'], {
    home,
    env,
    network: [() => reply(200, statusReply('approved'))],
  });
  expect(ran.exit, ran.err).toBe(0);
  expect(JSON.parse(ran.out).profile).toBe('environment');
  expect(ran.requests[0]?.url).toBe('http://127.0.0.1:9/x/api/v2/status/5');
});
