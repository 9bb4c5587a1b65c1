import { request } from 'node:http';
import { createConnection, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { getOf, openFixture, openListener, queryOf, saleFields } from './support.js';

const taking = (raw: unknown[]) =>
  openListener(async (each) => {
    raw.push(each);
    return { status: 200, text: 'OK' };
  });

/** What a server answers to these bytes, as far as it comes. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write(bytes, 'latin1'));
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}

describe('the listener', () => {
  test('takes GET and POST with their bytes as they came', async () => {
    const taken: unknown[] = [];
    const { url } = await taking(taken);
    expect((await fetch(`${url}?a=%41+%20b&a=2`)).status).toBe(200);
    const body = Buffer.from([0x61, 0x3d, 0xff, 0x00]);
    await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    expect(taken).toMatchObject([
      { method: 'GET', target: '/callback?a=%41+%20b&a=2' },
      { method: 'POST', target: '/callback', body, contentType: 'application/x-www-form-urlencoded' },
    ]);
  });

  test('turns away other paths, methods and hosts', async () => {
    const taken: unknown[] = [];
    const { url, port, turnedAway } = await taking(taken);
    expect((await fetch(new URL('/other', url))).status).toBe(404);
    expect((await fetch(`${url}/`)).status).toBe(404);
    expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(405);
    expect((await fetch(url)).status, 'a probe of the port is no callback').toBe(400);
    const asking = (host: string) => raw(port, `GET /callback?a HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
    for (const host of [
      `Host: evil.example:${port}\r\n`,
      '',
      `Host: 127.0.0.1:${port}\r\nHost: 127.0.0.1:${port}\r\n`,
      'Host: 127.0.0.1:1\r\n',
    ])
      expect(await asking(host)).toMatch(/^HTTP\/1\.1 (421|400) /);
    expect(await asking(`Host: localhost:${port}\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(taken).toHaveLength(1);
    expect(turnedAway.filter((status) => status === 404 || status === 405)).toEqual([404, 404, 405]);
  });

  test('takes the name of a tunnel when it is told', async () => {
    const { port } = await openListener(async () => ({ status: 200, text: '' }), { names: ['tunnel.example'] });
    expect(await raw(port, 'GET /callback?a HTTP/1.1\r\nHost: tunnel.example\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 200 /,
    );
  });

  test('refuses headers beyond 16 KiB and bodies beyond 64 KiB', async () => {
    const taken: unknown[] = [];
    const { url, port } = await taking(taken);
    expect(await raw(port, `GET /callback?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
    const post = async (size: number) => (await fetch(url, { method: 'POST', body: 'x'.repeat(size) })).status;
    expect([await post(65_536), await post(65_537)]).toEqual([200, 413]);
    expect(taken).toHaveLength(1);
  });

  test('a body of 1 GB is cut off without being held', async () => {
    const { port } = await taking([]);
    const before = process.memoryUsage().rss;
    const sent = await streamed(port, 1_000_000_000);
    expect(sent).toBeLessThan(50_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    expect(await raw(port, `GET /callback?a HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 200 /,
    );
  });

  test('500 clients that never finish leave it answering', async () => {
    const { receiver, store } = openFixture();
    const { url, port } = await openListener(receiver.receive);
    const slow: Socket[] = [];
    onTestFinished(() => {
      for (const socket of slow) socket.destroy();
    });
    for (let at = 0; at < 500; at += 1) {
      const socket = createConnection({ port, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      socket.write(`POST /callback HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 100\r\n\r\nstatus=`);
      slow.push(socket);
      if (at % 100 !== 99) continue;
      expect(
        (await fetch(`${url}?${queryOf(saleFields({ orderid: String(at) }))}`)).status,
        `after ${at + 1} of them`,
      ).toBe(200);
    }
    await receiver.idle();
    expect(store.list()).toHaveLength(5);
    expect(slow.filter(({ destroyed }) => !destroyed).length, 'no more than 50 are kept').toBeLessThanOrEqual(50);
  });

  test('answers what came as a whole before it closes, and cuts off the rest', async () => {
    let release: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun: () => void = () => undefined;
    const isThere = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const listener = await openListener(async () => {
      begun();
      await late;
      return { status: 200, text: 'OK' };
    });
    const half = raw(listener.port, `GET /callback HTTP/1.1\r\nHost: 127.0.0.1:${listener.port}\r\n`);
    const whole = fetch(`${listener.url}?a=1`);
    await isThere;
    const closing = listener.close();
    expect(await half).toBe('');
    release();
    expect((await whole).status).toBe(200);
    await closing;
  });

  test('says whose port it is not', async () => {
    const { port } = await taking([]);
    const { listenForCallbacks } = await import('../../src/callbacks/listener.js');
    const own = {
      path: '/callback',
      names: [],
      receive: async () => ({ status: 200, text: '' }),
      onRejected: () => undefined,
    };
    await expect(listenForCallbacks({ ...own, port, host: '127.0.0.1' })).rejects.toMatchObject({ code: 'PORT_TAKEN' });
    await expect(listenForCallbacks({ ...own, port: 0, host: '192.0.2.77' })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

/** Sends up to so many bytes as one body; gives how many left before the server had enough. */
function streamed(port: number, size: number): Promise<number> {
  return new Promise((resolve) => {
    const sending = request({
      port,
      host: '127.0.0.1',
      path: '/callback',
      method: 'POST',
      headers: { 'content-length': size },
    });
    const piece = Buffer.alloc(65_536, 'a');
    let sent = 0;
    let over = false;
    const end = () => {
      over = true;
      resolve(sent);
    };
    sending.on('error', end);
    sending.on('close', end);
    sending.on('response', (incoming) => {
      expect(incoming.statusCode).toBe(413);
      incoming.resume();
    });
    const more = () => {
      while (!over && sent < size) {
        sent += piece.length;
        if (!sending.write(piece)) return void sending.once('drain', more);
      }
    };
    more();
  });
}

test('what the listener passes on is what is stored', async () => {
  const { receiver, store } = openFixture();
  const { url } = await openListener(receiver.receive);
  const query = queryOf(saleFields());
  await fetch(`${url}?${query}`);
  await receiver.idle();
  expect(store.get(1)?.raw).toMatchObject({ ...getOf(saleFields()), body: Buffer.alloc(0) });
});
