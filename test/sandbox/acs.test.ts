import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { bodyOf, cardOrder, type Fixture, onOrder, openFixture, orderOf, status } from './support.js';
import { goodCard, Walk, walkForm } from './walk.js';

const cresPath = '/api/3ds/v1/upload-cres-result';
const methodPath = '/api/3ds/v1/upload-method-url-result';
const paresPath = '/api/3ds/v1/upload-pares-result';

interface Begun {
  readonly fixture: Fixture;
  readonly order: string;
  readonly shown: Record<string, string>;
}

function begin(card: { readonly cvv?: string; readonly number?: string; readonly amount?: string }): Begun {
  const fixture = openFixture();
  const order = orderOf(cardOrder(fixture, 'sale', { id: 't', ...card }));
  return { fixture, order, shown: { ...status(fixture, 't', order) } };
}

const plain = (text: string | undefined) => JSON.parse(Buffer.from(text ?? '', 'base64url').toString());
const packed = (message: object) => Buffer.from(JSON.stringify(message)).toString('base64url');

/** The page of the issuer with a message of the merchant's page, which is on another site. */
function post(fixture: Fixture, url: string, fields: Record<string, string>): Walk {
  const walk = new Walk(fixture, url);
  walk.go(url, bodyOf(fields), { 'sec-fetch-site': 'cross-site' });
  return walk;
}

describe('the method frame', () => {
  const notification = 'https://shop.example/notified';
  const frame = ({ fixture, shown }: Begun, tdsId = shown['tds-method-url-frame-3ds-server-trans-id']) =>
    post(fixture, shown['tds-method-url-frame-3ds-method-url'] ?? '', {
      threeDSMethodData: packed({ threeDSServerTransID: tdsId, threeDSMethodNotificationURL: notification }),
    });

  test('posts the id to the notification address, and may stand in a frame of the shop alone', () => {
    const begun = begin({ cvv: '321' });
    const walk = frame(begun);
    expect(walk.form().action).toBe(notification);
    expect(plain(walk.form().hidden['threeDSMethodData'])).toEqual({
      threeDSServerTransID: begun.shown['tds-method-url-frame-3ds-server-trans-id'],
    });
    const policy = walk.page.headers['content-security-policy'];
    expect(policy).toContain("frame-ancestors 'self' https://shop.example;");
    expect(policy).toContain("form-action 'self' https://shop.example;");
  });

  test.each([
    ['in time', 10_000, 'Y'],
    ['later than ten seconds', 10_001, 'N'],
    ['never', undefined, 'N'],
  ])('loaded %s', (_, after, seen) => {
    const begun = begin({ cvv: '321' });
    const { fixture, order, shown } = begun;
    if (after !== undefined) fixture.later(after);
    if (after !== undefined) frame(begun);
    const id = shown['tds-method-url-frame-3ds-server-trans-id'] ?? '';
    onOrder(fixture, methodPath, 't', order, { threeDSServerTransID: id, threeDSCompInd: 'U' });
    const row = fixture.database.get("SELECT detail FROM events WHERE kind = 'stage' AND title LIKE '%method result%'");
    expect(JSON.parse(String(row?.['detail']))).toEqual({ said: 'U', seen });
    expect(status(fixture, 't', order)['tds_status']).toBe('CReqForm');
  });
});

