// @module-tag chromium
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { junit } from '../../src/cli/format/junit.js';
import { systemClock } from '../../src/runtime/clock.js';
import { sqlite } from '../../src/runtime/database.js';
import { systemRandom } from '../../src/runtime/random.js';
import { createSandbox } from '../../src/sandbox/gateway.js';
import { listen, type RunningServer } from '../../src/sandbox/http.js';
import { openSandboxState } from '../../src/sandbox/state.js';
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
  server = await listen(() => createSandbox(sandboxState, { assume: assumeDefaults, settleMs: 0 }), {
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
  expect(await page.locator('pre code').textContent()).toMatch(/^paycli sale /);
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
  expect(await transactions.locator('td:nth-child(3)').allTextContents()).toEqual(['approved', 'approved']);
});

test('an order leads to its callbacks and to what the client did wrong', async () => {
  const order = await sale('to-look-up');
  await post('/api/v2/return', { login: 'sandbox', client_orderid: 'to-look-up', orderid: order, control: 'wrong' });
  const page = await open(`/orders/${order}`);
  await page.getByRole('link', { name: 'Callbacks (0)' }).click();
  expect(new URL(page.url()).hash).toBe('#callbacks');
  await page.getByRole('link', { name: 'Audit findings (1)' }).click();
  await page.getByRole('listitem').getByText('The checksum (control) does not match').waitFor();
});

test('without scripts everything works by reloading', async () => {
  const page = await open('/', { javaScriptEnabled: false });
  await sale('no-script');
  await page.reload();
  expect(await page.getByRole('rowheader').first().textContent()).toContain('no-script');
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
