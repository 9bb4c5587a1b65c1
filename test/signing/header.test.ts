import { describe, expect, test } from 'vitest';
import {
  authorizationHeader,
  type Pair,
  parseAuthorizationHeader,
  splitAuthorizationHeader,
} from '../../src/signing/index.js';
import { processorTime } from '../support/processor-time.js';

// RFC 5849 1.2 and 3.5.1, on one line.
const printed =
  'OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131200", ' +
  'oauth_nonce="wIjqoS", oauth_callback="http%3A%2F%2Fprinter.example.com%2Fready", oauth_signature="74KNZJeDHnMBp0EMJ9ZHt%2FXKycU%3D"';
const pairs: Pair[] = [
  ['oauth_consumer_key', 'dpf43f3p2l4k3l03'],
  ['oauth_signature_method', 'HMAC-SHA1'],
  ['oauth_timestamp', '137131200'],
  ['oauth_nonce', 'wIjqoS'],
  ['oauth_callback', 'http://printer.example.com/ready'],
  ['oauth_signature', '74KNZJeDHnMBp0EMJ9ZHt/XKycU='],
];

describe('writing', () => {
  test('gives what the RFC prints', () => expect(authorizationHeader(pairs, { realm: 'Photos' })).toBe(printed));
  test('leaves the realm out when there is none', () =>
    expect(authorizationHeader([['a', 'b c']])).toBe('OAuth a="b%20c"'));
});

describe('reading', () => {
  test('gives back what the RFC prints', () =>
    expect(parseAuthorizationHeader(printed)).toEqual({ realm: 'Photos', pairs }));

  test.each([
    ['no blanks', 'OAuth a="1",b="2"', 'a=1 b=2'],
    ['another case of the scheme', 'oauth a="1"', 'a=1'],
    ['equal names and empty values', 'OAuth a="1", a="", a="1"', 'a=1 a= a=1'],
    ['odd names', 'OAuth __proto__="1", a%2Fb="%c3%A9"', '__proto__=1 a/b=é'],
  ])('bears %s', (_, header, expected) =>
    expect(parseAuthorizationHeader(header)).toEqual({ pairs: expected.split(' ').map((each) => each.split('=')) }),
  );

  test('finds the realm anywhere and takes its escapes away', () =>
    expect(parseAuthorizationHeader('OAuth a="1", realm="x \\"y\\", z=\\\\"')).toEqual({
      realm: 'x "y", z=\\',
      pairs: [['a', '1']],
    }));

  test.each([
    ['nothing', ''],
    ['a realm alone', 'OAuth realm="x"'],
    ['another scheme', 'Bearer abc'],
    ['no quotes', 'OAuth a=1'],
    ['two realms', 'OAuth realm="a", realm="b", c="d"'],
    ['a raw plus', 'OAuth oauth_signature="a+b%3D"'],
    ['a bad escape', 'OAuth a="%4"'],
    ['bytes that are not UTF-8', 'OAuth a="%ff"'],
    ['a line break', 'OAuth a="1",\r\n b="2"'],
  ])('refuses %s', (_, header) =>
    expect(() => parseAuthorizationHeader(header)).toThrow(expect.objectContaining({ code: 'TEXT_INVALID' })),
  );

  test('can leave values as they stand, for those who look for mistakes', () =>
    expect(splitAuthorizationHeader('OAuth oauth_signature="a+b/c=", realm="r"')).toEqual({
      realm: 'r',
      pairs: [['oauth_signature', 'a+b/c=']],
    }));

  test('takes no time over hostile text', () => {
    const took = processorTime();
    for (const text of [
      `OAuth ${'a="\\'.repeat(20_000)}`,
      `OAuth${' '.repeat(50_000)}x`,
      `OAuth a="1"${' \t'.repeat(30_000)}x`,
    ])
      expect(() => parseAuthorizationHeader(text)).toThrow();
    expect(took()).toBeLessThan(1000);
  });
});
