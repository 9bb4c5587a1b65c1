// @module-tag chromium
import { createHmac } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { junit } from '../../src/cli/format/junit.js';
import { systemClock } from '../../src/runtime/clock.js';
import { sqlite } from '../../src/runtime/database.js';
import { systemRandom } from '../../src/runtime/random.js';
import { listen, type RunningServer } from '../../src/sandbox/server/listen.js';
import { createSandbox } from '../../src/sandbox/server/sandbox.js';
import { openSandboxState } from '../../src/sandbox/server/state.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { bodyOf, card, type Fields, payer, plainHeaders, sha1 } from '../sandbox/support.js';
import { openBrowser } from './hosted.js';

const database = sqlite.open(':memory:');
const sandboxState = openSandboxState({ database, clock: systemClock, random: systemRandom });
const { controlKey } = sandboxState.identity();

let browser: Browser;
let server: RunningServer;

beforeAll(async () => {
  browser = await openBrowser();
  server = await listen(createSandbox(sandboxState, { assume: assumeDefaults, settleMs: 0 }), {
    port: 0,
  });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  database.close();
});

const url = (path: string) => `http://127.0.0.1:${server.port}${path}`;

async function post(path: string, pairs: Fields): Promise<Fields> {
  const reply = await fetch(url(`/gateway${path}/4001`), {
    method: 'POST',
    headers: plainHeaders,
    body: bodyOf(pairs),
  });
  const fields: Fields = JSON.parse(await reply.text());
  return fields;
}

async function sale(id: string, cvv = '123', amount = '10.42'): Promise<string> {
  const control = sha1(`4001${id}${amount.replace('.', '')}${payer['email']}${controlKey}`);
  const money = { amount, currency: 'USD', redirect_url: 'https://shop.example/return' };
  const fields = await post('/api/v2/sale', {
    client_orderid: id,
    ...money,
    ...card(undefined, cvv),
    ...payer,
    control,
  });
  return fields['paynet-order-id'] ?? '';
}

async function open(path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(8000);
  page.on('pageerror', (error) => expect.soft(error.message).toBeUndefined());
  page.on('console', (line) =>
    expect.soft(line.type() === 'error' ? line.text() : '').not.toMatch(/Content Security Policy/),
  );
  await page.goto(url(path));
  return page;
}

test('without orders it says how to make the first one', async () => {
  const page = await open('/');
  await expect.poll(() => page.getByRole('heading', { level: 2 }).textContent()).toBe('No orders yet');
  expect(await page.locator('code').textContent()).toMatch(/^paycli sale /);
});

test('orders are listed, found and opened, with a timeline', async () => {
  const order = await sale('first-order');
  await sale('second-order', '777', '99.00');
  const page = await open('/');
  expect(await page.getByRole('row').allTextContents()).toEqual([
    expect.stringContaining('OrderOperation'),
    expect.stringMatching(/second-order.*99\.00 USD.*declined/),
    expect.stringMatching(/first-order.*10\.42 USD.*approved/),
  ]);
  await page.getByLabel('Status').selectOption('declined');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Filter' }).press('Enter');
  await expect
    .poll(() => page.getByRole('rowheader').allTextContents())
    .toEqual([expect.stringContaining('second-order')]);
  expect(new URL(page.url()).searchParams.get('status')).toBe('declined');
  await page.getByRole('link', { name: 'Clear' }).click();
  await page.getByRole('link', { name: order }).click();
  await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe(`Order ${order}`);
  expect(await page.locator('.event .title').allTextContents()).toEqual(['sale accepted', 'sale approved']);
  expect(await page.locator('.event').first().textContent()).toContain('HTTP 200 · control valid');
  await page.locator('summary').first().click();
  expect(await page.locator('.pairs').first().textContent()).toContain('credit_card_number•••• 1111');
});

test('what happens elsewhere shows up by itself; opened details and the focus stay', async () => {
  const order = await sale('live-order');
  const list = await open('/');
  await list.getByText('Connected', { exact: true }).waitFor();
  await sale('comes-later');
  await list.getByText('comes-later').waitFor();
  const page = await open(`/orders/${order}`);
  await page.locator('summary').first().click();
  const control = sha1(`sandboxlive-order${order}${controlKey}`);
  await post('/api/v2/status', { login: 'sandbox', client_orderid: 'live-order', orderid: order, control });
  await page.getByText('status answered: approved').waitFor();
  expect(await page.locator('details[open]').count()).toBe(1);
  expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
});

