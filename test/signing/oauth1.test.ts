import { describe, expect, test } from 'vitest';
import {
  baseStringUri,
  normalizeParameters,
  type Pair,
  signatureBaseString,
  verifyHmacSha1,
  verifyRsaSha256,
} from '../../src/signing/index.js';
import { oauths, pem } from './support.js';

const url = 'https://gateway.example/paynet/api/v2/payout/1234';

describe('the address part (3.4.1.2)', () => {
  test.each([
    ['http://EXAMPLE.COM:80/r%20v/X?id=123', 'http://example.com/r%20v/X'],
    ['https://www.example.net:8080/?q=1', 'https://www.example.net:8080/'],
    ['HTTPS://Gateway.Example:443', 'https://gateway.example/'],
    ['http://gateway.example:443/a', 'http://gateway.example:443/a'],
    ['https://gateway.example/a?b=c#d?e', 'https://gateway.example/a'],
    ['https://gateway.example/A/%7euser/%2F/./../b//', 'https://gateway.example/A/%7euser/%2F/./../b//'],
    ['http://[2001:DB8::1]:80/a', 'http://[2001:db8::1]/a'],
  ])('%s becomes %s', (given, expected) => {
    expect(baseStringUri(given)).toBe(expected);
  });

  test.each([
    ['user info', 'https://user:secret@gateway.example/'],
    ['a missing host', 'https:///a'],
    ['a port that is no number', 'https://gateway.example:port/'],
    ['letters beyond ASCII', 'https://gateway.example/é'],
    ['a backslash', 'https://gateway.example\\@other.example/'],
    ['nothing', ''],
  ])('refuses %s', (_, given) => {
    expect(() => baseStringUri(given)).toThrow(expect.objectContaining({ code: 'URL_INVALID' }));
  });

  test('never repeats a password', () => {
    expect(() => baseStringUri('https://user:hunter2@gateway.example/')).not.toThrow(/hunter2/);
  });
});

describe('the parameters (3.4.1.3)', () => {
  test.each([
    // The table of 3.4.1.3.2, encoded and sorted.
    ['as the RFC shows', 'b5==%3D|a3=a|c@=|a2=r b|c2=|a3=2 q', 'a2=r%20b&a3=2%20q&a3=a&b5=%3D%253D&c%40=&c2='],
    ['a name that begins another comes first', 'ab=1|a=2|a-b=3|a0=4', 'a=2&a-b=3&a0=4&ab=1'],
    ['names known to objects survive', '__proto__=1|constructor=2', '__proto__=1&constructor=2'],
    ['plus, blank and escape stay apart', 'a=+|b= |c=%2B|d=%20', 'a=%2B&b=%20&c=%252B&d=%2520'],
    [
      'reserved marks are encoded, ~ is not',
      "a=!*'();:@&=+$,/?#[]|b=-._~",
      'a=%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%23%5B%5D&b=-._~',
    ],
    ['letters beyond ASCII go as UTF-8', 'ü=😀|漢=é', '%C3%BC=%F0%9F%98%80&%E6%BC%A2=%C3%A9'],
    ['a body field realm is a field like any other', 'realm=x', 'realm=x'],
    ['oauth_signature is left out, wherever it stands', 'oauth_signature=x|a=b', 'a=b'],
  ])('%s', (_, written, expected) => {
    const pairs = written.split('|').map((each): Pair => [each.replace(/=.*/, ''), each.replace(/^[^=]*=/, '')]);
    expect(normalizeParameters(Object.freeze(pairs))).toBe(expected);
  });

  test.each([
    ['name', [['a\ud83d', 'x']]],
    ['value', [['client_orderid', '\ude00']]],
  ] as [string, Pair[]][])('a lone surrogate in a %s is refused', (_, pairs) => {
    expect(() => normalizeParameters(pairs)).toThrow(expect.objectContaining({ code: 'TEXT_INVALID' }));
  });
});

describe('the base string (3.4.1.1)', () => {
  test('writes the method in capitals', () => {
    expect(signatureBaseString('post', url, [])).toBe(
      'POST&https%3A%2F%2Fgateway.example%2Fpaynet%2Fapi%2Fv2%2Fpayout%2F1234&',
    );
  });

  test.each(['', 'PO ST'])('refuses the method %j', (method) => {
    expect(() => signatureBaseString(method, url, [])).toThrow(expect.objectContaining({ code: 'TEXT_INVALID' }));
  });

  test('reads the query like a form', () => {
    expect(signatureBaseString('GET', 'http://h.example/?a=1+2&b&=c&a=%2B', [])).toBe(
      'GET&http%3A%2F%2Fh.example%2F&%3Dc%26a%3D%252B%26a%3D1%25202%26b%3D',
    );
  });

  test.each(['http://h.example/?a=%zz', 'http://h.example/?a=%ff'])('refuses the query of %s', (address) => {
    expect(() => signatureBaseString('GET', address, [])).toThrow(/^query of the url: /);
  });
});

describe('verifying', () => {
  const [hmac] = oauths.filter((vector) => vector.signatureMethod === 'HMAC-SHA1');
  const [rsa] = oauths.filter((vector) => vector.signatureMethod === 'RSA-SHA256');

  test.each(['', 'x', '74KNZJeDHnMBp0EMJ9ZHt/XKycU', '74KNZJeDHnMBp0EMJ9ZHt_XKycU='])(
    'HMAC: %j is no signature',
    (signature) => {
      expect(verifyHmacSha1(hmac?.baseString ?? '', signature, 'kd94hf93k423kf44')).toBe(false);
    },
  );

  test.each([
    ['nothing', () => ''],
    ['missing padding', (text: string) => text.replace(/=+$/, '')],
    ['hexadecimal', (text: string) => Buffer.from(text, 'base64').toString('hex')],
  ])('RSA: %s is no signature', (_, spoil) => {
    expect(verifyRsaSha256(rsa?.baseString ?? '', spoil(rsa?.signature ?? ''), pem('test-rsa-2048.public'))).toBe(
      false,
    );
  });

  test('RSA: the other key of the folder does not match', () => {
    expect(verifyRsaSha256(rsa?.baseString ?? '', rsa?.signature ?? '', pem('test-rsa-3072.public'))).toBe(false);
  });
});
