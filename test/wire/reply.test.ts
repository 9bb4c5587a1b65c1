import { describe, expect, test } from 'vitest';
import { parseReply } from '../../src/wire/reply.js';

const json = 'application/vnd.pay+json';
const bytes = (text: string) => new TextEncoder().encode(text);

function fieldsOf(text: string, type: string | undefined = json, format: 'json' | 'form' = 'json'): unknown {
  const reply = parseReply(bytes(text), type, format);
  return reply.ok ? Object.fromEntries(reply.fields) : reply.reason;
}

describe('a JSON reply', () => {
  test.each([
    ['{"type":"async-response"}', { type: 'async-response' }],
    ['{"id":9223372036854775807}', { id: '9223372036854775807' }],
    ['{"amount":10.50}', { amount: '10.50' }],
    ['{"n":-0,"e":1E2,"z":0.0}', { n: '-0', e: '1E2', z: '0.0' }],
    ['{"a":true,"b":false,"c":null,"d":""}', { a: 'true', b: 'false', d: '' }],
    [
      '{"a":{"id":9223372036854775807,"x":[1.10,null]},"b":[]}',
      { a: '{"id":9223372036854775807,"x":[1.10,null]}', b: '[]' },
    ],
    [' \r\n\t{"a":"é \\u00e9 \\n"} ', { a: 'é é \n' }],
    ['{"toString":"x"}', { toString: 'x' }],
    ['\ufeff{"a":"1"}', { a: '1' }],
  ])('%j is read', (text, fields) => {
    expect(fieldsOf(text)).toEqual(fields);
  });

  test.each([
    ['', 'empty'],
    ['{"a":1,"a":2}', 'unparseable'],
    ['{"a":01}', 'unparseable'],
    ['<html></html>', 'unparseable'],
    ['type=async-response', 'unparseable'],
    ['['.repeat(200_000), 'unparseable'],
    ['[]', 'not-an-object'],
    ['12345678901234567890', 'not-an-object'],
  ])('%.40j is %s', (text, reason) => {
    expect(fieldsOf(text)).toBe(reason);
  });

  test.each([
    ['application/vnd.pay+json; charset=utf-8', true],
    ['Application/VND.Pay+JSON;charset="UTF-8"; v=1', true],
    ['application/json', false],
    ['application/x-www-form-urlencoded', false],
    ['', false],
    [undefined, false],
  ])('of type %s is taken: %s', (type, isTaken) => {
    const reply = parseReply(bytes('{"type":"error"}'), type, 'json');
    expect(reply).toEqual(
      isTaken ? { ok: true, fields: new Map([['type', 'error']]) } : { ok: false, reason: 'content-type' },
    );
  });

  test.each([['named gzip', bytes('{}'), 'gzip']])('%s is not decoded', (_, body, encoding) => {
    expect(parseReply(body, json, 'json', encoding)).toEqual({ ok: false, reason: 'content-encoding' });
  });
});

describe('a form reply (A12)', () => {
  const sample =
    'type=async-response\n&serial-number=00000000-0000-0000-0000-0000015b2f9a\n&paynet-order-id=9223372036854775807\n&error-message=no+%26+no\n';
  const fields = {
    type: 'async-response',
    'serial-number': '00000000-0000-0000-0000-0000015b2f9a',
    'paynet-order-id': '9223372036854775807',
    'error-message': 'no & no',
  };

  test.each(['text/html', 'text/html;charset=utf-8', 'Application/X-WWW-Form-Urlencoded'])(
    'of type %s is read and trimmed',
    (type) => {
      expect(fieldsOf(sample, type, 'form')).toEqual(fields);
    },
  );

  test('may start with an ampersand and end lines with CR LF', () => {
    expect(fieldsOf('&type=error\r\n&error-code=+7%0A\r\n&note=\r\n', 'text/html', 'form')).toEqual({
      type: 'error',
      'error-code': '7',
      note: '',
    });
  });

  test.each([
    ['<html><body>type=error</body></html>', 'text/html', 'unparseable'],
    ['<input name=a>&type=async-response', 'text/html', 'unparseable'],
    ['type=error&type=async-response', 'text/html', 'unparseable'],
    ['type=error&x=%', 'text/html', 'unparseable'],
    ['{"type":"error"}', 'text/html', 'unparseable'],
    ['', 'text/html', 'empty'],
    ['type=error', json, 'unparseable'],
  ])('%j of type %s is %s', (text, type, reason) => {
    expect(fieldsOf(text, type, 'form')).toBe(reason);
  });
});