test('operations and statuses are named as on the command line', async () => {
  const order = await sale('to-return');
  const ids = { login: 'sandbox', client_orderid: 'to-return', orderid: order };
  const control = sha1(`sandboxto-return${order}300USD${controlKey}`);
  await post('/api/v2/return', { ...ids, amount: '3.00', currency: 'USD', comment: 'one item', control });
  const list = await open('/?q=to-return');
  await expect.poll(() => list.getByRole('row').last().textContent()).toContain('return approved');
  const page = await open(`/orders/${order}`);
  const transactions = page.getByRole('table', { name: 'Transactions' });
  expect(await transactions.getByRole('columnheader').first().textContent()).toBe('Operation');
  expect(await transactions.getByRole('rowheader').allTextContents()).toEqual(['sale', 'return']);
  expect(await page.locator('.event .title').allTextContents()).toEqual([
    'sale accepted',
    'sale approved',
    'return accepted',
    'return approved',
  ]);
  expect(await page.locator('main').textContent()).not.toMatch(/revers|_approved/);
  // The row names the operation already.
  expect(await transactions.locator('td[data-label="Status"]').allTextContents()).toEqual(['approved', 'approved']);
});

test('status queries of one order in a row are one row of the requests, with count and time, that opens', async () => {
  const orders = [await sale('polled-1'), await sale('polled-2')];
  const query = (at: number) => {
    const id = `polled-${at + 1}`;
    const control = sha1(`sandbox${id}${orders[at]}${controlKey}`);
    return post('/api/v2/status', { login: 'sandbox', client_orderid: id, orderid: orders[at] ?? '', control });
  };
  // Two clients that wait at the same time.
  for (let count = 0; count < 4; count += 1) for (const at of [0, 1]) await query(at);
  const page = await open('/requests');
  const rows = page.getByRole('row');
  await expect
    .poll(async () => (await rows.allTextContents()).slice(1, 5))
    .toEqual([
      expect.stringMatching(new RegExp(`status.*${orders[1]}.*4 queries from .* to `)),
      expect.stringMatching(new RegExp(`status.*${orders[0]}.*4 queries from .* to `)),
      expect.stringContaining('accepted'),
      expect.stringContaining('accepted'),
    ]);
  const run = rows.nth(1).locator('details');
  expect(await run.getByRole('link').first().isVisible()).toBe(false);
  await run.locator('summary').click();
  expect(await run.getByRole('link').count()).toBe(4);
  // A further query joins the row, which stays open.
  await query(1);
  await rows.nth(1).getByText('5 queries').waitFor();
  expect(await run.getByRole('link').count()).toBe(5);
  // Another request of the order ends the row.
  const ids = { login: 'sandbox', client_orderid: 'polled-2', orderid: orders[1] ?? '' };
  await post('/api/v2/return', { ...ids, comment: 'all', control: sha1(`sandboxpolled-2${orders[1]}${controlKey}`) });
  await query(1);
  await expect
    .poll(async () => (await rows.allTextContents()).slice(1, 4))
    .toEqual([
      expect.not.stringContaining('queries'),
      expect.stringContaining('return'),
      expect.stringContaining('5 queries'),
    ]);
  await page.locator('details[open]').getByRole('link').last().click();
  await page.getByRole('heading', { level: 1, name: /^Request \d+: status$/ }).waitFor();
});

test('an order leads to its callbacks and to the finding on the audit report', async () => {
  const order = await sale('to-look-up');
  await post('/api/v2/return', { login: 'sandbox', client_orderid: 'to-look-up', orderid: order, control: 'wrong' });
  const page = await open(`/orders/${order}`);
  await page.getByRole('link', { name: 'Callbacks (0)' }).click();
  expect(new URL(page.url()).hash).toBe('#callbacks');
  await page.getByRole('link', { name: 'Audit findings (1)' }).click();
  const finding = page.getByRole('listitem').getByRole('link', { name: 'The checksum (control) does not match' });
  await finding.click();
  await page.getByRole('heading', { level: 1, name: 'Audit report' }).waitFor();
  const { hash } = new URL(page.url());
  expect(
    await page
      .locator(`[id="${hash.slice(1)}"]`)
      .getByRole('heading')
      .textContent(),
  ).toContain('control');
  expect(await page.locator(':target').count()).toBe(1);
});

test('without scripts everything works by reloading', async () => {
  const page = await open('/', { javaScriptEnabled: false });
  await sale('no-script');
  await page.reload();
  expect(await page.getByRole('rowheader').first().textContent()).toContain('no-script');
});

test('merchants are listed without their keys, and the audit report says what was wrong', async () => {
  await post('/api/v2/status', { login: 'sandbox', client_orderid: 'x', control: 'wrong' });
  const merchants = await open('/merchants');
  expect(await merchants.getByRole('rowheader').allTextContents()).toEqual(['sandbox', 'other-shop']);
  expect(await merchants.content()).not.toContain(controlKey);
  const report = await open('/report');
  await report.getByText('The checksum (control) does not match').first().waitFor();
  const requests = await open('/requests?refused=1');
  await requests.getByRole('rowheader').first().getByRole('link').click();
  await requests.getByText('control does not match').first().waitFor();
});

