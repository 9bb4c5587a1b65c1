import { describe, expect, test } from 'vitest';
import { isPaycliError } from '../../src/errors/index.js';
import { gatewayName, parseBaseUrl, parseEndpointId } from '../../src/wire/address.js';

function codeOf(work: () => unknown): string {
  try {
    return `accepted ${String(work())}`;
  } catch (error) {
    if (isPaycliError(error)) return error.code;
    throw error;
  }
}

describe('parseBaseUrl', () => {
  test.each([
    ['https://gate.example', 'https://gate.example'],
    ['https://gate.example/', 'https://gate.example'],
    ['HTTPS://Gate.EXAMPLE:443/x', 'https://gate.example/x'],
    ['https://gate.example/a/../b', 'https://gate.example/b'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://LocalHost', 'http://localhost'],
  ])('takes %s as %s', (text, base) => {
    expect(parseBaseUrl(text)).toBe(base);
  });

  test.each([
    '',
    'https:///x',
    'https:\\\\gate.example',
    'ftp://gate.example',
    'http://gate.example',
    'http://127.0.0.1.example',
    'http://[::ffff:127.0.0.1]',
    'https://u:p@gate.example',
    'http://localhost@evil.example',
    'https://gate.example/?a=1',
    ' https://gate.example',
    'https://ga\tte.example',
    'https://gate.example\\@evil.example',
    'https://gate\u200b.example',
    'https://gate.example/\ud800',
  ])('refuses %j', (text) => {
    expect(codeOf(() => parseBaseUrl(text))).toBe('URL_INVALID');
  });
});

describe('parseEndpointId', () => {
  test.each(['1', '4001', '9223372036854775807'])('takes %s', (text) => {
    expect(parseEndpointId(text)).toBe(text);
  });

  test.each(['', '0', '-1', '01', '1.0', '1e3', ' 1', '1\n', '１', '9223372036854775808', 'a'])(
    'refuses %j',
    (text) => {
      expect(codeOf(() => parseEndpointId(text))).toBe('FIELD_INVALID');
    },
  );
});

describe('a gateway has one name', () => {
  test.each([
    ['http://localhost:8080', 'http://127.0.0.1:8080'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ['http://LOCALHOST:80/pay/', 'http://127.0.0.1/pay'],
    ['https://localhost.:443', 'https://127.0.0.1'],
    ['https://Gate.Example.:443/pay/', 'https://gate.example/pay'],
    ['sandbox default/abc', 'sandbox default/abc'],
  ])('%s', (address, name) => {
    expect(gatewayName(address)).toBe(name);
    expect(gatewayName(name)).toBe(name);
  });

  test.each([
    ['http://localhost', 'https://localhost'],
    ['https://gate.example/pay', 'https://gate.example/pay/v2'],
    ['https://gate.example/Pay', 'https://gate.example/pay'],
  ])('%s is not %s', (one, other) => {
    expect(gatewayName(one)).not.toBe(gatewayName(other));
  });
});
