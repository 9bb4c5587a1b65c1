import { describe, expect, test } from 'vitest';
import { allOperations, assumptions } from '../../src/spec/index.js';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, noSuchOrder, saleFlags, statusReply, taken } from './profiles.js';

describe('sign OPERATION --recipe', () => {
  test.each(allOperations.map((row) => ({ command: row.command, row })))('$command', async ({ row }) => {
    const ran = await paycli(['sign', ...row.command.split(' '), '--recipe']);
    expect(ran.exit).toBe(0);
    expect(ran.out).toContain(`POST {base-url}${row.path}/{endpointId}`);
    expect(ran.out).toContain('version label dev');
    for (const field of Object.values(row.fields))
      if (field.when?.value !== 'card-data') expect(ran.out).toContain(` ${field.wire}`);
  });

  test('tells stated from assumed, and the order of the checksum', async () => {
    const sale = await paycli(['sign', 'sale', '--recipe']);
    expect(sale.out).toContain(
      'control = SHA-1(endpointId + client_orderid + amount (minor units) + email + control key)',
    );
    expect(sale.out).toContain('documented');
    const pay = await paycli(['sign', 'payout', 'pay', '--recipe', '--json']);
    expect(JSON.parse(pay.out)).toMatchObject({
      interface: 'dev',
      basis: 'A08',
      path: '/api/v4/payout-pay/{endpointId}',
    });
  });

  test('follows the profile’s assumptions', async () => {
    const ran = await paycli(['sign', 'card-ref', 'info', '--recipe'], {
      home: homeWithProfile({ more: ['assume: { A09: login+cardrefid }'] }),
    });
    expect(ran.out).toContain('control = SHA-1(login + cardrefid + control key)');
  });
});

describe('assumptions', () => {
  test('list has all 53 with the value in force and who set it', async () => {
    const ran = await paycli(['assumptions', 'list', '--json'], {
      home: homeWithProfile({ more: ['assume: { control-encoding: hex-upper }'] }),
    });
    const rows: { id: string; value: string; origin: string }[] = JSON.parse(ran.out).assumptions;
    expect(rows).toHaveLength(53);
    expect(rows[0]).toMatchObject({ id: 'A01', value: 'hex-upper' });
    expect(rows[0]?.origin).toContain('config.yaml');
    expect(rows[1]).toMatchObject({ id: 'A02', value: 'utf-8', origin: 'default' });
  });

  test.each(assumptions.map(({ id }) => ({ id })))('explain $id', async ({ id }) => {
    const ran = await paycli(['assumptions', 'explain', id]);
    expect([ran.exit, ran.out]).toEqual([0, expect.stringContaining(id)]);
  });
});

describe('request', () => {
  test('to a known path goes by its row', async () => {
    const fields = ['login=my-shop', 'client_orderid=902B4FF5', 'orderid=12345']
      .slice(1)
      .flatMap((text) => ['--field', text]);
    const ran = await paycli(['request', '/api/v2/status', ...fields], {
      home: homeWithProfile(),
      network: [() => reply(200, statusReply('approved'))],
    });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.requests[0]?.url).toBe('https://gate.example/prefix/api/v2/status/1144');
    expect(ran.requests[0]?.body).toMatch(/^login=my-shop&client_orderid=902B4FF5&orderid=12345&control=[0-9a-f]{40}$/);
  });

  test('to an unknown path needs a scheme, takes an endpoint id, and counts as moving money', async () => {
    const home = homeWithProfile();
    const bare = await paycli(['request', '/api/v9/new', '--field', 'client_orderid=902B4FF5'], { home });
    expect([bare.exit, bare.err]).toEqual([2, expect.stringContaining('--scheme')]);
    const argv = [
      'request',
      '/api/v9/new/77',
      '--field',
      'client_orderid=902B4FF5',
      '--field',
      'secret-thing=hidden',
      '--scheme',
      'control',
      '--signed-values',
      'login,client_orderid',
    ];
    const ran = await paycli([...argv, '--verbose'], { home, network: [() => reply(200, taken)] });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.requests[0]?.url).toBe('https://gate.example/prefix/api/v9/new/77');
    expect(ran.err).not.toContain('hidden');
    const lost = await paycli([...argv, '--again'], { home, network: [() => ({ kind: 'lost', reason: 'reset' })] });
    expect(lost.exit).toBe(8);
    const live = await paycli(argv, { home: homeWithProfile({ class: 'live' }) });
    expect(live.exit).toBe(10);
  });
});

