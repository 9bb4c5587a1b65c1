import { describe, expect, test } from 'vitest';
import { type ControlCase, findControlMistakes, findOauthMistakes } from '../../../src/signing/diagnose/index.js';
import { blake2, type OtherHash } from '../../../src/signing/diagnose/writings/other-hashes.js';
import { caseOf, plain } from './orders.js';
import { baseString, sha1 } from './signer.js';

// The first is of RFC 7693, appendix A; the others are by hashlib of Python.
describe('BLAKE2', () => {
  test.each<readonly [string, OtherHash, string, string, string]>([
    [
      'BLAKE2b of 64 bytes',
      blake2('blake2b', 64),
      'abc',
      '',
      'ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923',
    ],
    ['BLAKE2b of 20 bytes', blake2('blake2b', 20), 'x'.repeat(300), 'key', '5ee7fdaaf4f495f2b513fc2cfe3e11b4e46aa45e'],
    ['BLAKE2b of 20 bytes', blake2('blake2b', 20), 'abc', '', '384264f676f39536840523f284921cdc68b6846b'],
    ['BLAKE2s of 16 bytes', blake2('blake2s', 16), 'abc', 'key', '94fdf6f35b9999920dcdcaee361ad435'],
    ['BLAKE2s of 16 bytes', blake2('blake2s', 16), 'x'.repeat(300), '', '96d0bae3db55678f8d35f9cb55c5b62c'],
  ])('%s', (_, hash, text, key, expected) => {
    expect(hash.withKey(Buffer.from(text), Buffer.from(key)).toString('hex')).toBe(expected);
    if (key === '') expect(hash.of(Buffer.from(text)).toString('hex')).toBe(expected);
  });
});

test('a signature by BLAKE2b with the key is named as that, whatever its length', () => {
  for (const length of [20, 32, 64]) {
    const signature = blake2('blake2b', length).withKey(
      Buffer.from(baseString(plain)),
      Buffer.from(`${plain.secret}&`),
    );
    expect(findOauthMistakes(caseOf(plain), signature.toString('base64')).mistakes).toMatchObject([
      { name: 'digest', variant: 'blake2b' },
    ]);
  }
});

const status: ControlCase = {
  key: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
  encoding: 'hex-lower',
  login: 'shop',
  endpointId: '4001',
  slots: [
    ['login', 'shop'],
    ['client_orderid', 'a-7'],
    ['orderid', ''],
  ].map(([name = '', value = '']) => ({ name, wire: name, value })),
};

test('a checksum over BLAKE2b, and over XML with an empty element, is named', () => {
  const { key } = status;
  expect(
    findControlMistakes(
      status,
      blake2('blake2b', 20)
        .of(Buffer.from(`shopa-7${key}`))
        .toString('hex'),
    ).mistakes,
  ).toMatchObject([{ name: 'digest', variant: 'blake2b' }]);
  // By tostring of ElementTree of Python.
  const xml = '<request><login>shop</login><client_orderid>a-7</client_orderid><orderid /></request>';
  expect(findControlMistakes(status, sha1(xml + key)).mistakes).toMatchObject([
    { name: 'order', variant: 'map-printed' },
  ]);
});
