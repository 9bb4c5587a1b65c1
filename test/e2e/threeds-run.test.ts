// @module-tag openssl
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Home } from './home.js';
import { type Document, type Gateway, named, profileText, Shop, startGateway } from './shop.js';

let gateway: Gateway;
let shop: Shop;
let withoutAddress: Shop;

beforeAll(async () => {
  gateway = await startGateway();
  shop = new Shop(
    new Home(['default-profile: shop', 'profiles:', profileText('shop', gateway.url, gateway.keys)].join('\n')),
  );
  const profile = profileText('shop', gateway.url, gateway.keys).replace(/^ *redirect-url: .*\n/m, '');
  withoutAddress = new Shop(new Home(['default-profile: shop', 'profiles:', profile].join('\n')));
}, 60_000);

afterAll(async () => {
  shop.home.remove();
  withoutAddress.home.remove();
  const { exit, err } = await gateway.close();
  expect(exit, err).toBe(0);
});

/** A sale over HTTP that waits for its payer. */
async function begun(card: string): Promise<readonly string[]> {
  const document: Document = await shop.send(
    'SALE',
    ['sale', '--amount', '10.42', '--currency', 'EUR', '--test-card', card, '--wait'],
    7,
  );
  const [order, ...client] = named(document);
  return ['--order', order, ...client];
}

/** What the sandbox saw of an order besides requests. */
async function seen([, order = '']: readonly string[]): Promise<string[]> {
  const log = await gateway.home.call(['sandbox', 'log', '--order', order, '--ndjson']);
  const events: { readonly kind: string; readonly title: string }[] = log.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return events.filter(({ kind }) => kind === 'page' || kind === 'stage').map(({ title }) => title);
}

const loaded = '3-D Secure method frame loaded';
const shown = '3-D Secure challenge shown';
const approved = { status: 'approved', 'verified-3d-status': 'AUTHENTICATED' };
const declined = { status: 'declined', 'verified-3d-status': 'NOT_AUTHENTICATED' };

const walks: readonly (readonly [card: string, path: string, result: object, pages: readonly string[]])[] = [
  ['3ds-method', 'challenge', approved, [loaded, shown, '3-D Secure challenge ended: Y']],
  ['3ds-challenge', 'abandon', declined, [shown, '3-D Secure challenge ended: N']],
  ['3ds-pares', 'challenge', approved, [shown, '3-D Secure challenge ended: Y']],
  ['3ds-pares', 'timeout', declined, []],
];

test.each(walks)(
  '%s, path %s, through the pages of a sandbox that listens',
  { timeout: 60_000 },
  async (card, path, result, pages) => {
    const order = await begun(card);
    const document = await shop.send('STATUS', ['3ds', 'run', ...order, '--path', path]);
    expect(document.result).toMatchObject(result);
    expect((await seen(order)).filter((title) => /frame|challenge|code/.test(title))).toEqual(pages);
  },
);

test('a method step and a challenge that nobody answers in time, by the clock', { timeout: 60_000 }, async () => {
  const order = await begun('3ds-method');
  expect((await gateway.home.call(['sandbox', 'clock', 'advance', '11s'])).exit).toBe(0);
  const document = await shop.send('STATUS', ['3ds', 'run', ...order, '--path', 'timeout']);
  expect(document.result).toMatchObject(declined);
  // Handed in and seen agree: no "although" follows.
  expect(await seen(order)).toContain('3-D Secure method result N submitted');
});

test('a path that does not match the open step changes nothing', { timeout: 60_000 }, async () => {
  const order = await begun('3ds-challenge');
  const ran = await shop.home.call(['3ds', 'run', ...order, '--path', 'frictionless']);
  expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('try --path challenge')]);
  const { result } = await shop.send('STATUS', ['status', order[1] ?? '', ...order.slice(2)]);
  expect(result).toMatchObject({ status: 'processing', tds_status: 'CReqForm' });
});

const unaddressed = [['ACCOUNT_VERIFICATION', ['account-verification'], '3ds-challenge']] as const;

test.each(unaddressed)(
  '%s without redirect_url: the answer of the bank stands on its page',
  { timeout: 60_000 },
  async (id, line, card) => {
    const made = await withoutAddress.send(id, [...line, '--test-card', card, '--wait'], 7);
    const [order, ...client] = named(made);
    const document = await withoutAddress.send('STATUS', [
      '3ds',
      'run',
      '--order',
      order,
      ...client,
      '--path',
      'challenge',
    ]);
    expect(document.result).toMatchObject(approved);
  },
);
