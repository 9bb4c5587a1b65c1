import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/gateway.js';
import { listen, type RunningServer } from '../../src/sandbox/http.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { bodyOf, openFixture, plainHeaders, salePairs, status } from './support.js';

const fixture = openFixture();
let server: RunningServer;

beforeAll(async () => {
  server = await listen((pagesBase) => createSandbox(fixture.sandboxState, { assume: assumeDefaults, pagesBase }), {
    port: 0,
  });
});
afterAll(() => server.close());

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

function ask(
  method: string,
  path: string,
  body = '',
  headers: Readonly<Record<string, string>> = plainHeaders,
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: server.port, method, path, headers }, (reply) => {
      const pieces: Buffer[] = [];
      reply.on('data', (piece: Buffer) => pieces.push(piece));
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(pieces).toString() }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const saleBody = (id: string) => bodyOf(salePairs(fixture.key, { id }));

test.each([
  ['in pieces', { 'transfer-encoding': 'chunked' }],
  ['with its origin', { origin: 'http://127.0.0.1:PORT' }],
  ['with another name of this machine', { host: 'LOCALHOST:PORT' }],
  ['with a header twice', { 'x-shop': ['a', 'b'] }],
])('a sale %s is answered like any other', async (name, headers) => {
  const own = JSON.parse(JSON.stringify(headers).replaceAll('PORT', String(server.port)));
  const got = await ask('POST', '/gateway/api/v2/sale/4001', saleBody(`s ${name}`), { ...plainHeaders, ...own });
  expect(got).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/vnd.pay+json', 'cache-control': 'no-store' },
  });
  expect(JSON.parse(got.body)).toMatchObject({ type: 'async-response', 'merchant-order-id': `s ${name}` });
});

describe('a request a browser makes for a page of another site', () => {
  test.each([
    [
      'a cross-site form post',
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    ],
    [
      'a post of a page on another port of this machine',
      { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' },
    ],
    ['a request that hides its origin', { 'sec-fetch-site': 'cross-site' }],
  ])('%s is refused with 403 and does nothing', async (name, headers) => {
    const got = await ask('POST', '/gateway/api/v2/sale/4001', saleBody(`x ${name}`), { ...plainHeaders, ...headers });
    expect(got.status).toBe(403);
    expect(got.headers).not.toHaveProperty('access-control-allow-origin');
    expect(fixture.database.get('SELECT id FROM orders WHERE client_order_id = ?', `x ${name}`)).toBeUndefined();
  });
});

test.each([
  ['no-answer', undefined],
  ['no-answer-done', 'approved'],
])('%s ends the connection without a reply', async (name, word) => {
  fixture.sandboxState.queueOutcome(name, { clientOrderId: name });
  await expect(ask('POST', '/gateway/api/v2/sale/4001', saleBody(name))).rejects.toMatchObject({ code: 'ECONNRESET' });
  fixture.later();
  expect(status(fixture, name, '')['status']).toBe(word);
});