const saleOf = (control: string) =>
  `curl ${url('/gateway/api/v2/sale/4001')} -d client_orderid=order-9 -d amount=10.42 -d currency=USD -d email=pat@example.com -d control=${control}`;

test('the page Signing names the mistake behind a refused request, and marks where the texts differ', async () => {
  const page = await open('/');
  await page.getByRole('link', { name: 'Signing' }).click();
  await page.getByLabel('Request, base string, Authorization').waitFor();
  const wrong = sha1(`4001order-910.42pat@example.com${controlKey}`);
  await page.getByLabel('Request, base string, Authorization').fill(saleOf(wrong));
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('does not match').waitFor();
  expect(await page.locator('.finding h4').allTextContents()).toEqual(['decimal-amount (as-sent)']);
  expect(await page.locator('.finding').textContent()).toContain('Change: use the amount in minor units');
  expect(await page.locator('ins').allTextContents()).toEqual([]);
  expect(await page.locator('del').allTextContents()).toEqual(['.']);
  const right = sha1(`4001order-91042pat@example.com${controlKey}`);
  await page.getByLabel('Request, base string, Authorization').fill(saleOf(right));
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('The control of this sale request is right').waitFor();
  await page.getByLabel('Request, base string, Authorization').fill('curl http://gateway.example');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('Nothing was compared').waitFor();
});

const baseString = (amount: string, more = '') =>
  `POST&https%3A%2F%2Fgateway.example%2Fapi%2Fv2%2Fpayout%2F7001&amount%3D${amount}%26client_orderid%3Da1${more}%26oauth_consumer_key%3Dshop%26oauth_nonce%3Dn1%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D1893456000%26oauth_version%3D1.0`;

test('two base strings are compared without a key, and a signature with one that is kept nowhere', async () => {
  const page = await open('/signing');
  const ours = page.getByLabel('Request, base string or checksum text', { exact: true });
  await page.getByLabel('Request, base string, Authorization').fill(baseString('50.00', '%26order_desc%3DA%2Bbook'));
  await ours.fill(baseString('50.00', '%26order_desc%3DA%2520book'));
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('heading', { name: 'space-plus (plus)' }).waitFor();
  expect(await page.locator('ins').allTextContents()).toEqual(['%2520']);
  expect(await page.locator('del').allTextContents()).toEqual(['%2B']);
  const key = 'a key typed by hand & kept nowhere';
  const signature = createHmac('sha1', 'a%20key%20typed%20by%20hand%20%26%20kept%20nowhere')
    .update(baseString('50.00'))
    .digest('base64');
  await page.getByLabel('Request, base string, Authorization').fill('');
  await ours.fill(baseString('50.00'));
  await page.getByLabel('Signature or checksum').fill(signature);
  await page.getByLabel('Key').fill(key);
  const answered = page.waitForResponse(url('/signing'));
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('heading', { name: 'signing-key (no-ampersand)' }).waitFor();
  expect((await answered).headers()['cache-control']).toBe('no-store');
  expect(new URL(page.url()).search).toBe('');
  expect(await page.getByLabel('Key').inputValue()).toBe('');
  expect(await page.content()).not.toContain('kept nowhere');
  expect(await page.locator('form.sides').getAttribute('method')).toBe('post');
  expect(await page.locator('.sides :is(input, textarea):not([autocomplete=off][spellcheck=false])').count()).toBe(0);
  const tables = database.all("SELECT name FROM sqlite_master WHERE type = 'table'");
  const stored = tables.flatMap(({ name }) => database.all(`SELECT * FROM ${String(name)}`));
  expect(JSON.stringify(stored, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
    'kept nowhere',
  );
});

test('what another site sends to the page Signing is not compared', async () => {
  const reply = await fetch(url('/signing'), {
    method: 'POST',
    headers: { 'sec-fetch-site': 'cross-site', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ theirs: 'abc', ours: 'abc' }),
  });
  expect([reply.status, await reply.text()]).toEqual([403, expect.not.stringContaining('id="result-title"')]);
});

test('a page that is not there says so', async () => {
  const page = await open('/orders/1');
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Order not found');
});

test('the JUnit report is well-formed whatever stands in it', async () => {
  const failures = [{ message: `a "b" <c> & 'd'`, text: 'nul \u0000, bell \u0007, half \ud800, ]]> end' }];
  const xml = junit('suite', [
    { name: 'one <rule>', group: 'sandbox.audit', failures },
    { name: 'two', group: 'sandbox.audit', failures: [] },
  ]);
  const page = await open('/');
  const read = `(() => {
    const made = new DOMParser().parseFromString(${JSON.stringify(xml)}, 'application/xml');
    return [made.querySelector('parsererror') === null, made.querySelector('failure').getAttribute('message'),
      made.querySelector('testsuite').getAttribute('failures'), made.querySelectorAll('testcase').length];
  })()`;
  expect(await page.evaluate(read)).toEqual([true, `a "b" <c> & 'd'`, '1', 2]);
});
