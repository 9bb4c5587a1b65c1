import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { paycli } from '../support/runtime.js';
import { controlKey, homeWithProfile } from './profiles.js';
import { digestOf, hmacOf, put } from './signing-files.js';

const accept = 'Accept: application/vnd.pay+json';
const type = 'Content-Type: application/x-www-form-urlencoded';
const gate = 'https://gate.example/prefix';

interface Found {
  readonly match: boolean;
  readonly mistakes: readonly { readonly name: string; readonly variant: string; readonly fix: string }[];
  readonly form: readonly { readonly name: string; readonly detail: string }[];
  readonly parameters: readonly {
    readonly name: string;
    readonly status: string;
    readonly ours: string | null;
    readonly theirs: string | null;
  }[];
}

async function check(text: string | Uint8Array, more: readonly string[] = [], home = homeWithProfile()) {
  const ran = await paycli(['sign', 'check', put(home, 'r.txt', text), ...more, '--json'], { home });
  const found: Found = ran.out === '' ? { match: false, mistakes: [], form: [], parameters: [] } : JSON.parse(ran.out);
  const named = found.mistakes.map(({ name, variant }) => `${name} ${variant}`);
  return { ...ran, found, named, forms: found.form.map(({ name }) => name) };
}

const http = (path: string, body: string, headers: readonly string[] = []) =>
  [`POST ${gate}${path} HTTP/1.1`, accept, type, ...headers, '', body].join('\n');

/** A sale over this checksum text; the body is written by `write`. */
function sale(signed: string, more: Readonly<Record<string, string>> = {}, write = (body: string) => body): string {
  const fields = { client_orderid: 'A1', amount: '10.42', currency: 'USD', email: 'jane@example.com', ...more };
  const body = Object.entries({ ...fields, control: digestOf(signed + controlKey) })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  return http('/api/v2/sale/1144', write(body));
}
const right = '1144A11042jane@example.com';

describe('a request with a checksum', () => {
  test('that is right, as HTTP, curl, JSON, HAR and a bare body', async () => {
    const text = sale(right);
    const body = text.split('\n\n')[1] ?? '';
    const url = `${gate}/api/v2/sale/1144`;
    const headers = { Accept: 'application/vnd.pay+json', 'Content-Type': 'application/x-www-form-urlencoded' };
    const list = Object.entries(headers).map(([name, value]) => ({ name, value }));
    const har = { log: { entries: [{ request: { method: 'POST', url, headers: list, postData: { text: body } } }] } };
    for (const [written, more] of [
      [text, []],
      [`curl -H '${accept}' -H '${type}' -d '${body}' ${url}`, []],
      [JSON.stringify({ url, headers, body }), []],
      [JSON.stringify(har), []],
      [body, ['--url', url]],
    ] as const) {
      const { exit, err, found } = await check(written, more);
      expect([exit, found.match, found.form, found.mistakes], err).toEqual([0, true, [], []]);
    }
  });

  test.each<readonly [what: string, text: string, form: readonly string[], named: readonly string[]]>([
    ['&amp; between the fields', sale(right, {}, (body) => body.replaceAll('&', '&amp;')), ['body-separator'], []],
    [
      'a raw & in a text',
      sale(right, { order_desc: 'Tom' }, (body) => body.replace('Tom', 'Tom & Jerry')),
      ['body-separator'],
      [],
    ],
    [
      'letters of windows-1251',
      sale(right, { order_desc: 'x' }, (body) => body.replace('=x&', '=%CF%F0%E8%E2%E5%F2&')),
      ['body-encoding'],
      [],
    ],
    ['decimals of JPY', sale('1144A1705jane@example.com', { amount: '705.00', currency: 'JPY' }), ['amount-form'], []],
    ['Accept */*', sale(right).replace(accept, 'Accept: */*'), ['accept-inexact'], []],
    [
      'no Accept and a comma',
      sale('x', { amount: '10,42' }).replace(`${accept}\n`, ''),
      ['accept-missing', 'amount-form', 'control-wrong'],
      [],
    ],
    ['the amount as it is sent', sale('1144A110.42jane@example.com'), [], ['decimal-amount as-sent']],
    [
      'both',
      sale('1144A110.42jane@example.com').replace(accept, 'Accept: */*'),
      ['accept-inexact'],
      ['decimal-amount as-sent'],
    ],
    ['half a checksum', sale(right).replace(/control=.*/, 'control=deadbeef'), [], ['digest length']],
  ])('%s', async (_, text, form, named) => {
    const ran = await check(text);
    expect([ran.exit, ran.forms, ran.named], ran.err).toEqual([11, form, named]);
  });

  test.each([
    ['windows-1251', Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])],
    ['windows-1252', Buffer.from('Zürich', 'latin1')],
  ])('a file or standard input in %s is named as that, and its signature read all the same', async (charset, bytes) => {
    const word = bytes.toString('latin1');
    const text = sale(right, { order_desc: 'x' }, (body) => body.replace('=x&', `=${word}&`));
    const length = text.length - text.indexOf('\n\n') - 2;
    const sent = Buffer.from(text.replace(type, `${type}\nContent-Length: ${length}`), 'latin1');
    const form = [{ name: 'body-encoding', detail: expect.stringContaining(charset) }];
    const { exit, found } = await check(sent);
    expect([exit, found.match, found.form]).toMatchObject([11, true, form]);
    const piped = await paycli(['sign', 'check', '-', '--json'], { home: homeWithProfile(), stdin: sent });
    expect([piped.exit, JSON.parse(piped.out)]).toMatchObject([11, { match: true, form }]);
  });

  test('an amount is told in its own currency', async () => {
    const { found } = await check(sale('1144A1705.00jane@example.com', { amount: '705', currency: 'JPY' }));
    expect(found.mistakes[0]?.fix).toContain('705 JPY is 705');
  });

  test('what differs is shown beside what it must be', async () => {
    const { found } = await check(sale('1144A110.42jane@example.com'));
    expect(found.parameters.filter(({ status }) => status !== 'equal')).toMatchObject([
      { name: 'amount', ours: '1042', theirs: '10.42' },
    ]);
  });
});

