import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type ControlCase,
  codeLanguages,
  controlHypotheses,
  type Mistake,
  oauthHypotheses,
  type RemedyContext,
  remedyFor,
} from '../../../src/signing/diagnose/index.js';
import { rowOf } from '../../../src/signing/diagnose/remedies.js';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const body = [
  ['a[]', '1'],
  ['a[]', '2'],
  ['b', "x y!*'()~+/é€😀"],
  ['b', '2'],
  ['e', ''],
  ['amount', '10.40'],
  ['realm', 'r'],
] as const;
const common = {
  method: 'POST',
  url: 'https://Localhost:8443/p/%2fa/?q=1+2&c%40=1',
  body,
  consumerKey: 'me',
  nonce: 'n',
  timestamp: '1894017500',
  hasVersion: true,
  realm: 'x',
};

/** Every variant that a diagnosis can give, by scheme. */
function variantsOf(scheme: NonNullable<RemedyContext['scheme']>): readonly Mistake[] {
  const found = new Map<string, Mistake>();
  const add = (mistake: Mistake) => found.set(`${mistake.name} ${mistake.variant}`, mistake);
  if (scheme === 'control') for (const { mistakes } of controls()) mistakes.forEach(add);
  else
    for (const secret of ['aé-b c0', '0123abcd'])
      for (const { mistake } of oauthHypotheses({
        ...common,
        signatureMethod: scheme,
        secret,
        ...(scheme === 'RSA-SHA256' ? { privateKey } : {}),
      }))
        add(mistake);
  return [...found.values()];
}

function* controls() {
  const slot = (name: string, wire: string, value: string) => ({ name, wire, value });
  const lists = [
    [
      slot('endpointId', 'endpointId', '1'),
      slot('clientOrderId', 'client_orderid', 'aé '),
      slot('amount', 'amount', '1042'),
      slot('email', 'email', 'a@b'),
    ],
    [
      slot('login', 'login', '1'),
      slot('orderId', 'orderid', ''),
      slot('currency', 'currency', 'USD'),
      slot('email', 'email', ''),
    ],
  ];
  for (const slots of lists)
    for (const encoding of ['hex-lower', 'hex-upper', 'base64'] as const) {
      const given: ControlCase = { slots, key: ' K-ey ', encoding, amountText: '10.42', login: 'me', endpointId: '1' };
      for (const made of controlHypotheses(given)) {
        if (made.mistakes.length > 1) break;
        yield made;
      }
    }
}

const schemes = ['HMAC-SHA1', 'RSA-SHA256', 'control'] as const;

describe.each(schemes)('%s', (scheme) => {
  const variants = variantsOf(scheme);
  test('every variant has a row of its own name, with advice', () => {
    expect(variants.length).toBeGreaterThan(100);
    for (const mistake of variants) {
      const { name } = rowOf(mistake, { scheme });
      expect(`${mistake.variant} ${name}`).toBe(`${mistake.variant} ${mistake.name}`);
      expect(remedyFor(mistake, { scheme }).change).toMatch(/^\S.{10,}[^.]$/);
    }
  });

  test('no advice of another kind of signature', () => {
    const foreign = {
      'HMAC-SHA1': /private key|PKCS|SHA-256|rsa\b|checksum|minor units/,
      'RSA-SHA256': /HMAC|control key|checksum|SHA-1\b|minor units/,
      control: /HMAC-SHA1|Authorization|base string|oauth_|private key|percent-encode/,
    }[scheme];
    for (const mistake of variants)
      for (const language of codeLanguages) {
        const { change, line = '' } = remedyFor(mistake, { scheme, language });
        expect(change, mistake.variant).not.toMatch(foreign);
        expect(line, mistake.variant).not.toMatch(
          scheme === 'HMAC-SHA1' ? /SHA256|privateKey|rsa\.pem/ : scheme === 'control' ? /hmac/i : /hmac|HMAC|sha1/,
        );
      }
  });
});

test('the advice turns with the assumptions', () => {
  const upper = { name: 'upper-case', variant: 'digest' } as const;
  expect(remedyFor(upper, { scheme: 'control' }).change).toContain('40 hexadecimal characters in lower case');
  expect(
    remedyFor({ ...upper, variant: 'digest-lower' }, { scheme: 'control', encoding: 'hex-upper' }).change,
  ).toContain('in upper case');
  for (const mistake of variantsOf('control'))
    expect(remedyFor(mistake, { scheme: 'control', encoding: 'base64' }).change).not.toMatch(/hexadecimal char/);
  expect(
    remedyFor({ name: 'base64', variant: 'hex' }, { scheme: 'control', encoding: 'base64', language: 'php' }),
  ).toEqual({
    change: 'write the bytes of the SHA-1 as standard Base64 (A01)',
    causes: { php: 'base64_encode' },
    line: "$control = base64_encode(sha1(implode('', $values) . $key, true));",
  });
  const key = { name: 'signing-key', variant: 'encoded' } as const;
  expect(remedyFor(key, { scheme: 'HMAC-SHA1', keyForm: 'raw', language: 'node' })).toMatchObject({
    change: 'the HMAC key is the control key as it is (A51), then an & and nothing else',
    line: expect.stringContaining("createHmac('sha1', secret + '&')"),
  });
  expect(remedyFor(key, { scheme: 'HMAC-SHA1' }).change).toContain('percent-encoded control key');
});

test('of the functions that do it only that of the wanted language is named', () => {
  const plus = { name: 'space-plus', variant: 'plus' } as const;
  expect(Object.keys(remedyFor(plus, {}).causes)).toEqual(['php', 'python', 'go', 'ruby']);
  expect(remedyFor(plus, { language: 'go' }).causes).toEqual({ go: 'url.QueryEscape, url.Values.Encode' });
  expect(remedyFor(plus, { language: 'java' }).causes).toEqual({});
});

test.each([
  ['control', 'charset', 'values-reversed'],
  ['control', 'orderid-text', 'value-base64'],
  ['control', 'missing-email', 'value-quoted'],
  ['control', 'endpoint-login', 'value-no-blanks'],
  ['HMAC-SHA1', 'not-utf8', 'values-ascii'],
  ['HMAC-SHA1', 'space-plus', 'values-trimmed'],
  ['RSA-SHA256', 'encoded-twice-or-once', 'value-base64'],
  ['RSA-SHA256', 'reserved-characters', 'values-reversed'],
] as const)(
  '%s: values that were written differently (%s, %s) are to be signed as they are sent',
  (scheme, name, variant) => {
    expect(remedyFor({ name, variant }, { scheme }).change).toMatch(/exactly as|character for character/);
  },
);