describe('the challenge', () => {
  const open = ({ fixture, shown }: Begun, creq = shown['tds-creq-form-creq'] ?? '') =>
    post(fixture, shown['tds-creq-form-acs-url'] ?? '', { creq, threeDSSessionData: 'a"b' });

  test.each([
    ['confirm', { transStatus: 'Y' }, 'approved'],
    ['cancel', { transStatus: 'N', challengeCancel: '01' }, 'declined'],
    ['fail', { transStatus: 'N' }, 'declined'],
  ])('the button %s gives the CRes for the redirect address', (button, message, outcome) => {
    const begun = begin({ number: '4444000011118888' });
    const walk = open(begun);
    walk.press(button);
    const { action, hidden } = walk.form();
    expect(action).toBe('https://shop.example/return');
    expect(hidden['threeDSSessionData']).toBe('a"b');
    const { threeDSServerTransID, acsTransID } = plain(begun.shown['tds-creq-form-creq']);
    expect(plain(hidden['cres'])).toMatchObject({ messageType: 'CRes', threeDSServerTransID, acsTransID, ...message });
    expect(onOrder(begun.fixture, cresPath, 't', begun.order, { cRes: hidden['cres'] ?? '' }).status).toBe(200);
    begun.fixture.later();
    expect(status(begun.fixture, 't', begun.order)['status']).toBe(outcome);
  });

  test('takes an answer from its own page only', () => {
    const walk = open(begin({ number: '4444000011118888' }));
    expect(walk.press('cancel', { csrf: 'made up' }).status).toBe(403);
  });
});

describe('3-D Secure 1.0.2', () => {
  test.each([
    ['1.00', 'Y', '00'],
    ['2.00', 'A', '01'],
  ])('amount %s: status %s with ECI %s, brought to TermUrl with MD', (amount, word, eci) => {
    const { fixture, order, shown } = begin({ amount });
    const sent = { PaReq: shown['tds-pareq-form-pareq'] ?? '', MD: 'my data', TermUrl: 'http://127.0.0.1:9/term' };
    const walk = post(fixture, shown['tds-pareq-form-acs-url'] ?? '', sent);
    walk.press('confirm');
    const { action, hidden } = walk.form();
    expect([action, hidden['MD']]).toEqual(['http://127.0.0.1:9/term', 'my data']);
    const xml = inflateSync(Buffer.from(hidden['PaRes'] ?? '', 'base64')).toString();
    expect(xml).toContain(`<status>${word}</status>`);
    expect(xml).toContain(`<eci>${eci}</eci>`);
    expect(onOrder(fixture, paresPath, 't', order, { paRes: hidden['PaRes'] ?? '' }).status).toBe(200);
    fixture.later();
    expect(status(fixture, 't', order)['status']).toBe('approved');
  });
});

describe('the simplified flow', () => {
  test('leads to the bank once, and the gateway finishes without an upload', () => {
    const { fixture, order, shown } = begin({ cvv: '324' });
    expect(shown).not.toHaveProperty('tds_status');
    expect(shown['html']).toContain(`action="${shown['redirect-to']}"`);
    const walk = new Walk(fixture, shown['redirect-to'] ?? '');
    walk.press('confirm');
    fixture.later();
    walk.again();
    expect(walk.form().hidden).toMatchObject({ status: 'approved', orderid: order });
    expect(new Walk(fixture, shown['redirect-to'] ?? '').page.status).toBe(404);
  });
});

describe('on a hosted form', () => {
  test.each([
    ['321', 'method step and challenge'],
    ['323', 'challenge'],
    ['325', '1.0.2'],
    ['324', 'simplified'],
  ])('code %s: %s, all in the same browser', (code) => {
    const fixture = openFixture();
    const { walk, order } = walkForm(fixture, 'sale');
    walk.press('pay', { ...goodCard, code });
    const form = walk.url;
    const frame = /<iframe src="([^"]*)"/.exec(walk.page.body)?.[1];
    if (frame !== undefined) {
      expect(walk.page.headers['content-security-policy']).toContain("frame-src 'self';");
      expect(walk.go(new URL(frame, form).href).status).toBe(200);
      walk.go(form);
    }
    expect(status(fixture, 'f', order)).not.toHaveProperty('tds_status');
    walk.press('confirm');
    fixture.later();
    walk.again();
    expect(walk.form().hidden).toMatchObject({ status: 'approved' });
    expect(status(fixture, 'f', order)['verified-3d-status']).toBe('AUTHENTICATED');
  });
});
