import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationId } from '../../src/spec/index.js';
import { Home } from './home.js';
import { type Document, type Gateway, named, profileText, Shop, startGateway } from './shop.js';

const usd = (amount: string) => ['--amount', amount, '--currency', 'USD'];
const eur = (amount: string) => ['--amount', amount, '--currency', 'EUR'];

let gateway: Gateway;
let home: Home;
let shop: Shop;

beforeAll(async () => {
  gateway = await startGateway();
  const { url, keys } = gateway;
  home = new Home(
    ['# as a user would write it', 'default-profile: shop', 'profiles:', profileText('shop', url, keys)].join('\n'),
  );
  shop = new Shop(home);
}, 60_000);

afterAll(async () => {
  home.remove();
  const { exit, err } = await gateway.close();
  expect(exit, err).toBe(0);
});

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

async function checkedPayout(): Promise<Document> {
  const destination = ['--receiver-phone', '+4930123456', '--bank-id', '100'];
  const document = await shop.send('PAYOUT_V4_CHECK', ['payout', 'check', ...eur('50.00'), ...destination, '--wait']);
  expect(document.meaning).toContain('no money has moved');
  return document;
}

/** What the operations of the interface come to, from the command line to the listening sandbox. */
const walks: Readonly<Partial<Record<OperationId, () => Promise<void>>>> = {
  PAYOUT_V4_PAY: async () => {
    const check = await checkedPayout();
    const paid = await shop.send('PAYOUT_V4_PAY', ['payout', 'pay', ...named(check)]);
    expect((await shop.status(named(paid))).result).toMatchObject({ status: 'approved', 'transaction-type': 'payout' });
    // Paid twice only on purpose, and then the gateway refuses it.
    await shop.send('PAYOUT_V4_PAY', ['payout', 'pay', ...named(check), '--again'], 4);
  },
  TDS_UPLOAD_METHOD_URL_RESULT: async () => {
    const first = await challenged('3ds-method');
    // An upload with --wait ends at the next step; a status would wait for the payer to take it.
    const second = await shop.next('TDS_UPLOAD_METHOD_URL_RESULT', { ...first, next: `${first.next} --wait` }, {}, 7);
    await shop.next('TDS_UPLOAD_CRES_RESULT', second, { BASE64: cresOf(second, 'Y') });
    expect((await shop.status(named(first))).result).toMatchObject({ status: 'approved' });
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
