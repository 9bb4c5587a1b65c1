import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Env } from '../../src/runtime/ports.js';
import { openTransport } from '../../src/runtime/transport.js';
import { makeCertificate } from '../faults/certificates.js';
import { answer, type Fault, type FaultServer, faultServer, faults } from '../faults/server.js';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
  vi.unstubAllEnvs();
});

async function serve(fault: Fault, tls?: Parameters<typeof faultServer>[1]): Promise<FaultServer> {
  const server = await faultServer(fault, tls);
  open.push(server);
  return server;
}

/** For what must not depend on how busy this machine is, and for what ends by a limit. */
const patient = 30_000;
const short = 1000;
const accept = {
  Accept: 'application/vnd.pay+json',
  'Content-Type': 'application/x-www-form-urlencoded',
  Authorization: 'OAuth realm=""',
};

function post(
  url: string,
  options: { ca?: string; env?: Env; signal?: AbortSignal; body?: string; replyMs?: number } = {},
) {
  const transport = openTransport(options.ca === undefined ? {} : { ca: options.ca }, options.env ?? {});
  return transport.post(
    { url: `${url}/api/v2/sale/1?x=1`, headers: accept, body: options.body ?? 'a=b&c=%C3%A9' },
    options.replyMs ?? patient,
    options.signal,
  );
}

test('the request on the wire has exactly the given headers', async () => {
  const server = await serve(faults.accepted);
  await post(server.url);
  expect(server.exchanges[0]?.head).toBe(
    [
      'POST /api/v2/sale/1?x=1 HTTP/1.1',
      `host: 127.0.0.1:${server.port}`,
      'connection: close',
      'Accept: application/vnd.pay+json',
      'Content-Type: application/x-www-form-urlencoded',
      'Authorization: OAuth realm=""',
      'content-length: 12',
      '',
      '',
    ].join('\r\n'),
  );
  expect(server.exchanges[0]?.body.toString()).toBe('a=b&c=%C3%A9');
});

test('the reply keeps repeated headers, lower-case names and the raw body', async () => {
  const server = await serve(
    answer(Buffer.from([0x1f, 0x8b, 0xff]), {
      status: 418,
      headers: ['X-One: a', 'Set-Cookie: b', 'set-cookie: c', 'Content-Encoding: gzip'],
    }),
  );
  const delivery = await post(server.url);
  expect(delivery).toMatchObject({
    kind: 'reply',
    reply: { status: 418, headers: { 'x-one': 'a', 'set-cookie': ['b', 'c'] } },
  });
  expect(delivery.kind === 'reply' && [...delivery.reply.body]).toEqual([0x1f, 0x8b, 0xff]);
});

test('a host that does not answer is never sent, in time', async () => {
  const port = await blackHole();
  const start = performance.now();
  expect(await post(`http://127.0.0.1:${port}`, { replyMs: short })).toEqual({
    kind: 'never-sent',
    reason: 'no connection within 1 s',
  });
  expect(performance.now() - start).toBeLessThan(5000);
});

// A listener that sleeps with a full queue leaves further connections unanswered.
async function blackHole(): Promise<number> {
  const script = `const s = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('fs').writeSync(1, String(s.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  })`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<number>((found) => child.stdout.once('data', (text: Buffer) => found(Number(text))));
  const fillers = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  for (const one of fillers) open.push({ close: () => one.destroy() });
  open.push({ close: () => child.kill('SIGKILL') });
  await new Promise((done) => setTimeout(done, 50));
  return port;
}

test('a silent TLS peer is never sent, in time', async () => {
  const server = await serve({});
  const delivery = await post(server.url.replace('http:', 'https:'), { replyMs: short });
  expect(delivery).toEqual({ kind: 'never-sent', reason: 'no connection within 1 s' });
});

test('a peer that resets during the TLS handshake is never sent', async () => {
  const server = await serve(faults.resetAtOnce);
  const delivery = await post(server.url.replace('http:', 'https:'));
  expect(delivery).toEqual({ kind: 'never-sent', reason: 'the connection failed (ECONNRESET)' });
});

test('a peer without TLS is a certificate problem', async () => {
  const server = await serve({ connected: (socket) => void socket.end('HTTP/1.1 400 Bad\r\n\r\n') });
  const delivery = await post(server.url.replace('http:', 'https:'));
  expect(delivery).toMatchObject({ kind: 'certificate', reason: expect.stringContaining('TLS') });
});

const ours = 'DNS:localhost,IP:127.0.0.1';

