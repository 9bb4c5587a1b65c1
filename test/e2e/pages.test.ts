// @module-tag chromium
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { card, type Fields, payer, sha1 } from '../sandbox/support.js';
import { eventually } from './home.js';
import { openBrowser, openShop, type Shop } from './hosted.js';
import { inspectPage } from './page-checks.js';

let browser: Browser;
let shop: Shop;

beforeAll(async () => {
  [browser, shop] = await Promise.all([openBrowser(), openShop()]);
});
afterAll(async () => {
  await browser?.close();
  await shop?.close();
});

// What a browser complains about: errors in scripts, and what the policy of a page stopped.
const complaints: string[] = [];

vi.setConfig({ testTimeout: 60_000 });

// One page after the other, and no new one while that of the test before can be used again: a page that stays open
// costs as much as the tests, and opening one more than most of them.
let spare: Page | undefined;

async function newPage(): Promise<Page> {
  const page = spare ?? (await openPage());
  // Some tests end while the page is on its way to the shop, which may stop another way.
  spare = undefined;
  onTestFinished(async () => {
    if (page.isClosed()) return;
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.setViewportSize(wide);
    spare = page;
  });
  return page;
}

const wide = { width: 1280, height: 900 };

async function openPage(): Promise<Page> {
  const context = await browser.newContext({ viewport: wide });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (line) => {
    if (line.text().includes('Content Security Policy')) complaints.push(line.text());
  });
  return page;
}

interface Opened {
  readonly id: string;
  readonly order: string;
  readonly url: string;
}

async function openForm(): Promise<Opened> {
  const id = shop.newId();
  const pairs = { client_orderid: id, amount: '10.42', currency: 'EUR', ...payer, redirect_url: shop.back };
  const control = sha1(`4001${id}1042${payer['email']}${shop.key}`);
  const fields = await shop.post('/api/v2/sale-form/4001', { ...pairs, control });
  return { id, order: fields['paynet-order-id'] ?? '', url: fields['redirect-url'] ?? '' };
}

async function status({ id, order }: Pick<Opened, 'id' | 'order'>): Promise<Fields> {
  const control = sha1(`sandbox${id}${order}${shop.key}`);
  return shop.post('/api/v2/status/4001', { login: 'sandbox', client_orderid: id, orderid: order, control });
}

function returned(order: string): Promise<Fields> {
  return eventually('the browser came back', () => shop.returns.find(({ orderid }) => orderid === order), 20_000);
}

function approved(order: Pick<Opened, 'id' | 'order'>): Promise<Fields> {
  return eventually('approved', async () => {
    const fields = await status(order);
    return fields['status'] === 'approved' ? fields : undefined;
  });
}

async function fillCard(page: Page, code: string): Promise<void> {
  await page.getByLabel('Card number').fill('4444333322221111');
  await page.getByLabel('Name on the card').fill('JANE DOE');
  await page.getByLabel('Expires').fill('1233');
  await page.getByLabel('Security code').fill(code);
}

/** Keeps the last page from going on by itself, so that it can be looked at. */
async function stayOnFinish(page: Page): Promise<void> {
  await page.route('**/send.js', (route) => route.abort());
}

