import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, noSuchOrder, rsaKey, saleFlags, statusReply, taken } from './profiles.js';

/** The sale of these tests has the security code 123; the long numbers below pass the check digit of cards. */
const foreign = {
  'redirect-url': 'https://gate.example/pay/378282246310005/123?session=4012888888881881&c=123',
  html: '<form action="https://acs.example/123"><input name="md" value="4012888888881881"></form>',
  'tds-creq-form-acs-url': 'https://acs.example/4012888888881881',
  'processor-tx-id': '4012888888881881',
  phone: '+4012888888881881',
  descriptor: 'SHOP 123',
  trace: '4012888888881881',
};
const files = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));

describe('a reply is masked by what the request is known to hold', () => {
  test('nothing else of it is changed, for programs and for people', async () => {
    const network = [() => reply(200, { ...taken, ...foreign })];
    const read = await paycli([...saleFlags, '--json'], { home: homeWithProfile(), network });
    expect(JSON.parse(read.out).result).toMatchObject(foreign);
    const said = await paycli(saleFlags, { home: homeWithProfile(), network });
    for (const text of Object.values(foreign)) expect(said.out).toContain(text);
    expect(said.out).toContain(`the payer has to continue at ${foreign['redirect-url']}`);
  });

  test('the card, its code, the key and the checksum (control) of the request are not shown, wherever they stand', async () => {
    const ran = await paycli([...saleFlags, '--json'], {
      home: homeWithProfile(),
      network: [
        ({ body }) => {
          const words = `card 4444333322221111, code 123, control ${new URLSearchParams(body).get('control')} refused`;
          return reply(400, { type: 'validation-error', 'error-message': words });
        },
        () => noSuchOrder,
      ],
    });
    expect(JSON.parse(ran.out).result['error-message']).toBe('card •••• 1111, code •••, control ••• refused');
  });

  test('nor is an OAuth signature', async () => {
    const home = homeWithProfile();
    const ran = await paycli(
      ['payout', 'pay', '77', '--client-order-id', 'a', '--private-key-file', rsaKey(home), '--json'],
      {
        home,
        network: [
          ({ headers }) => {
            const signature = /oauth_signature="([^"]+)"/.exec(headers['Authorization'] ?? '')?.[1] ?? '';
            expect(signature.length).toBeGreaterThan(300);
            const words = `signature ${decodeURIComponent(signature)} refused, as sent: ${signature}`;
            return reply(401, { type: 'validation-error', 'error-message': words });
          },
        ],
      },
    );
    expect(JSON.parse(ran.out).result['error-message']).toBe('signature ••• refused, as sent: •••');
  });
});

describe('a gateway that sends the whole card number where a masked one belongs', () => {
  const card = {
    type: 'get-card-info-response',
    'merchant-order-id': 'a',
    'card-type': 'VISA',
    bin: '4012888888881881',
  };
  const info = () =>
    reply(200, { ...card, 'last-four-digits': '4012888888881881', 'masked-card-number': '4012888888881881' });

  test.each([
    ['text', []] as const,
    ['JSON', ['--json']] as const,
    ['YAML', ['-o', 'yaml']] as const,
    ['the log', ['--verbose']] as const,
  ])('is not repeated in %s', async (_, more) => {
    const ran = await paycli(['card-ref', 'info', '--card-ref-id', '77', ...more], {
      home: homeWithProfile(),
      network: [info],
    });
    expect(ran.exit).toBe(0);
    expect(ran.out).toContain('VISA •••• 1881');
    expect(ran.out + ran.err).not.toContain('4012888888881881');
  });
});

test('a message in markup holds no card number and no security code', async () => {
  const words = '<b>card 4444333322221111 cvv 123</b>';
  const network = [() => reply(200, statusReply('declined', { 'error-message': words }))];
  const ran = await paycli(['status', '--client-order-id', '902B4FF5', '--json'], { home: homeWithProfile(), network });
  expect(JSON.parse(ran.out).result['error-message']).toBe('<b>card •••• 1111 cvv •••</b>');
});

