import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { audit } from '../../src/sandbox/audit/report.js';
import { listen } from '../../src/sandbox/http.js';
import { readEvents } from '../../src/sandbox/log.js';
import { type Fixture, openFixture } from './support.js';

const eventsOf = (fixture: Fixture) => readEvents(fixture.sandboxState.store, { limit: 1000 });

describe('what the server refuses by itself is in the log', () => {
  const path = '/gateway/api/v2/sale/4001';
  const head = (lines: readonly string[], target = path) =>
    `POST ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`;
  const usual = ['Host: 127.0.0.1:PORT', 'Content-Length: 0'];
  const cases: readonly (readonly [name: string, bytes: string, status: string, title: string, rule: string])[] = [
    [
      'another host',
      head(['Host: evil.example', 'Content-Length: 0']),
      '421',
      `POST ${path} refused: this sandbox serves`,
      'host-wrong',
    ],
    [
      'a repeated header',
      head([...usual, 'Authorization: OAuth a="secret1"', 'Authorization: OAuth a="secret2"']),
      '400',
      `POST ${path} refused: the header authorization was sent more than once`,
      'header-repeated',
    ],
    [
      'a large body',
      `${head(['Host: 127.0.0.1:PORT', 'Content-Length: 2100000'])}${'secret0'.repeat(300_000)}`,
      '400',
      `POST ${path} refused: the body is larger than 2097152 bytes`,
      'body-too-large',
    ],
    [
      'a page of another site',
      head([...usual, 'Origin: https://secret.example']),
      '403',
      `POST ${path} refused: pages of other sites cannot send requests here`,
      'sent-by-a-page',
    ],
  ];

  test.each(cases)('%s', async (_, bytes, status, title, rule) => {
    const fixture = openFixture();
    const server = await listen(() => fixture.sandbox, { port: 0 });
    onTestFinished(() => server.close());
    expect(await answerTo(server.port, bytes)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const [event, ...others] = eventsOf(fixture);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ kind: 'refusal', orderId: undefined, login: undefined, detail: { status } });
    expect(event?.title.startsWith(title), event?.title).toBe(true);
    expect(audit(fixture.sandboxState.store)).toMatchObject([{ rule, count: 1 }]);
    expect(JSON.stringify([event, audit(fixture.sandboxState.store)])).not.toMatch(/secret|evil/i);
  });

  test('a path with a card number', async () => {
    const fixture = openFixture();
    const server = await listen(() => fixture.sandbox, { port: 0 });
    onTestFinished(() => server.close());
    const target = '/gateway/api/v2/sale/4444333322221111?cvv2=123';
    await answerTo(server.port, head(['Host: evil.example', 'Content-Length: 0'], target));
    expect(eventsOf(fixture)).toMatchObject([
      { title: expect.stringContaining('POST /gateway/api/v2/sale/•••• 1111 refused:') },
    ]);
  });
});

function answerTo(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let got = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes.replaceAll('PORT', String(port)), 'latin1'));
    socket.on('data', (piece) => (got += piece.toString()));
    socket.on('close', () => resolve(got));
    socket.on('error', reject);
  });
}