/** Keeps a page that asks again by itself as it is. */
async function holdStill(page: Page): Promise<void> {
  await page.route('**/pages/form/*', async (route) => {
    const response = await route.fetch();
    const { refresh, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
}

test('a hosted form says what is wrong beside the control, is filled in, and comes back to the shop', async () => {
  const opened = await openForm();
  const page = await newPage();
  await stayOnFinish(page);
  await page.goto(opened.url);
  await inspectPage(page, 'form-sale');
  await page.getByLabel('Card number').fill('4444333322221112');
  await page.getByRole('button', { name: 'Pay 10.42 EUR' }).click();
  await page.getByText('a digit is wrong').waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('number');
  await inspectPage(page, 'form-sale-wrong');
  await fillCard(page, '123');
  await page.getByRole('button', { name: 'Pay 10.42 EUR' }).click();
  await page.getByText('Done.').waitFor();
  await inspectPage(page, 'finish');
  await page.getByRole('button', { name: 'Back to sandbox' }).click();
  expect(await returned(opened.order)).toMatchObject({
    status: 'approved',
    control: sha1(`approved${opened.order}${opened.id}${shop.key}`),
  });
  await page.getByRole('heading', { name: 'Thank you', exact: true }).waitFor();
  expect((await status(opened))['status']).toBe('approved');
});

test('the wait page stays while the gateway works, with a way to look again', async () => {
  const opened = await openForm();
  const page = await newPage();
  await page.goto(opened.url);
  await holdStill(page);
  await fillCard(page, '360');
  await page.getByRole('button', { name: 'Pay 10.42 EUR' }).click();
  await page.getByText('Processing').waitFor();
  await inspectPage(page, 'wait');
  await page.keyboard.press('Tab');
  const [again] = await Promise.all([page.waitForResponse(opened.url), page.keyboard.press('Enter')]);
  expect(again.status()).toBe(200);
  expect(await page.getByRole('status').innerText()).toContain('Processing');
  expect((await status(opened))['status']).toBe('processing');
});

describe('3-D Secure of a sale by the interface', () => {
  async function sale(): Promise<Opened> {
    const id = shop.newId();
    const control = sha1(`4001${id}1042${payer['email']}${shop.key}`);
    const money = { client_orderid: id, amount: '10.42', currency: 'EUR' };
    const pairs = { ...money, ...card(), cvv2: '321', ...payer, redirect_url: shop.back, control };
    const fields = await shop.post('/api/v2/sale/4001', pairs);
    return { id, order: fields['paynet-order-id'] ?? '', url: fields['redirect_url'] ?? '' };
  }

  /** A page of the shop that posts a form, as its checkout would. */
  async function postFrom(page: Page, to: string, fields: Fields): Promise<void> {
    const inputs = Object.entries(fields).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
    );
    await page.goto(shop.back);
    await page.setContent(
      `<!doctype html><title>Shop</title><form method="post" action="${to}">${inputs.join('')}<button>Go</button></form>`,
    );
    await page.getByRole('button').click();
  }

  async function upload(path: string, { id, order }: Opened, own: Fields): Promise<Fields> {
    const control = sha1(`sandbox${id}${order}${shop.key}`);
    return shop.post(`/api/3ds/v1/${path}/4001`, {
      login: 'sandbox',
      'client-order-id': id,
      orderid: order,
      ...own,
      control,
    });
  }

  const lastReturn = (name: string) => shop.returns.findLast((fields) => fields[name] !== undefined) ?? {};

  test('method frame, challenge, and the CRes with its session data', async () => {
    const order = await sale();
    const page = await newPage();
    const first = await status(order);
    const tdsId = first['tds-method-url-frame-3ds-server-trans-id'] ?? '';
    const data = { threeDSServerTransID: tdsId, threeDSMethodNotificationURL: `${shop.back}?notified=1` };
    await postFrom(page, first['tds-method-url-frame-3ds-method-url'] ?? '', {
      threeDSMethodData: Buffer.from(JSON.stringify(data)).toString('base64url'),
    });
    await page.getByRole('heading', { name: 'Thank you', exact: true }).waitFor();
    expect(
      JSON.parse(Buffer.from(lastReturn('threeDSMethodData')['threeDSMethodData'] ?? '', 'base64url').toString()),
    ).toEqual({
      threeDSServerTransID: tdsId,
    });
    await upload('upload-method-url-result', order, { threeDSServerTransID: tdsId, threeDSCompInd: 'Y' });
    const second = await status(order);
    await postFrom(page, second['tds-creq-form-acs-url'] ?? '', {
      creq: second['tds-creq-form-creq'] ?? '',
      threeDSSessionData: 'my-session',
    });
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Thank you', exact: true }).waitFor();
    const back = lastReturn('cres');
    expect(back['threeDSSessionData']).toBe('my-session');
    await upload('upload-cres-result', order, { cRes: back['cres'] ?? '' });
    await approved(order);
  });
});

test('the dashboard lists orders, and leads to each', async () => {
  const opened = await openForm();
  const page = await newPage();
  await page.goto(new URL('/', opened.url).href);
  await inspectPage(page, 'orders');
  await page.getByRole('link', { name: opened.order }).click();
  await page.getByRole('heading', { level: 1, name: `Order ${opened.order}` }).waitFor();
  await inspectPage(page, 'order');
});

test('no page did what its policy forbids, and no script failed', () => {
  expect(complaints).toEqual([]);
});
