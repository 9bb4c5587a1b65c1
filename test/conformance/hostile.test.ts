import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/gateway.js';
import { listen, type RunningServer } from '../../src/sandbox/http.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { processorTime } from '../support/processor-time.js';
import { raw } from './raw.js';
import { type ConfigFixture, configFixture, merchant, other } from './sandbox-state.js';
import { payment } from './scenarios.js';
import { Shop } from './shop.js';
import { posted } from './signer.js';
import type { Target } from './target.js';

/**
 * Requests no client of ours would send, built byte by byte. The sandbox must say no or hang up, go on living and stay
 * as it was.
 */
let made: ConfigFixture;
let server: RunningServer;
let shop: Shop;
let count = '';
const faults: unknown[] = [];

const tables = ['orders', 'transactions', 'openings', 'recurring', 'cards', 'card_refs'];
const countAll = (): string =>
  tables
    .map((table) => `${table} ${String(made.database.get(`SELECT count(*) AS n FROM ${table}`)?.['n'])}`)
    .join(', ');

beforeAll(async () => {
  made = configFixture();
  const { sandboxState, now, advance } = made;
  server = await listen(
    (pagesBase) =>
      createSandbox(sandboxState, {
        assume: assumeDefaults,
        settleMs: 300,
        pagesBase,
        onFault: (error) => faults.push(error),
      }),
    { port: 0 },
  );
  const base = `http://127.0.0.1:${server.port}/gateway`;
  const unused = () => Promise.reject(new Error('every request of this file is raw'));
  const target: Target = { base, merchant, other, now, advance, post: unused, queue: unused, close: unused };
  shop = new Shop(target);
  const { status } = await raw(server.port, saleText());
  expect(status).toBe(200);
});

afterAll(async () => {
  await server.close();
  made.database.close();
});

beforeEach(() => {
  count = countAll();
});

afterEach(async () => {
  const { status, body } = await raw(
    server.port,
    'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n\r\n'.replace('PORT', String(server.port)),
  );
  expect([status, body]).toEqual([200, '{"ok":true}']);
  expect(faults).toEqual([]);
});

const formHeaders = ['Accept: application/vnd.pay+json', 'Content-Type: application/x-www-form-urlencoded'];

interface Parts {
  readonly line?: string;
  readonly host?: string;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  readonly connection?: 'close' | 'keep-alive';
  /** The usual Content-Length unless given. */
  readonly length?: readonly string[];
}

