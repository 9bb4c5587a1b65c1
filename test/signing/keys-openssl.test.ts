import { describe, expect, test } from 'vitest';
import { readPrivateKey, readPublicKey, Secret, signRsaSha256, verifyRsaSha256 } from '../../src/signing/index.js';
import { inspectKey, openPublicKey } from '../../src/signing/keys/inspect-key.js';
import { privatePem, publicPem } from '../../src/signing/keys/rsa-keys.js';
import { pem, shell } from './support.js';

const key = 'keys/test-rsa-2048.pkcs8.pem';
const word = 'a passphrase';
const pass = `-passout 'pass:${word}'`;
const old = '-provider legacy -provider default';
const { keyObject } = readPrivateKey(pem('test-rsa-2048.pkcs8'));
const publicKey = readPublicKey(pem('test-rsa-2048.public')).keyObject;

/** The fingerprint by hand, of the private or public key in PEM on standard input. */
const opensslFingerprint = (text: string, flags = '') =>
  `SHA256:${shell(`openssl pkey ${flags} -pubout -outform DER | openssl dgst -sha256 -r | cut -c1-64`, text)}`;

describe('what openssl writes is read', { tags: 'openssl' }, () => {
  test.each([
    ['PKCS#8', `openssl pkey -in ${key}`],
    ['PKCS#1', `openssl rsa -traditional -in ${key}`],
    ['encrypted PKCS#8', `openssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA512 ${pass} -in ${key}`],
    ['encrypted PKCS#8', `openssl pkcs8 -topk8 -v2 des3 ${pass} -in ${key}`],
    ['encrypted PKCS#8', `openssl pkcs8 -topk8 -scrypt ${pass} -in ${key}`],
    ['encrypted PKCS#1', `openssl rsa -traditional -aes256 ${pass} -in ${key}`],
  ])('%s: %s', (form, command) => {
    const text = shell(command);
    const read = readPrivateKey(text, word);
    expect(read).toMatchObject({ form, fingerprint: opensslFingerprint(text, `-passin 'pass:${word}'`) });
    expect(verifyRsaSha256('text', signRsaSha256('text', read.keyObject), publicKey)).toBe(true);
    const seen = inspectKey(Buffer.from(text), 'private', new Secret(word));
    expect(seen).toMatchObject({ form, fits: true, fingerprint: read.fingerprint });
  });

  test('but not a cipher that is too old, which is said', () => {
    const text = shell(`openssl pkcs8 -topk8 -v1 PBE-MD5-DES ${old} ${pass} -in ${key}`);
    expect(() => readPrivateKey(text, word)).toThrow(/too old.*openssl pkey -provider legacy/);
    const seen = inspectKey(Buffer.from(text), 'private', new Secret(word));
    expect(seen).toMatchObject({ fits: false, why: expect.stringMatching(/too old/) });
    // The way out that the message names.
    const renewed = shell(`openssl pkey ${old} -passin 'pass:${word}' -aes256 ${pass}`, text);
    expect(readPrivateKey(renewed, word).form).toBe('encrypted PKCS#8');
  });

  test.each([
    ['SPKI', `openssl pkey -in ${key} -pubout`, '-pubin'],
    ['PKCS#1', `openssl rsa -in ${key} -RSAPublicKey_out`, ''],
  ] as const)('public %s: %s', (form, command, flags) => {
    const text = shell(command);
    const spki = form === 'SPKI' ? text : shell('openssl rsa -RSAPublicKey_in -pubout', text);
    const read = readPublicKey(text);
    expect(read).toMatchObject({ form, fingerprint: opensslFingerprint(spki, flags || '-pubin') });
    expect(verifyRsaSha256('text', signRsaSha256('text', keyObject), read.keyObject)).toBe(true);
  });

  test.each(['private', 'public'] as const)('DER of every form, %s', (half) => {
    const commands = {
      private: [`openssl pkey -in ${key} -outform DER`, `openssl rsa -traditional -in ${key} -outform DER`],
      public: [`openssl pkey -in ${key} -pubout -outform DER`, `openssl rsa -in ${key} -RSAPublicKey_out -outform DER`],
    };
    for (const command of commands[half]) {
      const der = Buffer.from(shell(`${command} | base64`), 'base64');
      expect(inspectKey(der, half)).toMatchObject({ encoding: 'DER', bits: 2048, fits: false, mend: 'rewrite' });
    }
  });

  test('a certificate names the key it is about; a request for one is told from it', () => {
    const request = shell(`openssl req -new -key ${key} -subj '/CN=shop'`);
    expect(inspectKey(Buffer.from(request), 'public')).toMatchObject({
      kind: 'certificate request',
      fits: false,
      why: expect.stringMatching(/certificate request.*openssl req -in FILE -pubkey/),
    });
    const commands = [
      `openssl req -x509 -key ${key} -subj '/CN=shop' -days 1`,
      // X.509 version 1, which has fewer parts.
      `openssl req -new -key ${key} -subj '/CN=shop' | openssl x509 -req -signkey ${key} -days 1`,
    ];
    for (const command of commands) {
      const text = shell(command);
      const bare = shell(
        'openssl x509 -pubkey -noout | openssl pkey -pubin -outform DER | openssl dgst -sha256 -r | cut -c1-64',
        text,
      );
      const unlabelled = text.replaceAll(/-----.*-----/g, '');
      expect(inspectKey(Buffer.from(unlabelled), 'public')).toMatchObject({
        kind: 'certificate',
        fingerprint: `SHA256:${bare}`,
      });
      expect(openPublicKey(Buffer.from(text))).toMatchObject({ key: { form: 'SPKI', fingerprint: `SHA256:${bare}` } });
    }
  });
});

describe('what paycli writes, openssl reads', { tags: 'openssl' }, () => {
  const wanted = () => opensslFingerprint(pem('test-rsa-2048.pkcs8'));

  test.each([
    ['PKCS#8', 'BEGIN PRIVATE KEY', privatePem(keyObject, 'pkcs8'), ''],
    ['PKCS#1', 'BEGIN RSA PRIVATE KEY', privatePem(keyObject, 'pkcs1'), ''],
    [
      'encrypted PKCS#8',
      'BEGIN ENCRYPTED PRIVATE KEY',
      privatePem(keyObject, 'pkcs8', new Secret(word)),
      `-passin 'pass:${word}'`,
    ],
    ['SPKI', 'BEGIN PUBLIC KEY', publicPem(keyObject, 'spki'), '-pubin'],
  ])('%s', (_, label, text, flags) => {
    expect(text).toContain(`-----${label}-----`);
    expect(opensslFingerprint(text, flags)).toBe(wanted());
  });

  test('public PKCS#1', () => {
    const text = publicPem(publicKey, 'pkcs1');
    expect(opensslFingerprint(shell('openssl rsa -RSAPublicKey_in -pubout', text), '-pubin')).toBe(wanted());
  });

  test('encrypted means AES-256-CBC under PBKDF2', () => {
    const listing = shell('openssl asn1parse', privatePem(keyObject, 'pkcs8', new Secret(word)));
    expect(listing).toMatch(/:PBES2.*:PBKDF2.*:hmacWithSHA256.*:aes-256-cbc/s);
  });
});
