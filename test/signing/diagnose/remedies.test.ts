import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type ControlCase,
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
      expect(remedyFor(mistake, { scheme })).toMatch(/^\S.{10,}[^.]$/);
    }
  });

  test('no advice of another kind of signature', () => {
    const foreign = {
      'HMAC-SHA1': /private key|PKCS|SHA-256|rsa\b|checksum|minor units/,
      'RSA-SHA256': /HMAC|control key|checksum|SHA-1\b|minor units/,
      control: /HMAC-SHA1|Authorization|base string|oauth_|private key|percent-encode/,
    }[scheme];
    for (const mistake of variants) expect(remedyFor(mistake, { scheme }), mistake.variant).not.toMatch(foreign);
  });
});

test('the advice turns with the assumptions', () => {
  const upper = { name: 'upper-case', variant: 'digest' } as const;
  expect(remedyFor(upper, { scheme: 'control' })).toContain('40 hexadecimal characters in lower case');
  expect(remedyFor({ ...upper, variant: 'digest-lower' }, { scheme: 'control', encoding: 'hex-upper' })).toContain(
    'in upper case',
  );
  for (const mistake of variantsOf('control'))
    expect(remedyFor(mistake, { scheme: 'control', encoding: 'base64' })).not.toMatch(/hexadecimal char/);
  const key = { name: 'signing-key', variant: 'encoded' } as const;
  expect(remedyFor(key, { scheme: 'HMAC-SHA1', keyForm: 'raw' })).toBe(
    'the HMAC key is the control key as it is (A51), then an & and nothing else',
  );
  expect(remedyFor(key, { scheme: 'HMAC-SHA1' })).toContain('percent-encoded control key');
});
