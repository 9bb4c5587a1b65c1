import { createPublicKey, createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPaycliError } from '../../src/errors/index.js';
import {
  keyFingerprint,
  readPrivateKey,
  readPublicKey,
  Secret,
  signRsaSha256,
  verifyRsaSha256,
} from '../../src/signing/index.js';
import { inspectKey } from '../../src/signing/keys/inspect-key.js';
import { privatePem, publicPem, tryPrivateKey, tryPublicKey } from '../../src/signing/keys/rsa-keys.js';
import { keys, pem, shell, vectorFolder } from './support.js';

const pkcs8 = pem('test-rsa-2048.pkcs8');
const pkcs1 = pem('test-rsa-2048.pkcs1');
const spki = pem('test-rsa-2048.public');
const body = pkcs8.split('\n').slice(1, -2);
const der = Buffer.from(body.join(''), 'base64');
const passphrase = new Secret(keys.passphrase);
const fingerprint = keys.private[0]?.fingerprint;
const refusal = (source: string, why: RegExp) =>
  expect.objectContaining({ code: 'KEY_UNUSABLE', facts: { source, why: expect.stringMatching(why) } });

const base64 = (text: string) => Buffer.from(text).toString('base64');
const bytesOf = (text: string | Uint8Array) => (typeof text === 'string' ? Buffer.from(text) : text);
const joined = (text: string, between: string) => text.trimEnd().replaceAll('\n', between);

