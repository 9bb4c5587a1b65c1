import { createHmac, randomUUID } from 'node:crypto';
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

async function payout(own: Fields): Promise<number> {
  const fields = {
    ...{ client_orderid: randomUUID(), amount: '50.00', currency: 'EUR' },
    credit_card_number: '4444333322221111',
  };
  const oauth = {
    ...{ oauth_consumer_key: 'shop', oauth_nonce: randomUUID(), oauth_signature_method: 'HMAC-SHA1' },
    ...{ oauth_timestamp: String(Math.floor(Date.now() / 1000)), oauth_version: '1.0', ...own },
  };
  const parameters = Object.entries({ ...oauth, ...fields })
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
  const sent = await post('payout', new URLSearchParams(fields).toString(), { authorization: `OAuth ${header}` });
  return sent.status;
}

async function lastLogged(count: number): Promise<readonly Facts[]> {
  const { out } = await gateway.home.call(['sandbox', 'log', '--limit', String(count), '--json']);
  return JSON.parse(out).events;
}

describe('the log of the sandbox', () => {
  test('says of a right signature that its nonce or its time was refused, and that it matches', async () => {
    const hourAgo = String(Math.floor(Date.now() / 1000) - 3600);
    expect(await payout({ oauth_nonce: 'used' })).toBe(200);
    expect(await payout({ oauth_nonce: 'used' })).toBe(400);
    expect(await payout({ oauth_timestamp: hourAgo })).toBe(400);
    expect(await payout({ oauth_signature: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=' })).toBe(400);
    const logged = (await lastLogged(20)).filter(({ kind }) => kind === 'refusal').map(({ detail }) => detail);
    expect(logged).toMatchObject([
      { reason: 'oauth-nonce', signature: expect.stringMatching(/valid.*oauth_nonce/) },
      { reason: 'oauth-clock', signature: expect.stringMatching(/valid.*oauth_timestamp/) },
      { reason: 'oauth', signature: expect.stringMatching(/does not match$/) },
    ]);
  });
});