describe('our own key file is what is wrong', () => {
  const damaged: readonly (readonly [what: string, key: string, words: string])[] = [
    ['quotes', `"${controlKey}"`, 'without its quotes'],
    ['a name', `CONTROL_KEY=${controlKey}`, 'without the name and ='],
  ];

  test.each(damaged)('%s', async (_, key, words) => {
    const home = homeWithProfile();
    put(home, 'control.key', `${key}\n`);
    const form = [{ name: 'own-key-damaged', detail: expect.stringContaining(`matches your key ${words}`) }];
    const compare = ['sign', 'status', '--client-order-id', 'a', '--control', digestOf(`my-shopa${controlKey}`)];
    for (const ran of [
      await check(sale(right), [], home),
      await check(oauth(address, payout).text, [], home),
      await paycli([...compare, '--json'], { home }),
    ]) {
      expect([ran.exit, JSON.parse(ran.out)], ran.err).toMatchObject([11, { match: true, form, mistakes: [] }]);
      expect(ran.out + ran.err).not.toContain(controlKey);
    }
  });
});

const protocol = { oauth_consumer_key: 'my-shop', oauth_nonce: 'n1', oauth_signature_method: 'HMAC-SHA1' };
const payout = [
  ['client_orderid', 'a b'],
  ['amount', '50.00'],
  ['currency', 'EUR'],
  ['receiver_phone', '+4930123456'],
] as const;
type Fields = readonly (readonly [string, string])[];
type Encode = (value: string) => string;
interface Own {
  timestamp?: string;
  encode?: Encode;
  signed?: Fields;
  write?: (base: string) => string;
}

/** The last element of a base string once more. */
function twice(base: string): string {
  const [method, address, parameters = ''] = base.split('&');
  return [method, address, encodeURIComponent(parameters)].join('&');
}

function oauth(path: string, fields: Fields, own: Own = {}) {
  const { timestamp = '1894017500', encode = encodeURIComponent, signed = fields, write = (base) => base } = own;
  const sent = { ...protocol, oauth_timestamp: timestamp, oauth_version: '1.0' };
  const pairs = [...signed, ...Object.entries(sent)].map(([name, value]) => `${name}=${encode(value)}`);
  const base = write(`POST&${encodeURIComponent(`${gate}${path}`)}&${encodeURIComponent(pairs.sort().join('&'))}`);
  const header = Object.entries({ ...sent, oauth_signature: hmacOf(base, `${controlKey}&`) })
    .map(([name, value]) => `${name}="${encodeURIComponent(value)}"`)
    .join(', ');
  const body = fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return { text: http(path, body, [`Authorization: OAuth ${header}`]), base, header: `OAuth ${header}` };
}
const address = '/api/v2/payout/1144';

