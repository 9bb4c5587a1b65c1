// @module-tag openssl
import { afterAll, expect, test } from 'vitest';
import { Home } from './home.js';
import { type Document, named, Shop, startGateway } from './shop.js';

const home = new Home();
const shop = new Shop(home);
afterAll(() => home.remove());

function cresOf({ result }: Document): string {
  const creq = JSON.parse(Buffer.from(result['tds-creq-form-creq'] ?? '', 'base64url').toString());
  const cres = { ...creq, messageType: 'CRes', challengeCompletionInd: 'Y', transStatus: 'Y' };
  return Buffer.from(JSON.stringify(cres)).toString('base64url');
}

const money = ['--amount', '10.42', '--currency', 'USD'];

test('an order goes on over HTTP where it began without, and back; 3-D Secure goes by the commands that are suggested', async () => {
  const hold = named(await shop.send('PREAUTH', ['preauth', ...money, '--test-card', 'approved', '--wait']));
  const gateway = await startGateway(['--settle-ms', '0'], home);
  await shop.send('CAPTURE', ['capture', ...hold, '--all', '--wait']);
  const first = await shop.send('SALE', ['sale', ...money, '--test-card', '3ds-method', '--wait'], 7);
  // An upload with --wait ends at the next step; a status would wait for the payer to take it.
  const second = await shop.next('TDS_UPLOAD_METHOD_URL_RESULT', { ...first, next: `${first.next} --wait` }, {}, 7);
  await shop.next('TDS_UPLOAD_CRES_RESULT', second, { BASE64: cresOf(second) });
  const shown = await shop.send('STATUS', ['status', ...named(first), '--wait']);
  expect(shown.result).toMatchObject({ status: 'approved' });
  expect((await gateway.stop()).exit).toBe(0);
  const captured = await shop.send('STATUS', ['status', ...hold]);
  expect(captured.result).toMatchObject({ 'transaction-type': 'capture' });
});