describe('output', () => {
  test('--json is one stable document', async () => {
    const ran = await paycli([...saleFlags, '--json'], {
      home: homeWithProfile(),
      network: [() => reply(200, { ...taken, amount: '10.42', currency: 'USD' })],
    });
    expect(JSON.parse(ran.out)).toMatchObject({
      schema: 'paycli/1',
      ok: true,
      operation: 'SALE',
      profile: 'shop',
      order: { orderId: '12345', clientOrderId: '902B4FF5' },
      amount: { minor: '1042', digits: 2, currency: 'USD', text: '10.42' },
      result: { 'paynet-order-id': '12345' },
      exit: 0,
    });
  });

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

  test('global flags may stand before the command', async () => {
    const ask = ['--json', '-p', 'shop', 'status', '12345', '--client-order-id', '902B4FF5'];
    const ran = await paycli(ask, { home: homeWithProfile(), network: [() => reply(200, statusReply('approved'))] });
    expect(JSON.parse(ran.out).result.status).toBe('approved');
  });

  test('with --json an error is the only thing on standard error, and a result comes before the remarks', async () => {
    const wrong = await paycli(['status', '--json']);
    expect(JSON.parse(wrong.err)).toMatchObject({ code: 'USAGE' });
    const right = await paycli(['form', 'account-verification', '--client-order-id', 'a', '--json']);
    expect(JSON.parse(right.out).ok).toBe(true);
    expect(right.err).toContain('no sandbox is listening');
  });

  test('an int64 in a reply keeps its digits', async () => {
    const body = Buffer.from(
      '{"type":"async-response","merchant-order-id":"902B4FF5","paynet-order-id":9223372036854775807}',
    );
    const headers = { 'content-type': 'application/vnd.pay+json; charset=utf-8' };
    const ran = await paycli([...saleFlags, '--json'], {
      home: homeWithProfile(),
      network: [() => ({ kind: 'reply', reply: { status: 200, headers, body } })],
    });
    expect(JSON.parse(ran.out).order.orderId).toBe('9223372036854775807');
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

  test('colour only where asked or on a terminal', async () => {
    const plain = await paycli(['sale'], { home: temporaryHome() });
    expect(plain.err).not.toContain('\u001b[');
    const forced = await paycli(['sale', '--color'], { home: temporaryHome() });
    expect(forced.err).toContain('\u001b[31m');
    const terminal = await paycli(['sale', '--no-input'], { tty: true });
    expect(terminal.err).toContain('\u001b[31m');
    const silent = await paycli(['sale', '--no-input'], { tty: true, env: { NO_COLOR: '1' } });
    expect(silent.err).not.toContain('\u001b[');
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

test('--version with --verbose names paycli, the interface and Node; one line without', async () => {
  const told = await paycli(['--version', '--verbose']);
  expect([told.exit, told.out]).toEqual([
    0,
    expect.stringMatching(/^paycli +\d.*\ninterface +dev\nnode +20\.19\.0\n$/),
  ]);
  expect((await paycli(['-v', '-V'])).out).toBe(told.out);
  expect((await paycli(['--version', '-q'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  const ran = await paycli(['--version', '--json']);
  expect(JSON.parse(ran.out)).toEqual({
    schema: 'paycli.version/1',
    paycli: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    interface: 'dev',
    node: '20.19.0',
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