describe('a private key', () => {
  test.each(['pkcs8', 'pkcs1'])('encrypted as %s wants its passphrase', (form) => {
    const text = pem(`test-rsa-2048.${form}-encrypted`);
    expect(() => readPrivateKey(text)).toThrow(refusal('private', /no passphrase/));
    expect(() => readPrivateKey(text, '')).toThrow(refusal('private', /no passphrase/));
    expect(() => readPrivateKey(text, 'wrong')).toThrow(refusal('private', /passphrase is wrong/));
    expect(readPrivateKey(text, new Secret(keys.passphrase)).form).toMatch(/^encrypted /);
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

/** True when the text is read for signing, in the way a key file is: UTF-8. */
function isRead(bytes: Uint8Array): boolean {
  try {
    readPrivateKey(new TextDecoder('utf-8', { fatal: true }).decode(bytes), passphrase);
    return true;
  } catch (error) {
    if (!isPaycliError(error) && !(error instanceof TypeError)) throw error;
    return false;
  }
}

describe('a good key, oddly written', () => {
  test.each<[string, string | Uint8Array]>([
    ['Windows line ends', joined(pkcs8, '\r\n')],
    ['a byte order mark', `\ufeff${pkcs8}`],
    ['quotes around', `"${pkcs8.trimEnd()}"`],
    ['no line breaks in the Base64', `-----BEGIN PRIVATE KEY-----\n${body.join('')}\n-----END PRIVATE KEY-----`],
    ['PKCS#8 labelled as PKCS#1', pkcs8.replaceAll(' PRIVATE', ' RSA PRIVATE')],
    ['PKCS#1 labelled as PKCS#8', pkcs1.replaceAll(' RSA', '')],
    ['escaped line breaks', joined(pkcs8, '\\n')],
    ['a line of an .env file', `RSA_KEY="${joined(pkcs8, '\\n')}\\n"\n`],
    ['blanks for line breaks', joined(pkcs8, ' ')],
    ['only the Base64', body.join('\n')],
    ['dashes lost', pkcs8.replaceAll('-----', '---')],
    ['no last line', pkcs8.replace(/\n.*\n$/, '')],
    ['DER', der],
    ['PEM in Base64', base64(pkcs8)],
  ])('%s', (_, text) => {
    const bytes = bytesOf(text);
    const seen = inspectKey(bytes, 'private');
    expect(seen).toMatchObject({ kind: 'private key', algorithm: 'RSA', bits: 2048, fingerprint });
    expect(seen.mend).toBe(seen.fits ? undefined : 'rewrite');
    expect(isRead(bytes)).toBe(seen.fits);
    // Neither is text as a key file is read.
    expect(seen.fits).toBe(typeof text === 'string');
    expect(tryPrivateKey(bytes)).toMatchObject({ key: { bits: 2048, fingerprint } });
  });

  test.each(['PKCS#1', 'PKCS#8'])('encrypted %s, one line of an .env file', (form) => {
    const text = joined(pem(`test-rsa-2048.${form.replace('#', '').toLowerCase()}-encrypted`), '\\n');
    const locked = inspectKey(Buffer.from(text), 'private');
    expect(locked).toMatchObject({ form: `encrypted ${form}`, isLocked: true, fits: false, fingerprint: undefined });
    const opened = inspectKey(Buffer.from(text), 'private', passphrase);
    expect(opened).toMatchObject({ fingerprint, isLocked: false, fits: true });
    expect(readPrivateKey(text, passphrase).fingerprint).toBe(fingerprint);
  });
});

test('fits exactly when it can be read for signing, whatever was done to it', () => {
  const files = [...keys.private, ...keys.public].map(({ file }) =>
    readFileSync(`${vectorFolder}/keys/${file}`, 'utf8'),
  );
  const dress: readonly ((text: string) => string)[] = [
    (text) => joined(text, '\\n'),
    (text) => joined(text, '\r\n'),
    (text) => joined(text, ' '),
    (text) => `"${text}"`,
    (text) => `\ufeff${text}`,
    (text) => text.replaceAll(/-----BEGIN [A-Z ]+-----/g, ''),
    (text) => text.replaceAll(/-----END [A-Z ]+-----/g, ''),
    (text) => text.replaceAll('RSA ', ''),
    (text) => text.slice(0, 900),
    (text) => text + text,
  ];
  fc.assert(
    fc.property(fc.constantFrom(...files), fc.array(fc.constantFrom(...dress), { maxLength: 3 }), (file, steps) => {
      const bytes = Buffer.from(steps.reduce((text, step) => step(text), file));
      const seen = inspectKey(bytes, 'private', passphrase);
      expect(seen.fits).toBe(isRead(bytes));
    }),
  );
});

describe('what does not sign', () => {
  const open = { kind: 'public key', fingerprint };
  const others: readonly (readonly [name: string, text: string | Uint8Array, expected: object, why: RegExp])[] = [
    ['a public key', spki, { ...open, form: 'SPKI', algorithm: 'RSA', bits: 2048 }, /signing needs a private/],
    ['a certificate', pem('test-rsa-2048.certificate'), { kind: 'certificate', form: 'X.509', fingerprint }, /certif/],
    ['an elliptic curve', pem('test-ec-p256.pkcs8'), { algorithm: 'EC', curve: 'prime256v1' }, /elliptic-curve/],
    ['an OpenSSH key', pem('test-openssh-rsa-2048'), { kind: 'private key', form: 'OpenSSH' }, /OpenSSH.*ssh-keygen/],
    ['a PuTTY key', 'PuTTY-User-Key-File-3: ssh-rsa\n', { kind: 'private key', form: 'PuTTY' }, /puttygen/],
    ['1024 bits', pem('test-rsa-1024.pkcs8'), { algorithm: 'RSA', bits: 1024 }, /1024 bits.*2048/],
    ['two keys', pkcs8 + spki, { kind: 'unknown' }, /several/],
    ['an Ed25519 key', pem('test-ed25519.pkcs8'), { algorithm: 'Ed25519' }, /Ed25519/],
    ['an RSA-PSS key', pem('test-rsa-pss-2048.pkcs8'), { algorithm: 'RSA-PSS', bits: 2048 }, /RSA-PSS/],
    ['damaged Base64', pkcs8.replace(/\n[^\n]+\n/, '\nAAAA\n'), { kind: 'private key' }, /damaged/],
    ['a control key', '5F7C1D2E-88B4-4E21-9A0C-33D1E6B0A7F4\n', { kind: 'control key' }, /control key/],
    ['nothing', '', { kind: 'unknown' }, /empty/],
    ['bytes', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]), { kind: 'unknown', encoding: 'binary' }, /neither text nor/],
    ['a key cut short', pkcs8.slice(0, 800), { kind: 'private key', fingerprint: undefined }, /truncated/],
  ];

  test.each(others)('%s', (_, text, expected, why) => {
    const seen = inspectKey(bytesOf(text), 'private');
    expect(seen).toMatchObject({ ...expected, fits: false, why: expect.stringMatching(why), mend: undefined });
    expect(isRead(bytesOf(text))).toBe(false);
    if (typeof text === 'string')
      expect(() => readPrivateKey(text, undefined, 'live.pem')).toThrow(refusal('live.pem', why));
  });

  test('nothing that is said repeats any of the text', () => {
    for (const [, text] of others) {
      const said = JSON.stringify([
        inspectKey(bytesOf(text), 'private'),
        inspectKey(bytesOf(text), 'public'),
        tryPrivateKey(bytesOf(text)),
      ]);
      const lines = bytesOf(text)
        .toString()
        .split('\n')
        .filter((line) => line.length > 20 && !line.startsWith('-----'));
      for (const line of lines) expect(said).not.toContain(line.trim().slice(0, 20));
    }
  });
});

describe('as the public half', () => {
  test.each([
    ['SPKI', spki],
    ['PKCS#1', pem('test-rsa-2048.public-pkcs1')],
    ['a line of an .env file', joined(spki, '\\n')],
    ['PEM in Base64', base64(spki)],
  ])('%s fits', (_, text) => {
    const seen = inspectKey(Buffer.from(text), 'public');
    expect(seen).toMatchObject({ kind: 'public key', fits: true, fingerprint, mend: undefined });
    expect(readPublicKey(text).fingerprint).toBe(fingerprint);
  });

  test.each([
    ['a certificate', pem('test-rsa-2048.certificate'), /certificate/, 'take-public'],
    ['a private key', pkcs8, /private key, which must not be shared/, 'take-public'],
    ['an encrypted private key', pem('test-rsa-2048.pkcs8-encrypted'), /private key/, undefined],
    ['1024 bits', pem('test-rsa-1024.public'), /1024/, undefined],
  ])('%s does not', (_, text, why, mend) => {
    const seen = inspectKey(Buffer.from(text), 'public');
    expect(seen).toMatchObject({ fits: false, why: expect.stringMatching(why), mend });
    expect(() => readPublicKey(text, 'shop')).toThrow(refusal('shop', why));
    // Of a certificate the key it is about can be taken.
    expect('key' in tryPublicKey(Buffer.from(text))).toBe(/certificate/.test(why.source));
  });
});

describe('signing with a key already read', () => {
  test('refuses the wrong half, and keys that are not asymmetric', () => {
    expect(() => signRsaSha256('text', createPublicKey(keyObject))).toThrow(refusal('private', /public key/));
    expect(() => verifyRsaSha256('text', '', keyObject)).toThrow(refusal('public', /private key/));
    expect(() => signRsaSha256('text', createSecretKey(Buffer.from('x')))).toThrow(refusal('private', /secret key/));
  });
});

test('a control key is known by eight characters', () => {
  // printf %s 5F7C1D2E-88B4-4E21-9A0C-33D1E6B0A7F4 | openssl dgst -sha256 -mac HMAC -macopt key:'paycli control key
  // fingerprint 1' -r | cut -c1-8
  expect(keyFingerprint('5F7C1D2E-88B4-4E21-9A0C-33D1E6B0A7F4')).toBe('9a44ef7d');
});

const key = 'keys/test-rsa-2048.pkcs8.pem';
const word = 'a passphrase';
const pass = `-passout 'pass:${word}'`;
const old = '-provider legacy -provider default';
const { keyObject } = readPrivateKey(pkcs8);
const publicKey = readPublicKey(spki).keyObject;

/** The fingerprint by hand, of the private or public key in PEM on standard input. */
const opensslFingerprint = (text: string, flags = '') =>
  `SHA256:${shell(`openssl pkey ${flags} -pubout -outform DER | openssl dgst -sha256 -r | cut -c1-64`, text)}`;

describe('what openssl writes is read', { tags: 'openssl' }, () => {
  test.each([
    ['PKCS#8', `openssl pkey -in ${key}`],
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

  test('a certificate names the key it is about; a request for one is told from it', () => {
    const request = shell(`openssl req -new -key ${key} -subj '/CN=shop'`);
    expect(inspectKey(Buffer.from(request), 'public')).toMatchObject({
      kind: 'certificate request',
      fits: false,
      why: expect.stringMatching(/certificate request.*openssl req -in FILE -pubkey/),
    });
    // X.509 version 1, which has fewer parts.
    const text = shell(`openssl req -new -key ${key} -subj '/CN=shop' | openssl x509 -req -signkey ${key} -days 1`);
    const unlabelled = text.replaceAll(/-----.*-----/g, '');
    expect(inspectKey(Buffer.from(unlabelled), 'public')).toMatchObject({ kind: 'certificate', fingerprint });
    expect(tryPublicKey(Buffer.from(text))).toMatchObject({ key: { form: 'X.509', fingerprint } });
  });
});

describe('what paycli writes, openssl reads', { tags: 'openssl' }, () => {
  const wanted = () => opensslFingerprint(pem('test-rsa-2048.pkcs8'));

  test.each([
    ['PKCS#8', 'BEGIN PRIVATE KEY', privatePem(keyObject), ''],
    [
      'encrypted PKCS#8',
      'BEGIN ENCRYPTED PRIVATE KEY',
      privatePem(keyObject, new Secret(word)),
      `-passin 'pass:${word}'`,
    ],
    ['SPKI', 'BEGIN PUBLIC KEY', publicPem(keyObject), '-pubin'],
  ])('%s', (_, label, text, flags) => {
    expect(text).toContain(`-----${label}-----`);
    expect(opensslFingerprint(text, flags)).toBe(wanted());
  });

  test('encrypted means AES-256-CBC under PBKDF2', () => {
    const listing = shell('openssl asn1parse', privatePem(keyObject, new Secret(word)));
    expect(listing).toMatch(/:PBES2.*:PBKDF2.*:hmacWithSHA256.*:aes-256-cbc/s);
  });
});
