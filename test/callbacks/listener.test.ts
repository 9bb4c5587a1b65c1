import { createConnection } from 'node:net';
import { describe, expect, test } from 'vitest';
import { openListener } from './support.js';

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
    expect(turnedAway.slice(0, 3)).toEqual(
      ['/callback', '/callback', 'POST'].map((word) => expect.stringContaining(word)),
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

  test('says whose port it is not', async () => {
    const { port } = await taking([]);
    const { listenForCallbacks } = await import('../../src/callbacks/listener.js');
    const own = { receive: async () => ({ status: 200, text: '' }), onRejected: () => undefined };
    await expect(listenForCallbacks({ ...own, port, host: '127.0.0.1' })).rejects.toMatchObject({ code: 'PORT_TAKEN' });
    await expect(listenForCallbacks({ ...own, port: 0, host: '192.0.2.77' })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