test.each([
  ['self-signed', () => makeCertificate(ours), false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['for another host', () => makeCertificate('DNS:other.example'), true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['expired', () => makeCertificate(ours, -1), true, 'CERT_HAS_EXPIRED'],
])(
  'a certificate that is %s is refused, even with NODE_TLS_REJECT_UNAUTHORIZED=0',
  { tags: 'openssl' },
  async (_, make, isTrusted, code) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const pair = make();
    const server = await serve(faults.accepted, { ...pair });
    const delivery = await post(server.url, isTrusted ? { ca: pair.cert } : {});
    expect(delivery).toEqual({
      ...{ kind: 'certificate', reason: expect.stringContaining(code) },
      remedy: expect.stringContaining('--ca-file'),
    });
    expect(server.bodies()).toBe(0);
  },
);

test('a peer with TLS 1.1 only is refused', { tags: 'openssl' }, async () => {
  const good = makeCertificate(ours);
  const server = await serve(faults.accepted, {
    ...good,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT:@SECLEVEL=0',
  });
  expect(await post(server.url, { ca: good.cert })).toMatchObject({ kind: 'certificate' });
  expect(server.bodies()).toBe(0);
});

test('an own authority is trusted', { tags: 'openssl' }, async () => {
  const good = makeCertificate(ours);
  const server = await serve(faults.accepted, { ...good });
  expect((await post(server.url, { ca: good.cert })).kind).toBe('reply');
  expect((await post(server.url.replace('127.0.0.1', 'localhost'), { ca: good.cert })).kind).toBe('reply');
  expect(server.bodies()).toBe(2);
});

test('an interrupt before anything, while connecting and while waiting', async () => {
  const before = AbortSignal.abort();
  expect(await post('http://127.0.0.1:9', { signal: before })).toEqual({ kind: 'never-sent', reason: 'interrupted' });
  const silent = await serve({});
  expect(await post(silent.url.replace('http:', 'https:'), { signal: AbortSignal.timeout(100) })).toEqual({
    kind: 'never-sent',
    reason: 'interrupted',
  });
  expect(await post(silent.url, { signal: AbortSignal.timeout(100) })).toEqual({ kind: 'lost', reason: 'interrupted' });
});

test('close ends what is running', async () => {
  const silent = await serve({});
  const transport = openTransport({}, {});
  const running = transport.post({ url: silent.url, headers: {}, body: 'a' }, patient);
  setTimeout(() => void transport.close(), 100);
  expect(await running).toMatchObject({ kind: 'lost' });
});

test('an address or header that cannot be used is never sent', async () => {
  const transport = openTransport({}, {});
  expect(await transport.post({ url: 'nonsense', headers: {}, body: '' }, short)).toMatchObject({
    kind: 'never-sent',
  });
  const server = await serve(faults.accepted);
  expect(await transport.post({ url: server.url, headers: { Accept: 'a\r\nX: b' }, body: '' }, short)).toMatchObject({
    kind: 'never-sent',
  });
  expect(server.exchanges).toHaveLength(0);
});

function proxy(reply: string, target?: number): Promise<FaultServer> {
  return serve({
    received: (socket) => {
      if (target === undefined) return void socket.end(reply);
      const onward = connect(target, '127.0.0.1').on('error', () => socket.destroy());
      socket.removeAllListeners('data');
      socket.write(reply);
      socket.pipe(onward).pipe(socket);
    },
  });
}

const established = 'HTTP/1.1 200 Connection established\r\n\r\n';

test('https goes through the proxy by CONNECT, and nothing else does', { tags: 'openssl' }, async () => {
  const tunnelled = makeCertificate('DNS:gateway.test');
  const server = await serve(faults.accepted, { ...tunnelled });
  const via = await proxy(established, server.port);
  const env = { HTTPS_PROXY: `http://user:p%40ss@127.0.0.1:${via.port}`, HTTP_PROXY: 'http://127.0.0.1:9' };
  expect((await post('https://gateway.test', { ca: tunnelled.cert, env })).kind).toBe('reply');
  expect(via.exchanges[0]?.head).toMatch(/^CONNECT gateway\.test:443 HTTP\/1\.1\r\n/);
  expect(via.exchanges[0]?.head).toContain(
    `proxy-authorization: Basic ${Buffer.from('user:p@ss').toString('base64')}\r\n`,
  );
  expect(server.exchanges[0]?.head).not.toContain('proxy');
  const plain = await serve(faults.accepted);
  expect((await post(plain.url, { env })).kind).toBe('reply');
  expect(via.exchanges).toHaveLength(1);
});

test('the certificate behind a proxy is checked', { tags: 'openssl' }, async () => {
  const tunnelled = makeCertificate('DNS:gateway.test');
  const server = await serve(faults.accepted, { ...tunnelled });
  const via = await proxy(established, server.port);
  const env = { https_proxy: `127.0.0.1:${via.port}` };
  expect(await post('https://gateway.test', { env })).toEqual({
    kind: 'certificate',
    reason: expect.stringContaining('SELF_SIGNED'),
    remedy: expect.stringContaining('--ca-file'),
  });
  expect(server.bodies()).toBe(0);
});

test.each([
  ['says no', 'HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n', 'the proxy answered 407'],
  ['closes', '', 'the connection failed (UND_ERR_SOCKET)'],
])('a proxy that %s leaves nothing sent, after one connection', async (_, reply, reason) => {
  const via = await proxy(reply);
  expect(await post('https://gateway.test', { env: { HTTPS_PROXY: `http://127.0.0.1:${via.port}` } })).toEqual({
    kind: 'never-sent',
    reason,
  });
  expect(via.exchanges).toHaveLength(1);
});

test('a proxy that cannot be reached or says nothing leaves nothing sent', async () => {
  expect(await post('https://gateway.test', { env: { HTTPS_PROXY: 'http://127.0.0.1:9' } })).toEqual({
    kind: 'never-sent',
    reason: 'the proxy could not be used: the connection failed (ECONNREFUSED)',
  });
  const silent = await serve({});
  expect(await post('https://gateway.test', { env: { HTTPS_PROXY: silent.url }, replyMs: short })).toEqual({
    kind: 'never-sent',
    reason: 'no connection within 1 s',
  });
});

describe('kept connections', () => {
  /** An HTTP server that counts its connections and requests. */
  async function counting(handle: (request: IncomingMessage, reply: ServerResponse, at: number) => void) {
    const seen = { connections: 0, requests: 0 };
    const server = createServer((request, reply) => {
      seen.requests += 1;
      const at = seen.requests;
      request.resume().on('end', () => handle(request, reply, at));
    });
    server.on('connection', () => {
      seen.connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => server.closeAllConnections() }, server);
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const transport = openTransport({ keep: true }, {});
    open.push(transport);
    const send = () => transport.post({ url: `http://127.0.0.1:${port}/x`, headers: accept, body: 'a=b' }, patient);
    return { seen, send };
  }

  test('are used again one after another, and by one request at a time', async () => {
    const { seen, send } = await counting((_, reply) => setTimeout(() => reply.end('{}'), 20));
    for (let at = 0; at < 5; at += 1) expect((await send()).kind).toBe('reply');
    // The library takes a connection for free a moment after its reply.
    expect(seen.connections).toBeLessThan(3);
    await Promise.all([send(), send(), send(), send()]);
    expect(seen.connections).toBeLessThan(6);
  });

  test('F28 a second reply is never taken for that of the next request', async () => {
    const reply = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';
    const replies = [`${reply}${reply}`, reply];
    const server = await serve({ received: (socket) => void socket.write(replies.shift() ?? '') });
    const transport = openTransport({ keep: true }, {});
    open.push(transport);
    const send = () => transport.post({ url: `${server.url}/x`, headers: accept, body: 'a=b' }, patient);
    expect((await send()).kind).toBe('reply');
    expect((await send()).kind).toBe('reply');
    expect(server.exchanges).toHaveLength(2);
    const late = await serve({
      received: (socket) => {
        socket.write(reply);
        setTimeout(() => socket.write(reply), 50);
      },
    });
    const sendLate = () => transport.post({ url: `${late.url}/x`, headers: accept, body: 'a=b' }, patient);
    expect((await sendLate()).kind).toBe('reply');
    await new Promise((done) => setTimeout(done, 150));
    expect((await sendLate()).kind).toBe('reply');
    expect(late.exchanges).toHaveLength(2);
  });

  test('F62 are not used again after a sleep, through which the steady clock stands still', async () => {
    const { seen, send } = await counting((_, reply) => reply.end('{}'));
    expect((await send()).kind).toBe('reply');
    const wake = Date.now() + 600_000;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => wake);
    try {
      expect((await send()).kind).toBe('reply');
    } finally {
      clock.mockRestore();
    }
    expect(seen).toEqual({ connections: 2, requests: 2 });
  });

  test('F7 a kept connection that is cut as the next request goes out loses it, and nobody repeats it', async () => {
    const { seen, send } = await counting((request, reply, at) =>
      at === 2 ? request.socket.destroy() : reply.end('{}'),
    );
    expect((await send()).kind).toBe('reply');
    expect(await send()).toMatchObject({ kind: 'lost' });
    expect(seen.requests).toBe(2);
    expect((await send()).kind).toBe('reply');
    expect(seen).toEqual({ connections: 2, requests: 3 });
  });
});