describe('--verbose shows no security code that the screen masks', () => {
  const echo = { cvv: '123', cvv2: '987', 'error-message': 'card 4444333322221111 cvv 123', remark: 'code 123' };
  const declined = () => reply(200, statusReply('declined', echo));
  const words = 'card •••• 1111 cvv •••';
  const lost = () => ({ kind: 'lost', reason: 'the connection was closed' }) as const;

  test.each([
    ['of a sale that waits', [() => reply(200, taken), declined], 5],
    ['of a sale whose reply was lost', [lost, declined], 5],
  ])('in a later question %s', async (_, network, exit) => {
    const home = homeWithProfile();
    const ran = await paycli([...saleFlags, '--wait', '--verbose'], { home, network });
    expect(ran.exit).toBe(exit);
    expect(ran.err).toContain('< cvv = •••\n< cvv2 = •••\n');
    expect(ran.out).toContain(words);
    expect(ran.err).toContain('< remark = code •••\n');
    const log = ran.err.split('\n').filter((line) => line.startsWith('<'));
    expect(log.join('\n')).not.toMatch(/(?<![\d.:])(?:123|987)(?![\d.:])/);
    expect(files(home).filter((text) => text.includes('cvv 123'))).toEqual([]);
  });

  test.each([
    ['status', ['status', '12345', '--client-order-id', '902B4FF5']],
    ['status --wait', ['status', '--wait', '12345', '--client-order-id', '902B4FF5']],
    ['resolve', ['resolve', '12345']],
  ])('in %s, which knows nothing of the card', async (_, argv) => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
    const ran = await paycli([...argv, '--verbose'], { home, network: [declined] });
    expect(ran.err).toContain('< cvv = •••\n< cvv2 = •••\n');
    expect(ran.err).toContain(words);
    expect(ran.out + ran.err).not.toContain('cvv 123');
    const told = await paycli(['journal', '902B4FF5', '--json'], { home });
    expect(told.out).not.toContain('cvv 123');
  });
});

describe('an address lets whoever has it act in the place of the payer', () => {
  test('the log of --verbose has its scheme and host, and the screen all of it', async () => {
    const network = [() => reply(200, { ...taken, ...foreign }), () => reply(200, statusReply('processing', foreign))];
    const ran = await paycli([...saleFlags, '--wait', '--verbose'], { home: homeWithProfile(), network });
    expect(ran.out).toContain(foreign['redirect-url']);
    const log = ran.err.split('\n').filter((line) => line.startsWith('<'));
    expect(log.filter((line) => line === '< redirect-url = https://gate.example/…')).toHaveLength(2);
    expect(log.filter((line) => line === '< tds-creq-form-acs-url = https://acs.example/…')).toHaveLength(2);
    expect(log.join('\n')).not.toMatch(/378282246310005|session=|acs\.example\/\d/);
  });

  test.each([
    ['of a reply', [{ ...taken, ...foreign }], []],
    [
      'in the words of a decline',
      [taken, statusReply('declined', { 'error-message': `go to ${foreign['redirect-url']} first` })],
      ['--wait'],
    ],
  ])('so one %s is in no file', async (_, answers, more) => {
    const home = homeWithProfile();
    const sent = await paycli([...saleFlags, ...more], {
      home,
      network: answers.map((answer) => () => reply(200, answer)),
    });
    expect(sent.out).toContain('378282246310005');
    const shown = await paycli(['journal', '902B4FF5', '--json'], { home });
    expect(shown.out).toContain('902B4FF5');
    expect(shown.out).not.toContain('378282246310005');
    const written = files(home);
    expect(written.some((text) => text.includes('902B4FF5'))).toBe(true);
    expect(written.filter((text) => text.includes('378282246310005'))).toEqual([]);
  });
});
