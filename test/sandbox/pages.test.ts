import { describe, expect, test } from 'vitest';
import { readEvents } from '../../src/sandbox/log.js';
import { openFixture, sha1, status } from './support.js';
import { type FormKind, formKinds, goodCard, walkForm } from './walk.js';

const cardForms: readonly FormKind[] = ['sale', 'preauth', 'payment', 'account-verification'];

describe('the page of a hosted form', () => {
  test.each(formKinds)('%s shows merchant, order, description and amount, and asks what it needs', (kind) => {
    const { walk, order } = walkForm(openFixture(), kind);
    expect(walk.page.status).toBe(200);
    for (const text of [
      'sandbox',
      'Two tickets',
      `Gateway order ${order}`,
      ...(kind === 'account-verification' ? [] : ['10.42 USD']),
    ])
      expect(walk.has(text), text).toBe(true);
    const inputs = [...walk.page.body.matchAll(/<input type="text" id="([\w-]+)"/g)].map(([, id = '']) => id);
    expect(inputs).toHaveLength(kind === 'payout' ? 1 : 4);
    for (const id of inputs) expect(walk.page.body).toContain(`<label for="${id}">`);
  });

  test('comes under a strict policy, with nothing inline', () => {
    const { walk } = walkForm(openFixture(), 'sale');
    expect(walk.page.headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(walk.page.body).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*src=)/);
  });

  test('escapes what the merchant wrote', () => {
    const { walk } = walkForm(openFixture(), 'sale', { id: '"><script>alert(1)</script>' });
    expect(walk.page.body).not.toContain('<script>alert');
    expect(walk.has('"><script>alert(1)</script>')).toBe(true);
  });
});

describe('a card that is sent in', () => {
  test.each(cardForms)('%s: waits, then ends with a browser return that the merchant can check', (kind) => {
    const fixture = openFixture();
    const { walk, order } = walkForm(fixture, kind);
    walk.press('pay', goodCard);
    expect(walk.has('Processing')).toBe(true);
    expect(walk.page.headers['refresh']).toBe('1');
    fixture.later();
    walk.again();
    const { action, hidden } = walk.form();
    expect(action).toBe('http://127.0.0.1:9/back');
    expect(hidden).toMatchObject({
      status: 'approved',
      orderid: order,
      merchant_order: 'f',
      client_orderid: 'f',
      bin: '444433',
      'last-four-digits': '1111',
      'card-holder-name': 'JANE DOE',
      control: sha1(`approved${order}f${fixture.key}`),
    });
    expect(hidden).not.toHaveProperty('error_code');
    expect(walk.page.headers['content-security-policy']).toContain("form-action 'self' http://127.0.0.1:9;");
    expect(status(fixture, 'f', order)).toMatchObject({ status: 'approved', bin: '444433', 'card-exp-year': '2033' });
  });

  test('is never kept whole, and never comes back in a page', () => {
    const fixture = openFixture();
    const { walk } = walkForm(fixture, 'sale');
    walk.press('pay', { ...goodCard, code: '12' });
    expect(walk.page.status).toBe(422);
    expect(walk.page.body).not.toMatch(/value="(4444|12\/33|12")/);
    expect(walk.page.body).toContain('value="JANE DOE"');
    walk.press('pay', goodCard);
    const kept = JSON.stringify(
      ['orders', 'cards', 'events', 'visits'].map((table) => fixture.database.all(`SELECT * FROM ${table}`)),
    );
    expect(kept).not.toMatch(/4444\s?3333\s?2222\s?1111/);
  });

  test.each([
    ['number', '4444333322221112', 'a digit is wrong or missing'],
    ['number', '4916338506082832', 'not a published test number'],
    ['holder', '', 'Enter the name on the card'],
    ['expiry', '13/33', 'Enter month and year'],
    ['expiry', '12/29', 'The card has expired'],
    ['code', '12a', 'Enter the security code'],
  ])('%s %s is refused with a reason at the control', (name, value, words) => {
    const { walk } = walkForm(openFixture(), 'sale');
    walk.press('pay', { ...goodCard, [name]: value });
    expect(walk.page.status).toBe(422);
    expect(walk.page.body).toMatch(new RegExp(`<p class="error" id="${name}-error">[^<]*${words}`));
    expect(walk.page.body).toMatch(new RegExp(`id="${name}"[^>]*aria-invalid="true" autofocus`));
  });
});

describe('A32', () => {
  test('a card that is turned down may be followed by two more; then the order is declined', () => {
    const fixture = openFixture();
    const { walk, order } = walkForm(fixture, 'sale');
    for (const left of ['Attempts left: 2', 'Attempts left: 1']) {
      walk.press('pay', { ...goodCard, code: '116' });
      expect(walk.has('Insufficient funds')).toBe(true);
      expect(walk.has(left)).toBe(true);
      expect(status(fixture, 'f', order)['status']).toBe('processing');
    }
    walk.press('pay', { ...goodCard, code: '116' });
    fixture.later();
    walk.again();
    expect(walk.form().hidden).toMatchObject({
      status: 'declined',
      error_code: '51',
      error_message: 'Insufficient funds',
    });
  });
});

describe('a payout', () => {
  test.each(['4444 3333 2222 1111', 'DE02 1203 0000 0000 2020 51'])(
    'goes to %s, which is not kept whole',
    (destination) => {
      const fixture = openFixture();
      const { walk, order } = walkForm(fixture, 'payout');
      walk.press('pay', { destination });
      fixture.later();
      expect(status(fixture, 'f', order)).toMatchObject({ status: 'approved', 'transaction-type': 'payout' });
      walk.again();
      expect(walk.form().hidden).toMatchObject({ status: 'approved', type: 'payout' });
      const kept = JSON.stringify(
        ['orders', 'cards', 'events'].map((name) => fixture.database.all(`SELECT * FROM ${name}`)),
      );
      expect(kept.replaceAll(' ', '')).not.toContain(destination.replaceAll(' ', ''));
    },
  );
});

describe('a forged request', () => {
  test('without the token of the page, or from another site, is refused', () => {
    const fixture = openFixture();
    const { walk, order } = walkForm(fixture, 'sale');
    const { action } = walk.form();
    expect(walk.go(action, 'action=cancel').status).toBe(403);
    walk.go(action);
    for (const site of ['cross-site', 'same-site']) {
      expect(walk.press('cancel', {}, { 'sec-fetch-site': site }).status).toBe(403);
      walk.go(action);
    }
    expect(status(fixture, 'f', order)['status']).toBe('processing');
    const events = readEvents(fixture.sandboxState.store, { order, limit: 100 });
    expect(events.filter(({ kind, title }) => kind === 'page' && title.startsWith('form refused'))).toHaveLength(3);
  });
});

test('a browser is sent by itself to this machine only', () => {
  for (const [redirect, goes] of [
    ['http://localhost:3000/back?cart=1', true],
    ['https://shop.example/back', false],
  ] as const) {
    const fixture = openFixture();
    const { walk } = walkForm(fixture, 'sale', { redirect });
    walk.press('pay', goodCard);
    fixture.later();
    walk.again();
    expect(walk.form().action).toBe(redirect);
    expect(walk.page.body.includes('data-send=')).toBe(goes);
    expect(walk.has(`Goes to ${redirect.replace('?cart=1', '')}`)).toBe(true);
  }
});
