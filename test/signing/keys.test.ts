import { createPublicKey, createSecretKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  keyFingerprint,
  readPrivateKey,
  readPublicKey,
  Secret,
  signRsaSha256,
  verifyRsaSha256,
} from '../../src/signing/index.js';
import { keys, pem } from './support.js';

const pkcs8 = pem('test-rsa-2048.pkcs8');
const refusal = (source: string, why: RegExp) =>
  expect.objectContaining({ code: 'KEY_UNUSABLE', facts: { source, why: expect.stringMatching(why) } });

describe('a private key', () => {
  test.each<[string, string, RegExp]>([
    ['empty text', '', /empty/],
    ['blanks', ' \n\t', /empty/],
    ['text that is no PEM', 'c2VjcmV0', /not PEM/],
    ['a certificate', pem('test-rsa-2048.certificate'), /certificate/],
    ['a public key', pem('test-rsa-2048.public'), /public key/],
    ['a PKCS#1 public key', pem('test-rsa-2048.public-pkcs1'), /public key/],
    ['an elliptic-curve key', pem('test-ec-p256.pkcs8'), /elliptic-curve/],
    ['an elliptic-curve key with its parameters', pem('test-ec-p256.sec1'), /elliptic-curve/],
    ['an Ed25519 key', pem('test-ed25519.pkcs8'), /Ed25519/],
    ['an RSA-PSS key', pem('test-rsa-pss-2048.pkcs8'), /RSA-PSS/],
    ['a DSA key', pem('test-dsa-2048.pkcs8'), /DSA/],
    ['an OpenSSH key', pem('test-openssh-rsa-2048'), /OpenSSH/],
    ['1024 bits', pem('test-rsa-1024.pkcs8'), /1024 bits.*2048/],
    ['two keys', pkcs8 + pem('test-rsa-3072.pkcs8'), /several/],
    ['a key and its certificate', pkcs8 + pem('test-rsa-2048.certificate'), /several/],
    ['a missing end', pkcs8.slice(0, 800), /truncated/],
    ['damaged Base64', pkcs8.replace(/\n[^\n]+\n/, '\nAAAA\n'), /damaged/],
    ['an unknown label', pkcs8.replaceAll('PRIVATE KEY', 'ODD THING'), /names an unknown key type/],
  ])('refuses %s', (_, text, why) => {
    expect(() => readPrivateKey(text, undefined, 'live.pem')).toThrow(refusal('live.pem', why));
  });

  test.each(['pkcs8', 'pkcs1'])('encrypted as %s wants its passphrase', (form) => {
    const text = pem(`test-rsa-2048.${form}-encrypted`);
    expect(() => readPrivateKey(text)).toThrow(refusal('private', /no passphrase/));
    expect(() => readPrivateKey(text, '')).toThrow(refusal('private', /no passphrase/));
    expect(() => readPrivateKey(text, 'wrong')).toThrow(refusal('private', /passphrase is wrong/));
    expect(readPrivateKey(text, new Secret(keys.passphrase)).form).toMatch(/^encrypted /);
  });

  test.each([
    ['CRLF', pkcs8.replaceAll('\n', '\r\n')],
    ['indented lines', pkcs8.replaceAll(/^/gm, '    ')],
    ['a byte order mark', `\ufeff${pkcs8}`],
    ['remarks around it', `Bag Attributes\n${pkcs8}\nthat was it\n`],
    ['no final line feed', pkcs8.trimEnd()],
  ])('bears %s', (_, text) => {
    expect(readPrivateKey(text).bits).toBe(2048);
  });

  test('ignores a passphrase it does not need', () => expect(readPrivateKey(pkcs8, 'x').form).toBe('PKCS#8'));

  test('repeats nothing of the text or the passphrase', () => {
    const broken = pkcs8.replace(/\n[^\n]+\n/, '\nSECRETLINE\n');
    for (const [text, word] of [
      [broken, ''],
      [pem('test-rsa-2048.pkcs8-encrypted'), 'SECRETLINE'],
    ] as const) {
      let caught: unknown;
      try {
        readPrivateKey(text, word);
      } catch (error) {
        caught = error;
      }
      expect(caught).toBeInstanceOf(Error);
      expect(JSON.stringify(caught, Object.getOwnPropertyNames(caught))).not.toContain('SECRETLINE');
    }
  });
});

describe('a public key', () => {
  test.each<[string, string, RegExp]>([
    ['a private key', pkcs8, /private key/],
    ['a PKCS#1 private key', pem('test-rsa-2048.pkcs1'), /private key/],
    ['an encrypted private key', pem('test-rsa-2048.pkcs8-encrypted'), /private key/],
    ['a certificate', pem('test-rsa-2048.certificate'), /certificate/],
    ['1024 bits', pem('test-rsa-1024.public'), /1024 bits/],
    ['nothing', '', /empty/],
  ])('refuses %s', (_, text, why) => {
    expect(() => readPublicKey(text, 'shop')).toThrow(refusal('shop', why));
  });
});

describe('signing with a key already read', () => {
  const { keyObject } = readPrivateKey(pkcs8);

  test('refuses the wrong half, and keys that are not asymmetric', () => {
    expect(() => signRsaSha256('text', createPublicKey(keyObject))).toThrow(refusal('private', /public key/));
    expect(() => verifyRsaSha256('text', '', keyObject)).toThrow(refusal('public', /private key/));
    expect(() => signRsaSha256('text', createSecretKey(Buffer.from('x')))).toThrow(refusal('private', /secret key/));
  });

  test('PKCS#8 and PKCS#1, encrypted or not, make one signature', () => {
    const signatures = keys.private
      .filter(({ bits }) => bits === 2048)
      .map(({ file }) =>
        signRsaSha256('text', readPrivateKey(pem(file.replace('.pem', '')), keys.passphrase).keyObject),
      );
    expect(signatures).toHaveLength(4);
    expect(new Set(signatures).size).toBe(1);
  });
});

test('a control key is known by eight characters', () => {
  // printf %s 5F7C1D2E-88B4-4E21-9A0C-33D1E6B0A7F4 | openssl dgst -sha256 -mac HMAC -macopt key:'paycli control key
  // fingerprint 1' -r | cut -c1-8
  expect(keyFingerprint('5F7C1D2E-88B4-4E21-9A0C-33D1E6B0A7F4')).toBe('9a44ef7d');
});
