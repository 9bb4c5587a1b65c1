// @module-tag openssl
import { deflateSync, inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '../../src/spec/index.js';
import { Home } from './home.js';
import { type Document, type Gateway, named, payerFlags, profileText, Shop, startGateway } from './shop.js';

const visa = '4444333322221111';
const mastercard = '5555666644441111';
const usd = (amount: string) => ['--amount', amount, '--currency', 'USD'];
const eur = (amount: string) => ['--amount', amount, '--currency', 'EUR'];

let gateway: Gateway;
let home: Home;
let shop: Shop;

beforeAll(async () => {
  gateway = await startGateway();
  const { url, keys } = gateway;
  home = new Home(
    [
      '# as a user would write it',
      'default-profile: shop',
      'profiles:',
      profileText('shop', url, keys),
      profileText('pkcs1', url, keys, { privateKey: keys.pkcs1 }),
      profileText('encrypted', url, keys, { privateKey: keys.encrypted, passphrase: keys.passphrase }),
    ].join('\n'),
  );
  shop = new Shop(home);
}, 60_000);

afterAll(async () => {
  home.remove();
  const { exit, err } = await gateway.close();
  expect(exit, err).toBe(0);
});

async function expectPage(address: string | undefined): Promise<void> {
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
  const page = await fetch(address ?? '');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toMatch(/^text\/html/);
  expect(await page.text()).toMatch(/<html/);
}

async function openForm(operation: OperationId, argv: readonly string[]): Promise<void> {
  const { result } = await shop.send(operation, argv);
  await expectPage(result['redirect-url']);
}

/** A sale of a 3-D Secure card, waited for until its first step is due. */
async function challenged(card: string): Promise<Document> {
  const document = await shop.send('SALE', ['sale', ...usd('10.42'), '--test-card', card, '--wait'], 7);
  expect(document.ok).toBe(false);
  return document;
}

function cresOf({ result }: Document, transStatus: string): string {
  const creq = JSON.parse(Buffer.from(result['tds-creq-form-creq'] ?? '', 'base64url').toString());
  expect(creq).toMatchObject({ messageType: 'CReq' });
  return Buffer.from(
    JSON.stringify({ ...creq, messageType: 'CRes', challengeCompletionInd: 'Y', transStatus }),
  ).toString('base64url');
}

async function payerRequest(): Promise<Document> {
  const document = await shop.send('SALE', ['sale', ...usd('1.00'), '--test-card', 'approved', '--wait'], 7);
  expect(document.meaning).toContain('3-D Secure 1.0.2');
  expect(inflateSync(Buffer.from(document.result['tds-pareq-form-pareq'] ?? '', 'base64')).toString()).toContain(
    '<PAReq>',
  );
  return document;
}

function paresWith(letter: string): string {
  return deflateSync(
    `<ThreeDSecure><Message><PARes><TX><status>${letter}</status></TX></PARes></Message></ThreeDSecure>`,
  ).toString('base64');
}

/** A recurring payment: SRC is charged, DST receives. */
async function token(type: 'SRC' | 'DST', card = 'approved'): Promise<string> {
  const words = ['recurring', '--recurring-card-type', type, ...usd('9.99'), '--test-card', card];
  const { result } = await shop.send('CREATE_RP_V4', words);
  expect(result['recurring-payment-id']).toMatch(/^\d+$/);
  return result['recurring-payment-id'] ?? '';
}

async function checkedPayout(): Promise<Document> {
  const destination = ['--receiver-phone', '+4930123456', '--bank-id', '100'];
  const document = await shop.send('PAYOUT_V4_CHECK', ['payout', 'check', ...eur('50.00'), ...destination, '--wait']);
  expect(document.meaning).toContain('no money has moved');
  return document;
}

/** What the operations of the interface come to, from the command line to the listening sandbox. */
const walks: Readonly<Partial<Record<OperationId, () => Promise<void>>>> = {
  VOID: async () => {
    const order = await shop.approved('PREAUTH');
    const { result } = await shop.send('VOID', ['void', ...order, '--comment', 'ordered twice', '--wait']);
    expect(result).toMatchObject({ status: 'approved', 'transaction-type': 'void' });
    const again = await home.call(['void', ...order, '--again']);
    expect([again.exit, again.err]).toEqual([4, expect.stringContaining('the order was voided')]);
  },
  PAYOUT: async () => {
    const bank = ['--account-number', 'DE02120300000000202051', '--bank-name', 'A+B Bank', '--bank-branch', 'Köln'];
    for (const destination of [['--card-number', visa], bank]) {
      const { result } = await shop.send('PAYOUT', ['payout', ...eur('50.00'), ...destination, '--wait']);
      expect(result).toMatchObject({ status: 'approved', 'transaction-type': 'payout' });
    }
  },
  PAYOUT_V4_PAY: async () => {
    const check = await checkedPayout();
    const paid = await shop.send('PAYOUT_V4_PAY', ['payout', 'pay', ...named(check)]);
    expect((await shop.status(named(paid))).result).toMatchObject({ status: 'approved', 'transaction-type': 'payout' });
    // Paid twice only on purpose, and then the gateway refuses it.
    await shop.send('PAYOUT_V4_PAY', ['payout', 'pay', ...named(check), '--again'], 4);
  },
  TRANSFER_V4: async () => {
    const [payer, receiver] = await Promise.all([token('SRC'), token('DST', 'approved-mastercard')]);
    const card = [
      '--card-number',
      visa,
      '--card-holder',
      'PAT PAYER',
      '--expire-month',
      '12',
      '--expire-year',
      '2035',
      '--cvv',
      '123',
    ];
    const sources = [card, ['--card-recurring-id', payer], ['--deposit2card', 'true']];
    const destinations = [
      ['--destination-card-number', mastercard],
      ['--destination-recurring-id', receiver],
    ];
    for (const source of sources) {
      for (const destination of destinations) {
        const { result } = await shop.send('TRANSFER_V4', [
          'transfer',
          ...usd('12.00'),
          ...source,
          ...destination,
          '--wait',
        ]);
        expect(result, [...source, ...destination].join(' ')).toMatchObject({
          status: 'approved',
          'transaction-type': 'transfer',
        });
      }
    }
  },
  SALEFORM: () => openForm('SALEFORM', ['form', 'sale', ...usd('10.42')]),
  TDS_UPLOAD_CRES_RESULT: async () => {
    const accepted = await challenged('3ds-challenge');
    const uploaded = await shop.next('TDS_UPLOAD_CRES_RESULT', accepted, { BASE64: cresOf(accepted, 'Y') });
    expect((await shop.status(named(uploaded))).result).toMatchObject({ status: 'approved' });
    const refused = await challenged('3ds-challenge');
    await shop.next('TDS_UPLOAD_CRES_RESULT', refused, { BASE64: cresOf(refused, 'N') });
    expect((await shop.status(named(refused), 5)).result).toMatchObject({ status: 'declined' });
  },
  TDS_UPLOAD_METHOD_URL_RESULT: async () => {
    const first = await challenged('3ds-method');
    await expectPage(first.result['tds-method-url-frame-3ds-method-url']);
    // An upload with --wait ends at the next step; a status would wait for the payer to take it.
    const second = await shop.next('TDS_UPLOAD_METHOD_URL_RESULT', { ...first, next: `${first.next} --wait` }, {}, 7);
    await shop.next('TDS_UPLOAD_CRES_RESULT', second, { BASE64: cresOf(second, 'Y') });
    expect((await shop.status(named(first))).result).toMatchObject({ status: 'approved' });
  },
  TDS_UPLOAD_PARES_RESULT: async () => {
    const accepted = await payerRequest();
    await shop.next('TDS_UPLOAD_PARES_RESULT', accepted, { BASE64: paresWith('Y') });
    expect((await shop.status(named(accepted))).result).toMatchObject({ status: 'approved' });
    const refused = await payerRequest();
    await shop.next('TDS_UPLOAD_PARES_RESULT', refused, { BASE64: paresWith('N') });
    expect((await shop.status(named(refused), 5)).result).toMatchObject({ status: 'declined' });
  },
};

test.concurrent.each(Object.entries(walks))('%s', async (_, walk) => walk(), 40_000);

test.concurrent('a hold is captured in part, shown, returned in part, and then not voided', async () => {
  const hold = await shop.send('PREAUTH', [
    'preauth',
    ...eur('25.00'),
    '--test-card',
    'approved',
    '--wait',
    '--client-order-id',
    'order-1',
  ]);
  const order = named(hold);
  const captured = await shop.send('CAPTURE', ['capture', ...order, ...eur('20.00'), '--wait']);
  expect(captured.amount).toMatchObject({ minor: '2000', text: '20.00' });
  expect((await shop.status(order)).result).toMatchObject({
    status: 'approved',
    'transaction-type': 'capture',
    amount: '20.00',
  });
  const returned = await shop.send('RETURN', ['return', ...order, ...eur('5.00'), '--wait']);
  expect(returned.result).toMatchObject({ status: 'approved', 'transaction-type': 'reversal', amount: '5.00' });
  const voided = await home.call(['void', ...order, '--json']);
  expect([voided.exit, JSON.parse(voided.err)]).toMatchObject([10, { code: 'NOT_POSSIBLE', exit: 10 }]);
  const asked = await home.call(['order', ...order, '--can', 'void']);
  expect([asked.exit, asked.out]).toEqual([11, expect.stringContaining('was returned in part')]);
});

describe.concurrent('without a configuration file', () => {
  const environment = () => ({
    PAYCLI_BASE_URL: gateway.url,
    PAYCLI_LOGIN: 'shop',
    PAYCLI_ENDPOINT_ID: '5001',
    PAYCLI_CONTROL_KEY_FILE: gateway.keys.control,
    PAYCLI_PRIVATE_KEY_FILE: gateway.keys.pkcs8,
  });
  const saleWords = [
    'sale',
    ...usd('10.42'),
    '--test-card',
    'approved',
    '--redirect-url',
    'https://shop.example/',
    ...payerFlags,
    '--wait',
  ];

  test('the environment alone makes a test profile, for every scheme', async () => {
    const bare = new Home();
    const sale = await bare.run([...saleWords, '--json'], environment());
    expect(sale.exit, sale.err).toBe(0);
    expect(JSON.parse(sale.out)).toMatchObject({ profile: 'environment', result: { 'end-point-id': '5001' } });
    expect(sale.err).not.toContain('sandbox');
    for (const command of [['payout'], ['payout', 'check']]) {
      const { exit, err } = await bare.call(
        [...command, ...eur('5.00'), '--card-number', visa, '--wait', '--again'],
        environment(),
      );
      expect(exit, err).toBe(0);
    }
    bare.remove();
  });

  test.each(Object.keys({ PAYCLI_BASE_URL: 0, PAYCLI_LOGIN: 0, PAYCLI_ENDPOINT_ID: 0, PAYCLI_CONTROL_KEY_FILE: 0 }))(
    'without %s nothing goes to the built-in sandbox instead',
    async (name) => {
      const bare = new Home();
      const { [name]: _, ...rest }: Record<string, string> = environment();
      const { exit, out, err } = await bare.call(saleWords, rest);
      expect({ exit, out }).toEqual({ exit: 3, out: '' });
      expect(err).not.toContain('built-in sandbox');
      bare.remove();
    },
  );
});

describe.concurrent('an RSA key from openssl signs as', () => {
  test.each(['pkcs1'])('profile %s has it', async (profile) => {
    const own = new Shop(home, ['--profile', profile]);
    const checked = await own.send('PAYOUT_V4_CHECK', [
      'payout',
      'check',
      ...eur('51.00'),
      '--card-number',
      visa,
      '--wait',
    ]);
    // The next command goes to the same profile by itself.
    expect(checked.next).toContain(` --profile ${profile}`);
    const paid = await own.send('PAYOUT_V4_PAY', ['payout', 'pay', ...named(checked)]);
    expect(paid.profile).toBe(profile);
  });

  test('an encrypted one does not without its passphrase, and says so', async () => {
    const { keys } = gateway;
    const words = [
      'payout',
      'check',
      ...eur('50.00'),
      '--card-number',
      visa,
      '--private-key-file',
      keys.encrypted,
      '--client-order-id',
      'locked-1',
      '--again',
    ];
    const { exit, out, err } = await home.call(words);
    expect({ exit, out }).toEqual({ exit: 3, out: '' });
    expect(err).toMatch(/rsa-encrypted\.pem.*passphrase/);
    const wrong = await home.call([...words, '--passphrase-file', keys.otherControl]);
    expect(wrong.exit, wrong.err).toBe(3);
    const given = await home.call([...words, '--passphrase-file', keys.passphrase]);
    expect(given.exit, given.err).toBe(0);
  });
});
