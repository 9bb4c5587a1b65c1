import { describe, expect, test } from 'vitest';
import { readPrivateKey, readPublicKey, Secret, signRsaSha256, verifyRsaSha256 } from '../../src/signing/index.js';
import { inspectKey, openPublicKey } from '../../src/signing/keys/inspect-key.js';
import { privatePem, publicPem } from '../../src/signing/keys/rsa-keys.js';
import { oneIn } from '../support/every.js';
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
  test.each<readonly [string, string, string | undefined]>(
    oneIn(
      4,
      [
        ['PKCS#8', `openssl pkey -in ${key}`, undefined],
        ['PKCS#1', `openssl rsa -traditional -in ${key}`, undefined],
        ['encrypted PKCS#8', `openssl pkcs8 -topk8 -v2 aes-128-cbc ${pass} -in ${key}`, 'AES-128-CBC PBKDF2'],
        ['encrypted PKCS#8', `openssl pkcs8 -topk8 -v2 aes-192-cbc ${pass} -in ${key}`, 'AES-192-CBC PBKDF2'],
        [
          'encrypted PKCS#8',
          `openssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA512 ${pass} -in ${key}`,
          'AES-256-CBC PBKDF2',
        ],
        ['encrypted PKCS#8', `openssl pkcs8 -topk8 -v2 des3 ${pass} -in ${key}`, 'DES-EDE3-CBC PBKDF2'],
        ['encrypted PKCS#8', `openssl pkcs8 -topk8 -v2 camellia-256-cbc ${pass} -in ${key}`, 'CAMELLIA-256-CBC PBKDF2'],
        ['encrypted PKCS#8', `openssl pkcs8 -topk8 -v2 aria-256-cbc ${pass} -in ${key}`, 'ARIA-256-CBC PBKDF2'],
        ['encrypted PKCS#8', `openssl pkcs8 -topk8 -scrypt ${pass} -in ${key}`, 'AES-256-CBC scrypt'],
        [
          'encrypted PKCS#8',
          `openssl pkcs8 -topk8 -v1 PBE-SHA1-3DES ${pass} -in ${key}`,
          'DES-EDE3-CBC PKCS#12 with SHA-1',
        ],
        ['encrypted PKCS#1', `openssl rsa -traditional -aes256 ${pass} -in ${key}`, 'AES-256-CBC one round of MD5'],
        ['encrypted PKCS#1', `openssl rsa -traditional -aes128 ${pass} -in ${key}`, 'AES-128-CBC one round of MD5'],
        ['encrypted PKCS#1', `openssl rsa -traditional -des3 ${pass} -in ${key}`, 'DES-EDE3-CBC one round of MD5'],
      ],
      0,
    ),
  )('%s: %s', (form, command, encryption) => {
    const text = shell(command);
    const read = readPrivateKey(text, word);
    expect(read).toMatchObject({ form, fingerprint: opensslFingerprint(text, `-passin 'pass:${word}'`) });
    expect(verifyRsaSha256('text', signRsaSha256('text', read.keyObject), publicKey)).toBe(true);
    const seen = inspectKey(Buffer.from(text), 'private', new Secret(word));
    expect(seen).toMatchObject({ form, fits: true, fingerprint: read.fingerprint });
    expect(seen.encryption && `${seen.encryption.cipher} ${seen.encryption.derivation}`).toBe(encryption);
  });

  test.each(
    oneIn(
      3,
      [
        ['DES-CBC PBES1 with MD5', `openssl pkcs8 -topk8 -v1 PBE-MD5-DES ${old} ${pass} -in ${key}`],
        ['RC2-40-CBC PKCS#12 with SHA-1', `openssl pkcs8 -topk8 -v1 PBE-SHA1-RC2-40 ${old} ${pass} -in ${key}`],
        ['DES-CBC one round of MD5', `openssl rsa -traditional -des ${old} ${pass} -in ${key}`],
      ],
      0,
    ),
  )('but not %s, which is called too old', (encryption, command) => {
    const text = shell(command);
    expect(() => readPrivateKey(text, word)).toThrow(/too old.*openssl pkey -provider legacy/);
    const seen = inspectKey(Buffer.from(text), 'private', new Secret(word));
    expect(seen).toMatchObject({ fits: false, why: expect.stringMatching(/too old/) });
    expect(`${seen.encryption?.cipher} ${seen.encryption?.derivation}`).toBe(encryption);
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

  test('a certificate and its request name the key they are about', () => {
    const request = shell(`openssl req -new -key ${key} -subj '/CN=shop'`);
    const fingerprint = `SHA256:${shell(
      'openssl req -pubkey -noout | openssl pkey -pubin -outform DER | openssl dgst -sha256 -r | cut -c1-64',
      request,
    )}`;
    expect(inspectKey(Buffer.from(request), 'private')).toMatchObject({
      kind: 'certificate request',
      algorithm: 'RSA',
      fingerprint,
      fits: false,
      why: expect.stringMatching(/certificate request/),
    });
    expect(openPublicKey(Buffer.from(request))).toMatchObject({ key: { form: 'SPKI', fingerprint } });
    expect(inspectKey(Buffer.from(request), 'public')).toMatchObject({ mend: 'take-public' });
    const curve = shell("openssl req -new -key keys/test-ec-p256.pkcs8.pem -subj '/CN=shop'");
    expect(inspectKey(Buffer.from(curve), 'public')).toMatchObject({
      mend: undefined,
      why: 'it is a certificate request for a key of type EC, but an RSA key is required',
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

  test('a PKCS#12 bundle is known as one', () => {
    const bundle = `openssl pkcs12 -export -inkey ${key} -in keys/test-rsa-2048.certificate.pem ${pass} | base64`;
    const der = Buffer.from(shell(bundle), 'base64');
    expect(inspectKey(der, 'private')).toMatchObject({
      kind: 'key bundle',
      form: 'PKCS#12',
      fits: false,
      why: expect.stringMatching(/PKCS#12/),
    });
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
