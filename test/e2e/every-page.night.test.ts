// @module-tag chromium
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { rules } from '../../src/sandbox/audit/report.js';
import { openDeliverer } from '../../src/sandbox/callbacks/delivery.js';
import { listen, type RunningServer } from '../../src/sandbox/http.js';
import {
  approvedOrder,
  bodyOf,
  card,
  cardOrder,
  onOrder,
  openFixture,
  orderOf,
  partial,
  payer,
  plainHeaders,
  send,
  sha1,
  signed,
  status,
} from '../sandbox/support.js';
import { openForm } from '../sandbox/walk.js';
import { openBrowser } from './hosted.js';
import { inspectPage } from './page-checks.js';

const fixture = openFixture();
let browser: Browser;
let server: RunningServer;
let page: Page;

beforeAll(async () => {
  browser = await openBrowser();
  server = await listen(() => fixture.sandbox, { port: 0 });
  page = await browser.newPage();
  page.setDefaultTimeout(10_000);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  fixture.database.close();
});

// The longest that is accepted, without a place to break at.
const longId = `order-${'0123456789abcdef'.repeat(7)}`;
const longText = 'pneumonoultramicroscopicsilicovolcanoconiosis'.repeat(3);

/** An order with everything that a page of one shows; gives its id. */
async function busyOrder(): Promise<string> {
  const pairs = {
    ...{ client_orderid: longId, amount: '9876543.21', currency: 'USD', ...card(), ...payer },
    order_desc: `Two tickets ${longText}`,
    redirect_url: `https://shop.example/return/${longText}`,
    server_callback_url: `http://127.0.0.1:9/callback/${longText}`,
    control: sha1(`4001${longId}987654321${payer['email']}${fixture.key}`),
  };
  const order = orderOf(fixture.post('/api/v2/preauth/4001', pairs));
  for (let count = 0; count < 7; count += 1) {
    fixture.later(100);
    status(fixture, longId, order);
  }
  partial(fixture, 'capture', longId, order, '5000000.00');
  fixture.later();
  partial(fixture, 'return', longId, order, '1234567.89');
  fixture.later();
  status(fixture, longId, order);
  partial(fixture, 'return', longId, order, '99999999.00');
  await openDeliverer(fixture.sandboxState.store).deliverDue();
  return order;
}

/** Requests of every kind that is refused, and a finding of every rule with the longest texts. */
function mistakes(): void {
  cardOrder(fixture, 'sale', { id: 'funds', cvv: '116' });
  cardOrder(fixture, 'sale', { id: 'unknown', cvv: '217' });
  cardOrder(fixture, 'sale', { id: 'waits', cvv: '323' });
  const hold = approvedOrder(fixture, 'preauth', { id: 'hold' });
  onOrder(fixture, '/api/v2/void', 'hold', hold);
  const payout = { client_orderid: 'p1', amount: '5.00', currency: 'EUR', wallet_type: 'w', wallet_id: 'x' };
  signed(fixture, '/api/v2/payout/4001', payout);
  signed(fixture, '/api/v2/payout/4001', { ...payout, client_orderid: 'p2' }, { nonce: longText });
  fixture.post('/api/v2/status/4001', { login: 'sandbox', client_orderid: longId, [longText]: longText, control: 'x' });
  send(fixture.sandbox, `/api/v2/${longText}/4001`, 'x');
  send(fixture.sandbox, '/api/v2/sale/4001', bodyOf(payout), { ...plainHeaders, accept: longText });
  const request = {
    line: `POST /gateway/api/v2/sale/${longText}`,
    headers: [['Accept', `application/json, text/plain, ${longText}`]],
    fields: [[longText, longText]],
  };
  for (const [at, rule] of Object.keys(rules).entries())
    fixture.database.run(
      'INSERT INTO findings (at, rule, detail, login, order_name, request) VALUES (?, ?, ?, ?, ?, ?)',
      ...[fixture.clock.time, rule, at === 0 ? `sale: ${longText} instead` : 'sale', 'sandbox', at < 3 ? longId : null],
      JSON.stringify(at === 0 ? request : { ...request, line: 'POST /gateway/api/v2/sale/4001', fields: [] }),
    );
}

async function open(path: string): Promise<void> {
  await page.goto(`http://127.0.0.1:${server.port}${path}`);
  // What is closed is part of the page.
  await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
}

async function inspect(path: string, name: string): Promise<void> {
  await open(path);
  await inspectPage(page, name);
}

test('the pages of the dashboard fit a phone and a screen, whatever stands in them', { timeout: 120_000 }, async () => {
  await inspect('/', 'orders-none');
  const order = await busyOrder();
  mistakes();
  await inspect('/', 'orders');
  await inspect('/?q=nothing', 'orders-no-match');
  await inspect(`/orders/${order}`, 'order');
  await inspect('/orders/1', 'order-not-found');
});

test('hosted forms and the pages of the bank', { timeout: 120_000 }, async () => {
  const path = (answer: { readonly fields: Readonly<Record<string, string>> }) =>
    new URL(answer.fields['redirect-url'] ?? '').pathname;
  for (const kind of ['sale', 'payout'] as const)
    await inspect(
      path(openForm(fixture, kind, { id: `${kind}-${longId}`.slice(0, 128), amount: '9876543.21' })),
      `form-${kind}`,
    );
  await page.getByRole('button', { name: /^Receive/ }).click();
  await page.getByText('Enter where the money goes').waitFor();
  await inspectPage(page, 'form-payout-wrong');
  const form = path(openForm(fixture, 'sale', { id: `c-${longId}`, amount: '9876543.21' }));
  await open(form);
  await page.getByLabel('Card number').fill('4444333322221111');
  await page.getByLabel('Name on the card').fill('JANE DOE');
  await page.getByLabel('Expires').fill('1233');
  await page.getByLabel('Security code').fill('323');
  await page.getByRole('button', { name: /^Pay/ }).click();
  await page.getByRole('button', { name: 'Confirm' }).waitFor();
  await inspectPage(page, 'challenge');
  await inspect('/gateway/pages/form/nothing', 'page-not-available');
});