describe('a request signed by OAuth', () => {
  test('that is right, and an hour old', async () => {
    const { exit, err, found } = await check(oauth(address, payout, { timestamp: '1893452400' }).text);
    expect([exit, found.match], err).toEqual([0, true]);
    expect((await check(oauth('/api/v9/other/1144', payout).text)).exit).toBe(2);
  });

  test.each<readonly [string, Parameters<typeof oauth>[2], string]>([
    ['milliseconds', { timestamp: '1894017500123' }, 'nonce-timestamp milliseconds'],
    ['a blank as +', { encode: (text) => encodeURIComponent(text).replaceAll('%20', '+') }, 'space-plus plus'],
    ['an unsigned field', { signed: payout.slice(0, 3) }, 'body-left-out field'],
  ])('%s', async (_, own, expected) => {
    expect((await check(oauth(address, payout, own).text)).named).toEqual([expected]);
  });

  test('an unsigned field is missing beside ours', async () => {
    const { parameters } = (await check(oauth(address, payout, { signed: payout.slice(0, 3) }).text)).found;
    expect(parameters.filter(({ status }) => status !== 'equal')).toEqual([
      { name: 'receiver_phone', status: 'missing', ours: '%2B4930123456', theirs: null },
    ]);
  });

  test.each<readonly [string, Encode, (base: string) => string]>([
    ['blanks as +', (value) => encodeURIComponent(value).replaceAll('%20', '+'), (base) => base],
    ['the parameters encoded twice, which no name stands apart in', encodeURIComponent, twice],
    ['all of it encoded once more', encodeURIComponent, encodeURIComponent],
  ])('outside the sandbox card data is masked: %s', async (_, encode, write) => {
    const fields = [...payout, ['credit_card_number', '4444333322221111']] as const;
    const { out, err, named } = await check(oauth(address, fields, { encode, write }).text);
    expect(named).toHaveLength(1);
    expect(out).toContain('•••');
    expect(out + err).not.toMatch(/44443333|33332222/);
  });
});

describe('sign OPERATION compares with what another program made', () => {
  const flags = ['sign', 'payout', '--client-order-id', 'a b', '--amount', '50', '--currency', 'EUR'];
  const operation = [...flags, '--receiver-phone', '+4930123456', '--bank-id', '1', '--field', 'redirect_url='];
  const compare = async (argv: readonly string[], home = homeWithProfile({ withoutRedirectUrl: true })) => {
    const ran = await paycli([...argv, '--json'], { home });
    const { match, mistakes }: Found = ran.out === '' ? { match: false, mistakes: [] } : JSON.parse(ran.out);
    return [ran.exit, match, ...(mistakes ?? []).map(({ name, variant }) => `${name} ${variant}`)];
  };
  const status = ['sign', 'status', '--client-order-id', 'a'];

  test('a control, and the text that is hashed', async () => {
    const home = homeWithProfile();
    expect(await compare([...status, '--control', digestOf(`my-shopa${controlKey}`)], home)).toEqual([0, true]);
    const newline = digestOf(`my-shopa${controlKey}\n`);
    expect(await compare([...status, '--control', newline], home)).toContain('key-whitespace line-feed');
    expect(await compare([...status, '--control', 'deadbeef'], home)).toEqual([11, false, 'digest length']);
    const long = createHash('sha256').update(`my-shopa${controlKey}`).digest('hex');
    expect(await compare([...status, '--control', long], home)).toEqual([11, false, 'digest sha256']);
    const text = put(home, 't', 'amy-shop\n');
    expect(await compare([...status, '--base-string', text], home)).toEqual([11, false, 'order permuted']);
  });

  test('a signature, a header and a base string', async () => {
    const home = homeWithProfile({ withoutRedirectUrl: true });
    const argv = operation.slice(0, -2);
    const made = oauth(address, [...payout, ['bank_id', '1']]);
    const file = put(home, 'h', `Authorization: ${made.header}\n`);
    expect(await compare([...argv, '--header', file], home)).toEqual([0, true]);
    const base = put(home, 'b', `${made.base}\n`);
    expect(await compare([...argv, '--base-string', base], home)).toEqual([0, true]);
    const fresh = ['--nonce', 'n1', '--timestamp', '1894017500'];
    const wrong = hmacOf(made.base, controlKey);
    expect(await compare([...argv, '--signature', wrong, ...fresh], home)).toEqual([
      11,
      false,
      'signing-key no-ampersand',
    ]);
    expect(await compare([...argv, '--signature', wrong], home)).toEqual([2, false]);
    expect(await compare([...argv, '--control', 'x'], home)).toEqual([2, false]);
  });

  test('sign request shows what would be signed of a path', async () => {
    const argv = ['sign', 'request', '/api/v2/status', '--field', 'client_orderid=a'];
    const ran = await paycli([...argv, '--json'], { home: homeWithProfile() });
    expect([ran.exit, JSON.parse(ran.out).signature.string], ran.err).toEqual([0, 'my-shopa']);
    // Of a payment, too, only what was given, with the defaults of the profile.
    const part = await paycli([...argv.with(2, '/api/v2/sale'), '--json'], { home: homeWithProfile() });
    const names = JSON.parse(part.out).request.fields.map(([name]: readonly string[]) => name);
    expect([part.exit, names]).toEqual([0, ['client_orderid', 'redirect_url', 'control']]);
  });
});

test('what would be compared is not left out silently beside --code', async () => {
  const sale = ['sign', 'sale', '--amount', '10.42', '--currency', 'USD', '--control', 'a'.repeat(40)];
  const ran = await paycli([...sale, '--code', 'curl'], { home: homeWithProfile() });
  expect([ran.exit, ran.out, ran.err]).toEqual([2, '', expect.stringContaining('--code and --control')]);
});
