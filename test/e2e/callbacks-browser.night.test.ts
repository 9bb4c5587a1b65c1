// @module-tag chromium
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, freePort, Home, type Variables } from './home.js';
import { openBrowser } from './hosted.js';
import type { Document } from './shop.js';

const controlKey = '6B1F0C52-9D3E-4F70-A2C8-5E94D7B0183A';
const id = 'browser-1';

const home = new Home();
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  home.remove();
});

test('a handler of plain node:http, started by --run, gets the callback of a 3-D Secure sale that a payer makes in a browser', {
  timeout: 60_000,
}, async () => {
  const port = await freePort();
  const forward = `http://127.0.0.1:${port}/handler`;
  const handler = home.write('handler.mjs', handlerText(port));
  const merchant = [
    '--login',
    'shop',
    '--endpoint-id',
    '5001',
    '--control-key-file',
    home.write('control.key', controlKey),
  ];
  const start = [
    'sandbox',
    'start',
    '--port',
    '0',
    '--settle-ms',
    '0',
    ...merchant,
    '--listen',
    '--forward',
    forward,
    '--run',
    '--',
  ];
  const sandbox = await home.start([...start, process.execPath, handler]);
  try {
    const { baseUrl = '', callbackUrl = '' } = await eventually('the handler listens', () => notes('ready')[0]);
    const connection = [...merchant, '--base-url', baseUrl];
    const sale: Document = await json([...formSale(port), '--server-callback-url', callbackUrl, ...connection]);
    const { orderId } = sale.order;
    expect(await states()).toEqual(['accepted']);

    await pay(await browser.newPage(), sale.result['redirect-url'] ?? '');
    const callback = await eventually('it is forwarded and status is asked', forwarded);
    expect(await states()).toEqual(['done']);
    expect(callback).toMatchObject({
      ...{
        verified: 'fits',
        order: { orderId, clientOrderId: id },
        status: 'approved',
        amount: '10.42',
        currency: 'EUR',
      },
      ...{
        repeats: 0,
        conflicts: [],
        asked: { status: 'approved' },
        forwards: [{ url: forward, status: 200, reply: 'noted' }],
      },
    });

    sandbox.signal('SIGTERM');
    // The exit code is the handler's own.
    expect(await sandbox.done).toMatchObject({
      exit: 5,
      err: expect.stringMatching(/^error: the program after -- ended with exit code 5\n/),
    });
    const control = createHash('sha1').update(`approved${orderId}${id}${controlKey}`).digest('hex');
    const told = {
      status: 'approved',
      type: 'sale',
      orderid: orderId,
      client_orderid: id,
      amount: '10.42',
      currency: 'EUR',
      control,
    };
    expect(notes('callback')).toEqual([expect.objectContaining({ method: 'GET', ...told })]);
  } finally {
    sandbox.signal('SIGTERM');
    await sandbox.done;
  }
});

function formSale(port: number): readonly string[] {
  return [
    ...['form', 'sale', '--client-order-id', id, '--amount', '10.42', '--currency', 'EUR', '--order-desc', 'Two cups'],
    ...[
      '--email',
      'pat@example.com',
      '--address1',
      'Street 1',
      '--city',
      'Berlin',
      '--zip-code',
      '10115',
      '--country',
      'DE',
    ],
    ...['--ip-address', '192.0.2.1', '--redirect-url', `http://127.0.0.1:${port}/thanks`],
  ];
}

/** Fills in the hosted form, with a card whose payer is challenged, and types the code that the bank's page shows. */
async function pay(page: Page, url: string): Promise<void> {
  page.setDefaultTimeout(20_000);
  await page.goto(url);
  await page.getByLabel('Card number').fill('4444333322221111');
  await page.getByLabel('Name on the card').fill('JANE DOE');
  await page.getByLabel('Expires').fill('12/33');
  await page.getByLabel('Security code').fill('321');
  await page.getByRole('button', { name: 'Pay 10.42 EUR' }).click();
  await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
  await page.getByLabel('One-time code').fill(await page.locator('.code').innerText());
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('heading', { name: 'Thank you', exact: true }).waitFor();
}

async function json<T>(argv: readonly string[]): Promise<T> {
  const ran = await home.run([...argv, '--json']);
  expect(ran.exit, ran.err).toBe(0);
  const document: T = JSON.parse(ran.out);
  return document;
}

async function states(): Promise<readonly string[]> {
  const { entries } = await json<{ readonly entries: readonly { readonly state: string }[] }>(['journal', 'list']);
  return entries.map(({ state }) => state);
}

interface Callback {
  readonly asked: object | null;
  readonly forwards: readonly object[];
}

/** The one callback that came, once nothing more is to be done about it. */
async function forwarded(): Promise<Callback | undefined> {
  const { callbacks } = await json<{ readonly callbacks: readonly Callback[] }>(['callback', 'list']);
  expect(callbacks.length).toBeLessThan(2);
  return callbacks.find(({ asked, forwards }) => asked !== null && forwards.length > 0);
}

/** What the handler wrote down of one kind. */
function notes(kind: string): Variables[] {
  const path = join(home.path, 'notes.ndjson');
  if (!existsSync(path)) return [];
  const all: Variables[] = readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  return all.filter((note) => note['kind'] === kind);
}

/** A merchant's program: notes what its handler is sent, and thanks the payer who comes back. */
function handlerText(port: number): string {
  return `
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const note = (kind, facts) => appendFileSync('notes.ndjson', JSON.stringify({ kind, ...facts }) + '\\n');
const { PAYCLI_BASE_URL: baseUrl, PAYCLI_CALLBACK_URL: callbackUrl } = process.env;

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://shop');
  if (pathname === '/handler') {
    note('callback', { method: request.method, ...Object.fromEntries(searchParams) });
    response.end('noted');
  } else response.setHeader('content-type', 'text/html').end('<!doctype html><title>Shop</title><h1>Thank you</h1>');
}).listen(${port}, '127.0.0.1', () => note('ready', { baseUrl, callbackUrl }));
process.on('SIGTERM', () => process.exit(5));
`;
}
