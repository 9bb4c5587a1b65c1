// @module-tag chromium
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { junit } from '../../src/cli/commands/sandbox/audit.js';
import { systemClock } from '../../src/runtime/clock.js';
import { sqlite } from '../../src/runtime/database.js';
import { systemRandom } from '../../src/runtime/random.js';
import { listen, type RunningServer } from '../../src/sandbox/server/listen.js';
import { createSandbox } from '../../src/sandbox/server/sandbox.js';
import { openSandboxState } from '../../src/sandbox/server/state.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { bodyOf, card, type Fields, payer, plainHeaders, sha1 } from '../sandbox/support.js';
import { oneIn } from '../support/every.js';
import { openBrowser } from './hosted.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const database = sqlite.open(':memory:');
const world = openSandboxState({ database, clock: systemClock, random: systemRandom });
const { controlKey } = world.identity();

let browser: Browser;
let server: RunningServer;

beforeAll(async () => {
  browser = await openBrowser();
  server = await listen(createSandbox(world, { assume: assumeDefaults, settleMs: 0 }), { port: 0 });
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

// EVERY_WAY=1 looks at both widths in both colours; by day each width and each colour is looked at once.
const every = (['light', 'dark'] as const).flatMap((colour) => [390, 1280].map((width) => [colour, width] as const));
const views = oneIn(3, every, 0);

/** No accessibility fault and no sideways scroll. */
async function inspect(page: Page): Promise<void> {
  for (const [colorScheme, width] of views) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    const where = `${page.url()} ${colorScheme} ${width}`;
    expect(
      await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      where,
    ).toBe(0);
    if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe);
    const violations = await page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html, \
nodes[0].failureSummary]))',
    );
    expect(violations, where).toEqual([]);
  }
}

test('without orders it says how to make the first one', async () => {
  const page = await open('/');
  await expect.poll(() => page.getByRole('heading', { level: 2 }).textContent()).toBe('No orders yet');
  expect(await page.locator('code').textContent()).toMatch(/^paycli sale /);
  await inspect(page);
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
  await inspect(page);
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
  expect(await page.locator('.event .title').allTextContents()).toEqual(['sale accepted', 'sale_approved']);
  expect(await page.locator('.event').first().textContent()).toContain('HTTP 200 · control valid');
  await page.locator('summary').first().click();
  expect(await page.locator('.pairs').first().textContent()).toContain('credit_card_number•••• 1111');
  await inspect(page);
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

test('without scripts everything works by reloading', async () => {
  const page = await open('/', { javaScriptEnabled: false });
  await sale('no-script');
  await page.reload();
  expect(await page.getByRole('rowheader').first().textContent()).toContain('no-script');
});

test('merchants are listed without their keys, and the report card says what was wrong', async () => {
  await post('/api/v2/status', { login: 'sandbox', client_orderid: 'x', control: 'wrong' });
  const merchants = await open('/merchants');
  expect(await merchants.getByRole('rowheader').allTextContents()).toEqual(['sandbox', 'other-shop']);
  expect(await merchants.content()).not.toContain(controlKey);
  await inspect(merchants);
  const report = await open('/report');
  await report.getByText('The control does not match').waitFor();
  await inspect(report);
  const requests = await open('/requests?refused=1');
  await inspect(requests);
  await requests.getByRole('rowheader').first().getByRole('link').click();
  await requests.getByText('control does not match').first().waitFor();
  await inspect(requests);
});

test('a page that is not there says so', async () => {
  await inspect(await open('/orders/1'));
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