/** A request as text. Every part may be wrong. */
function text({
  line,
  host = `Host: 127.0.0.1:${server.port}`,
  headers = formHeaders,
  body = saleBody(),
  connection = 'close',
  length,
}: Parts = {}): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  const lines = [
    line ?? `POST /gateway/api/v2/sale/${merchant.endpointId} HTTP/1.1`,
    ...(host === '' ? [] : [host]),
    `Connection: ${connection}`,
    ...headers,
    ...(length ?? [`Content-Length: ${bytes.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

/** The body of a sale that would be accepted. */
function saleBody(): string {
  return posted(shop.draft('SALE', payment(shop))).body;
}

const saleText = (): Buffer => text();

/** Refused with 4xx and this reason, or with the connection closed; nothing was done. */
async function refused(
  bytes: Buffer | string,
  statuses: readonly number[],
  reason?: RegExp,
  options?: Parameters<typeof raw>[2],
): Promise<void> {
  const reply = await raw(server.port, bytes, options);
  expect(statuses, reply.head).toContain(reply.status);
  expect(reply.isClosed).toBe(true);
  if (reason !== undefined) expect(reply.body).toMatch(reason);
  expect(`${reply.head}${reply.body}`).not.toMatch(/4444333322221111|node:|\.[jt]s:\d|at \w+ \(/);
  expect(reply.head.toLowerCase()).not.toContain('access-control-allow');
  expect(countAll()).toBe(count);
}

const isClosed = 0;

describe('bodies', () => {
  const bodies: readonly (readonly [name: string, body: () => string | Buffer, reason: RegExp])[] = [
    [
      'the same field twice under two spellings of its escapes',
      () => `${saleBody()}&%61mount=1.00`,
      /the field amount was sent more than once/,
    ],
    ['a NUL byte as it is', () => `${saleBody()}\u0000`, /INVALID_CONTROL_CODE/],
    [
      'line ends in an order id',
      () => saleBody().replace('client_orderid=', 'client_orderid=%0d%0aSet-Cookie:%20a=b%0d%0a'),
      /client_orderid: use/,
    ],
    ['one byte too many', () => `${saleBody()}&x=`.padEnd(2_097_153, 'x'), /the body is larger than 2097152 bytes/],
  ];
  test.each(bodies)('refuses %s', async (_, body, reason) => {
    await refused(text({ body: body() }), [400], reason);
    expect('polluted' in {}).toBe(false);
  });

  test.each([['10,000 fields', () => Array.from({ length: 10_000 }, (_, at) => `${at.toString(36)}=`).join('&')]])(
    'refuses %s, in no time and in few words',
    async (_, body) => {
      const took = processorTime();
      const reply = await raw(server.port, text({ body: body() }), { forMs: 10_000 });
      expect(reply.status).toBe(400);
      expect(took()).toBeLessThan(1000);
      expect(reply.body.length).toBeLessThan(10_000);
      expect(countAll()).toBe(count);
    },
  );
});

test.each(['close', 'keep-alive'] as const)(
  'a byte after the body (%s): nobody reads a refusal of a sale that was made',
  async (connection) => {
    const body = saleBody();
    const { status } = await raw(
      server.port,
      text({ body: `${body}x`, length: [`Content-Length: ${body.length}`], connection }),
    );
    expect([200, isClosed]).toContain(status);
    expect(countAll()).not.toBe(count);
  },
);

test('a body that is cut off is refused, and is no fault of the sandbox', async () => {
  const body = saleBody();
  const half = text({ body: body.slice(0, -9), length: [`Content-Length: ${body.length}`] });
  await refused(half, [400, isClosed], undefined, { end: true });
});

describe('headers', () => {
  test.each([
    ['a line without a colon', ['Accept application/vnd.pay+json'], [400]],
    ['a line folded', ['Accept: application/', ' vnd.pay+json'], [400]],
    ['two Accept headers, one of them for anything', ['Accept: application/vnd.pay+json', 'accept: */*'], [400]],
    ['too much of them', [...formHeaders, `X-Long: ${'x'.repeat(20_000)}`], [431]],
  ] as const)('refuses %s', async (_, headers, statuses) => {
    const complete = headers.some((line) => line.startsWith('Content-Type'))
      ? headers
      : [...headers, 'Content-Type: application/x-www-form-urlencoded'];
    await refused(text({ headers: complete }), statuses);
  });

  test.each([
    ['evil.example', 421],
    ['127.0.0.1', 421],
    ['', 421],
  ])('refuses the Host %j, whoever sends it', async (host, status) => {
    await refused(text({ host: `Host: ${host.replace('PORT', String(server.port))}` }), [status, 400]);
    await refused(
      text({ host: `Host: ${host.replace('PORT', String(server.port))}`, line: 'GET /healthz HTTP/1.1', body: '' }),
      [status, 400],
    );
  });
});

describe('request lines', () => {
  test.each([
    'POST /gateway/../gateway/api/v2/sale/7001 HTTP/1.1',
    'POST /gateway/../../../../etc/passwd HTTP/1.1',
    'POST /gateway/api/v2/sale/7001%00 HTTP/1.1',
    'POST http://evil.example/gateway/api/v2/sale/7001 HTTP/1.1',
    `POST /gateway/${'a'.repeat(20_000)} HTTP/1.1`,
    'POST /gateway/api/v2/sale/7001\u0000 HTTP/1.1',
  ])('refuses %s', async (line) => {
    await refused(text({ line }), [400, 404, 405, 421, 431, 505, isClosed], undefined, { end: true });
  });

  test.each([
    ['nothing at all', ''],
    ['bytes of TLS', Buffer.from('16030100a5010000a10303', 'hex')],
    ['noise', Buffer.from(Array.from({ length: 2000 }, (_, at) => (at * 7919) % 256))],
    ['a head that never ends', `POST /gateway/api/v2/sale/7001 HTTP/1.1\r\nHost: x\r\n${'X: 1\r\n'.repeat(100)}`],
  ])('outlives %s', async (_, bytes) => {
    const reply = await raw(server.port, bytes, { end: true });
    expect([isClosed, 400, 408, 421]).toContain(reply.status);
    expect(countAll()).toBe(count);
  });
});
