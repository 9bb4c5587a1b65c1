import { createHash, createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../e2e/shop.js';

let gateway: Gateway;
let key = '';
beforeAll(async () => {
  gateway = await startGateway();
  key = readFileSync(gateway.keys.control, 'utf8').trim();
});
afterAll(() => gateway.close());

type Fields = Readonly<Record<string, string>>;
type Facts = Readonly<Record<string, unknown>>;

const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

/** A body as a client writes it, and what came back. */
async function post(path: string, body: string, headers: Fields = {}): Promise<{ status: number; reply: Facts }> {
  const type = 'application/x-www-form-urlencoded';
  const answer = await fetch(`${gateway.url}/api/v2/${path}/5001`, {
    method: 'POST',
    headers: { accept: 'application/vnd.pay+json', 'content-type': type, ...headers },
    body,
  });
  return { status: answer.status, reply: JSON.parse(await answer.text()) };
}

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');

interface Payout {
  readonly header?: Fields;
  /** What is sent. */
  readonly fields?: Fields;
  /** What is signed, where that is something else. */
  readonly signed?: Fields;
  /** Made from the right one. */
  readonly body?: (body: string) => string;
}

/** A payout as a client of one's own signs it, and the request as it was sent. */
async function payout({ header: own = {}, fields: more = {}, signed = more, body: write = String }: Payout) {
  const common = { client_orderid: randomUUID(), amount: '50.00', currency: 'EUR' };
  const fields = { ...common, credit_card_number: '4444333322221111', ...more };
  const oauth = {
    ...{ oauth_consumer_key: 'shop', oauth_nonce: randomUUID(), oauth_signature_method: 'HMAC-SHA1' },
    ...{ oauth_timestamp: String(Math.floor(Date.now() / 1000)), oauth_version: '1.0', ...own },
  };
  const parameters = Object.entries({ ...oauth, ...fields, ...signed })
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const text = ['POST', `${gateway.url}/api/v2/payout/5001`, parameters].map(encode).join('&');
  const signature = createHmac('sha1', `${encode(key)}&`)
    .update(text)
    .digest('base64');
  const header = Object.entries({ ...oauth, oauth_signature: signature, ...own })
    .map(([name, value]) => `${name}="${encode(value)}"`)
    .join(', ');
  const authorization = `OAuth ${header}`;
  const body = write(new URLSearchParams(fields).toString());
  return { ...(await post('payout', body, { authorization })), body, authorization };
}

const payer = {
  ...{ credit_card_number: '4444333322221111', card_printed_name: 'JANE DOE', expire_month: '12', expire_year: '2035' },
  ...{ cvv2: '123', order_desc: 'Order', phone: '4930123456', address1: 'Street 1', city: 'Berlin', zip_code: '10115' },
  ...{ country: 'DE', ipaddress: '192.0.2.1', redirect_url: 'https://shop.example/return' },
};

/** A sale whose e-mail is sent and signed as these say; `sent` is a piece of the body. */
async function sale(id: string, email: { readonly sent: string; readonly signed: string }) {
  const control = sha1(`5001${id}1042${email.signed}${key}`);
  const fields = { client_orderid: id, amount: '10.42', currency: 'USD', ...payer, control };
  const body = `${new URLSearchParams(fields)}&email=${email.sent}`;
  return { ...(await post('sale', body)), body };
}

async function lastLogged(count: number): Promise<readonly Facts[]> {
  const { out } = await gateway.home.call(['sandbox', 'log', '--limit', String(count), '--json']);
  return JSON.parse(out).events;
}

describe('the log of the sandbox', () => {
  test('says of a right signature that its nonce or its time was refused, and that it matches', async () => {
    const hourAgo = String(Math.floor(Date.now() / 1000) - 3600);
    const statusOf = async (header: Fields) => (await payout({ header })).status;
    expect(await statusOf({ oauth_nonce: 'used' })).toBe(200);
    expect(await statusOf({ oauth_nonce: 'used' })).toBe(400);
    expect(await statusOf({ oauth_timestamp: hourAgo })).toBe(400);
    expect(await statusOf({ oauth_signature: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=' })).toBe(400);
    const logged = (await lastLogged(20)).filter(({ kind }) => kind === 'refusal').map(({ detail }) => detail);
    expect(logged).toMatchObject([
      { reason: 'oauth-nonce', signature: expect.stringMatching(/valid.*oauth_nonce/) },
      { reason: 'oauth-clock', signature: expect.stringMatching(/valid.*oauth_timestamp/) },
      { reason: 'oauth', signature: expect.stringMatching(/does not match$/) },
    ]);
  });
});

async function audited(order: string): Promise<readonly Facts[]> {
  const { out } = await gateway.home.call(['sandbox', 'log', '--findings', '--json']);
  const findings: { orders: string[] }[] = JSON.parse(out).findings;
  return findings.filter(({ orders }) => orders.includes(order)).map((each) => ({ ...each }));
}

describe('a space at the end of a value, as official plugins send it', () => {
  test('is dropped, and the audit report calls it that', async () => {
    const made = await sale('spaced', { sent: 'jane%40example.com', signed: 'jane@example.com' });
    expect(made.status).toBe(200);
    const orderid = String(made.reply['paynet-order-id']);
    const ids = { login: 'shop', client_orderid: 'spaced', orderid, control: sha1(`shopspaced${orderid}${key}`) };
    // The transaction takes effect with the first look at it.
    expect((await post('status', new URLSearchParams(ids).toString())).status).toBe(200);
    const back = await post('return', new URLSearchParams({ ...ids, comment: 'Order cancel ' }).toString());
    expect(back.status, JSON.stringify(back.reply)).toBe(200);
    expect(await audited(orderid)).toMatchObject([{ rule: 'value-spaces', detail: expect.stringMatching(/comment/) }]);
  });

  test('is signed as it is sent', async () => {
    const fields = { order_desc: 'Order ' };
    expect((await payout({ fields })).status).toBe(200);
    expect((await payout({ fields, signed: { order_desc: 'Order' } })).status).toBe(400);
  });
});

describe('an unencoded + in an e-mail address is named as such, and never to be signed as a space', () => {
  const plus = /not encoded.*%2B/;

  /** What `sign check` finds out about a request. */
  async function verify(path: string, body: string, authorization?: string): Promise<Facts> {
    const headers = [
      `POST ${gateway.url}/api/v2/${path}/5001 HTTP/1.1`,
      'Accept: application/vnd.pay+json',
      'Content-Type: application/x-www-form-urlencoded',
      ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    ];
    const file = gateway.home.write('request.http', [...headers, '', body].join('\r\n'));
    const merchant = ['--base-url', gateway.url, '--login', 'shop', '--endpoint-id', '5001'];
    const keys = ['--control-key-file', gateway.keys.control];
    const ran = await gateway.home.call(['sign', 'check', file, ...merchant, ...keys, '--json']);
    return { exit: ran.exit, ...JSON.parse(ran.out) };
  }

  test('in a sale, by the reply, the log, the audit report and sign check', async () => {
    const sent = await sale('plus-1', { sent: 'jo+ann@example.com', signed: 'jo+ann@example.com' });
    expect([sent.status, sent.reply['error-message']]).toEqual([400, expect.stringMatching(plus)]);
    expect(await lastLogged(1)).toMatchObject([{ kind: 'refusal', title: expect.stringMatching(plus) }]);
    expect(await audited('plus-1')).toMatchObject([{ rule: 'body-encoding', detail: expect.stringMatching(plus) }]);
    expect(await verify('sale', sent.body)).toMatchObject({
      ...{
        exit: 11,
        match: true,
        form: [{ name: 'body-encoding', detail: expect.stringMatching(plus) }],
        mistakes: [],
      },
    });
  });

  test('in a payout', async () => {
    const raw = (body: string) => body.replace('jo%2Bann', 'jo+ann');
    const sent = await payout({ fields: { email: 'jo+ann@example.com' }, body: raw });
    expect([sent.status, sent.reply['error-message']]).toEqual([400, expect.stringMatching(plus)]);
    expect(await verify('payout', sent.body, sent.authorization)).toMatchObject({
      ...{
        exit: 11,
        match: true,
        form: [{ name: 'body-encoding', detail: expect.stringMatching(plus) }],
        mistakes: [],
      },
    });
  });

  test('by sign doctor, which finds nothing wrong with the signature', async () => {
    const client = gateway.home.write(
      'client.mjs',
      `import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
const { PAYCLI_BASE_URL: base, PAYCLI_ENDPOINT_ID: endpoint } = process.env;
const key = readFileSync(process.env.PAYCLI_CONTROL_KEY_FILE, 'utf8').trim();
const control = createHash('sha1').update(endpoint + 'order-11042jo+ann@example.com' + key).digest('hex');
const fields = { client_orderid: 'order-1', amount: '10.42', currency: 'USD', control, ...${JSON.stringify(payer)} };
await fetch(base + '/api/v2/sale/' + endpoint, {
  method: 'POST',
  headers: { Accept: 'application/vnd.pay+json', 'Content-Type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields) + '&email=jo+ann@example.com',
});
`,
    );
    const ran = await gateway.home.call(['sign', 'doctor', '--json', '--', process.execPath, client]);
    const [request] = JSON.parse(ran.out).requests;
    expect([ran.exit, request]).toMatchObject([
      11,
      { signature: 'right', problems: [{ name: 'body-encoding', detail: expect.stringMatching(plus) }] },
    ]);
  });

  test('sign sale --control says that the + was read as a space', async () => {
    const argv = ['sign', 'sale', '--amount', '10.42', '--currency', 'USD', '--client-order-id', 'a'];
    const merchant = ['--base-url', gateway.url, '--login', 'shop', '--endpoint-id', '5001'];
    const keys = ['--control-key-file', gateway.keys.control];
    const control = sha1(`5001a1042jo ann@example.com${key}`);
    const payerFlags = ['--email', 'jo+ann@example.com', '--test-card', 'approved'];
    const ran = await gateway.home.call([...argv, ...merchant, ...keys, ...payerFlags, '--control', control, '--json']);
    expect(ran.exit, ran.err).toBe(11);
    expect(JSON.parse(ran.out).mistakes).toMatchObject([{ name: 'charset', variant: 'plus-as-blank' }]);
  });
});
