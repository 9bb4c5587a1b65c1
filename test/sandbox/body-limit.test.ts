import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit } from '../../src/sandbox/audit/report.js';
import { maxBodyBytes } from '../../src/sandbox/checks.js';
import { createSandbox } from '../../src/sandbox/gateway.js';
import { listen, type RunningServer } from '../../src/sandbox/http.js';
import { allOperations, assumeDefaults, kindOf } from '../../src/spec/index.js';
import { bodyOf, card, openFixture, payer, plainHeaders, send, sha1 } from './support.js';

const fixture = openFixture();
let server: RunningServer;
beforeAll(async () => {
  server = await listen((pagesBase) => createSandbox(fixture.sandboxState, { assume: assumeDefaults, pagesBase }), {
    port: 0,
  });
});
afterAll(() => server.close());

const path = '/api/v2/sale/4001';

function overHttp(body: string): Promise<Record<string, string>> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: server.port, method: 'POST', path: `/gateway${path}`, headers: plainHeaders },
      (reply) => {
        const pieces: Buffer[] = [];
        reply.on('data', (piece: Buffer) => pieces.push(piece));
        reply.on('end', () => resolve(JSON.parse(Buffer.concat(pieces).toString())));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const inProcess = async (body: string) => send(fixture.sandbox, path, body).fields;

let count = 0;
/** A signed sale with free texts of this many characters, every byte of them escaped. */
function saleWith(character: string, length: number): string {
  count += 1;
  const id = `b${count}`;
  const text = character.repeat(length);
  const control = sha1(`4001${id}1042${payer['email']}${fixture.key}`);
  const money = { amount: '10.42', currency: 'USD' };
  const pairs = {
    client_orderid: id,
    ...money,
    ...card(),
    ...payer,
    redirect_url: 'https://shop.example/return',
    control,
  };
  return bodyOf({ ...pairs, order_desc: text, merchant_data: text });
}

const scripts: readonly (readonly [script: string, character: string])[] = [
  ['ASCII', 'x'],
  ['emoji', '😀'],
];

describe.each([
  ['over HTTP', overHttp],
  ['in this process', inProcess],
] as const)('%s', (_, post) => {
  test.each(scripts)(
    'texts of 65,536 characters are taken, and one more is refused by its field, in %s',
    async (_script, character) => {
      expect((await post(saleWith(character, 65_536)))['error-message']).toBeUndefined();
      expect((await post(saleWith(character, 65_537)))['error-message']).toBe(
        'order_desc: use at most 65536 characters; merchant_data: use at most 65536 characters',
      );
    },
  );

  test('a body of 2 MiB is read, and one byte more is refused with its size', async () => {
    expect((await post(`x=${'a'.repeat(2_097_150)}`))['error-message']).toMatch(/^sale has no field x; /);
    expect(await post(`x=${'a'.repeat(2_097_151)}`)).toMatchObject({
      type: 'validation-error',
      'error-message': 'the body is larger than 2097152 bytes',
    });
  });
});

test('a body that is too large stands on the audit report, whichever way it came', () => {
  const fresh = openFixture();
  send(fresh.sandbox, path, 'a'.repeat(2_097_153));
  expect(audit(fresh.sandboxState.store).map(({ rule }) => rule)).toEqual(['body-too-large']);
});

test.each(allOperations.map((row) => [row.id, row] as const))(
  'every field of %s at its longest, four bytes a character and all escaped, fits',
  (_, row) => {
    const longest = Object.values(row.fields).map(
      ({ wire, max, kind }) => wire.length + 2 + (max ?? kindOf(kind).max) * 12,
    );
    // A checksum, and the parameters that A07 repeats in the body.
    expect(longest.reduce((sum, bytes) => sum + bytes, 1000)).toBeLessThanOrEqual(maxBodyBytes);
  },
);

test('a card number that stands where a long text is cut is not recorded in part', () => {
  for (let at = 3970; at <= 4010; at += 1) {
    const fresh = openFixture();
    const digits = '7'.repeat(at);
    send(fresh.sandbox, path, bodyOf({ order_desc: `${digits} 4444333322221111${'x'.repeat(100)}` }));
    send(fresh.sandbox, path, bodyOf({ order_desc: `${'x'.repeat(at)}4444333322221111${'x'.repeat(100)}` }));
    const written = JSON.stringify(fresh.database.all('SELECT title, detail, fields FROM events'));
    expect(written).not.toMatch(/4444\d{4}/);
    expect(written).toMatch(/characters\)/);
  }
});
