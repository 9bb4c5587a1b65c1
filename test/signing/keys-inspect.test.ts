import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPaycliError } from '../../src/errors/index.js';
import { readPrivateKey, readPublicKey, Secret } from '../../src/signing/index.js';
import { inspectKey, openPrivateKey, openPublicKey } from '../../src/signing/keys/inspect-key.js';
import { keys, pem, vectorFolder } from './support.js';

const pkcs8 = pem('test-rsa-2048.pkcs8');
const pkcs1 = pem('test-rsa-2048.pkcs1');
const spki = pem('test-rsa-2048.public');
const body = pkcs8.split('\n').slice(1, -2);
const der = Buffer.from(body.join(''), 'base64');
const passphrase = new Secret(keys.passphrase);
const fingerprint = keys.private[0]?.fingerprint;

const number = (value: unknown) => Buffer.from(String(value), 'base64url').toString('base64');

/** As .NET's RSA.ToXmlString lays it out. */
function xmlOf(jwk: JsonWebKey): string {
  const names = [
    ['Modulus', 'n'],
    ['Exponent', 'e'],
    ['P', 'p'],
    ['Q', 'q'],
    ['DP', 'dp'],
    ['DQ', 'dq'],
  ] as const;
  const all = [...names, ['InverseQ', 'qi'], ['D', 'd']] as const;
  const parts = all.flatMap(([name, short]) =>
    jwk[short] === undefined ? [] : [`<${name}>${number(jwk[short])}</${name}>`],
  );
  return `<RSAKeyValue>${parts.join('')}</RSAKeyValue>`;
}

/** As `ssh-keygen -e -m RFC4716` writes it. */
const ssh2 = (body: string) =>
  `---- BEGIN SSH2 PUBLIC KEY ----\nComment: "2048-bit, of a shop"\n${body}\n---- END SSH2 PUBLIC KEY ----\n`;

const privateJwk = createPrivateKey(pkcs8).export({ format: 'jwk' });
const publicJwk = createPublicKey(spki).export({ format: 'jwk' });
const base64 = (text: string) => Buffer.from(text).toString('base64');

const bytesOf = (text: string | Uint8Array) => (typeof text === 'string' ? Buffer.from(text) : text);
const joined = (text: string, between: string) => text.trimEnd().replaceAll('\n', between);

/** True when the text is read for signing, in the way a key file is: UTF-8, without its byte order mark. */
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
  const cases: readonly (readonly [
    name: string,
    text: string | Uint8Array,
    flaws: readonly string[],
    fits: boolean,
  ])[] = [
    ['nothing odd', pkcs8, [], true],
    ['Windows line ends', joined(pkcs8, '\r\n'), ['windows-line-ends'], true],
    ['a byte order mark', `\ufeff${pkcs8}`, ['byte-order-mark'], true],
    ['quotes around', `"${pkcs8.trimEnd()}"`, ['quotes'], true],
    [
      'no line breaks in the Base64',
      `-----BEGIN PRIVATE KEY-----\n${body.join('')}\n-----END PRIVATE KEY-----`,
      ['long-lines'],
      true,
    ],
    ['remarks around it', `Bag Attributes: friendlyName: shop\n${pkcs8}end`, [], true],
    ['PKCS#8 labelled as PKCS#1', pkcs8.replaceAll(' PRIVATE', ' RSA PRIVATE'), ['wrong-label'], true],
    ['PKCS#1 labelled as PKCS#8', pkcs1.replaceAll(' RSA', ''), ['wrong-label'], false],
    ['another END line', pkcs8.replace('END PRIVATE', 'END RSA PRIVATE'), ['wrong-label'], false],
    ['escaped line breaks', joined(pkcs8, '\\n'), ['escaped-line-breaks'], false],
    ['escaped Windows line ends', joined(pkcs8, '\\r\\n'), ['escaped-line-breaks'], false],
    ['a line of an .env file', `RSA_KEY="${joined(pkcs8, '\\n')}\\n"\n`, ['quotes', 'escaped-line-breaks'], false],
    ['JSON in JSON', JSON.stringify(JSON.stringify({ key: pkcs8 })), ['quotes', 'escaped-line-breaks'], false],
    ['blanks for line breaks', joined(pkcs8, ' '), ['one-line'], false],
    ['nothing for line breaks', joined(pkcs8, ''), ['one-line'], false],
    ['blank lines', joined(pkcs8, '\n\n'), ['blank-lines'], false],
    ['only the Base64', body.join('\n'), ['missing-header', 'missing-footer'], false],
    ['only the Base64, quoted', `'${body.join('')}'`, ['quotes', 'missing-header', 'missing-footer'], false],
    ['dashes lost', pkcs8.replaceAll('-----', '---'), ['missing-header', 'missing-footer'], false],
    ['no first line', pkcs8.replace(/^.*\n/, ''), ['missing-header'], false],
    ['no last line', pkcs8.replace(/\n.*\n$/, ''), ['missing-footer'], false],
    ['UTF-16', Buffer.from(`\ufeff${pkcs8}`, 'utf16le'), ['utf-16'], false],
    ['DER', der, ['der'], false],
    ['a JSON Web Key', JSON.stringify(privateJwk), ['jwk'], false],
    [
      'one laid out, with more in it',
      `\n${JSON.stringify({ kid: '1', use: 'sig', ...privateJwk }, null, 2)}\n`,
      ['jwk'],
      false,
    ],
    ['a set of one', JSON.stringify({ keys: [privateJwk] }), ['jwk'], false],
    ['XML of .NET', xmlOf(privateJwk), ['xml'], false],
    [
      'XML with a head and line breaks',
      `<?xml version="1.0"?>\r\n${xmlOf(privateJwk).replaceAll('><', '>\r\n  <')}`,
      ['xml'],
      false,
    ],
    ['PEM in Base64', base64(pkcs8), ['base64-of-pem'], false],
    ['PEM in lines of Base64', base64(pkcs8).replace(/.{76}/g, '$&\n'), ['base64-of-pem'], false],
    [
      'PKCS#1 in Base64, with Windows line ends',
      base64(joined(pkcs1, '\r\n')),
      ['base64-of-pem', 'windows-line-ends'],
      false,
    ],
  ];

  test.each(cases)('%s', (_, text, flaws, fits) => {
    const bytes = bytesOf(text);
    const seen = inspectKey(bytes, 'private');
    expect(seen).toMatchObject({ kind: 'private key', algorithm: 'RSA', bits: 2048, fingerprint, flaws, fits });
    expect(seen.mend).toBe(fits ? undefined : 'rewrite');
    expect(seen.why === undefined).toBe(fits);
    expect(isRead(bytes)).toBe(fits);
    expect(openPrivateKey(bytes)).toMatchObject({ key: { bits: 2048, fingerprint } });
  });

  test.each(['PKCS#1', 'PKCS#8'])('encrypted %s, one line of an .env file', (form) => {
    const text = joined(pem(`test-rsa-2048.${form.replace('#', '').toLowerCase()}-encrypted`), '\\n');
    const locked = inspectKey(Buffer.from(text), 'private');
    expect(locked).toMatchObject({
      form: `encrypted ${form}`,
      isLocked: true,
      fits: false,
      mend: 'rewrite',
      fingerprint: undefined,
    });
    expect(inspectKey(Buffer.from(text), 'private', passphrase)).toMatchObject({
      fingerprint,
      isLocked: false,
      fits: false,
      mend: 'rewrite',
    });
    expect(openPrivateKey(Buffer.from(text), passphrase)).toMatchObject({ key: { fingerprint } });
  });

  test('the reader names what is odd, and the way out', () => {
    expect(() => readPrivateKey(joined(pkcs8, '\\n'))).toThrow(
      /line breaks are written out as \\n; `paycli keys convert/,
    );
    expect(() => readPrivateKey(body.join('\n'))).toThrow(/-----BEGIN line is missing.*`paycli keys convert/);
    expect(() => readPrivateKey(joined(spki, '\\n'))).toThrow(/public key, but signing needs a private key/);
    expect(() => readPrivateKey(JSON.stringify(privateJwk))).toThrow(/JSON Web Key.*`paycli keys convert/);
    expect(() => readPrivateKey(JSON.stringify({ keys: [privateJwk, privateJwk] }))).toThrow(/several keys/);
    expect(() => readPublicKey(xmlOf(privateJwk))).toThrow(/private key, which must not be shared/);
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
    (text) => text.replaceAll(/^/gm, '  '),
    (text) => JSON.stringify(text),
    (text) => text.slice(0, 900),
    (text) => text + text,
  ];
  fc.assert(
    fc.property(fc.constantFrom(...files), fc.array(fc.constantFrom(...dress), { maxLength: 3 }), (file, steps) => {
      const bytes = Buffer.from(steps.reduce((text, step) => step(text), file));
      const seen = inspectKey(bytes, 'private', passphrase);
      expect(seen.fits).toBe(isRead(bytes));
      if (seen.mend === 'rewrite') expect(openPrivateKey(bytes, passphrase)).toHaveProperty('key');
    }),
  );
});

describe('what does not sign', () => {
  const others: readonly (readonly [name: string, text: string | Uint8Array, expected: object, why: RegExp])[] = [
    [
      'a public key',
      spki,
      { kind: 'public key', form: 'SPKI', algorithm: 'RSA', bits: 2048, fingerprint },
      /public key, but signing needs a private/,
    ],
    [
      'a PKCS#1 public key',
      pem('test-rsa-2048.public-pkcs1'),
      { kind: 'public key', form: 'PKCS#1', fingerprint },
      /public key/,
    ],
    [
      'a certificate',
      pem('test-rsa-2048.certificate'),
      { kind: 'certificate', form: 'X.509', algorithm: 'RSA', fingerprint },
      /certificate/,
    ],
    [
      'an elliptic-curve key',
      pem('test-ec-p256.pkcs8'),
      { form: 'PKCS#8', algorithm: 'EC', curve: 'prime256v1' },
      /elliptic-curve/,
    ],
    [
      'the same in SEC1',
      pem('test-ec-p256.sec1'),
      { kind: 'private key', form: 'SEC1', algorithm: 'EC' },
      /elliptic-curve/,
    ],
    ['an Ed25519 key', pem('test-ed25519.pkcs8'), { algorithm: 'Ed25519' }, /Ed25519/],
    ['an RSA-PSS key', pem('test-rsa-pss-2048.pkcs8'), { algorithm: 'RSA-PSS', bits: 2048 }, /RSA-PSS/],
    ['a DSA key', pem('test-dsa-2048.pkcs8'), { algorithm: 'DSA' }, /DSA/],
    ['an OpenSSH key', pem('test-openssh-rsa-2048'), { kind: 'private key', form: 'OpenSSH' }, /OpenSSH.*ssh-keygen/],
    [
      'an OpenSSH public key',
      'ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB shop',
      { kind: 'public key', form: 'OpenSSH' },
      /public key/,
    ],
    [
      'an OpenSSH key of Ed25519',
      pem('test-openssh-ed25519'),
      { kind: 'private key', form: 'OpenSSH' },
      /SSH key of another type, but an RSA/,
    ],
    [
      'an OpenSSH public key of Ed25519',
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI shop',
      { kind: 'public key' },
      /public key/,
    ],
    ['a PuTTY key of Ed25519', 'PuTTY-User-Key-File-3: ssh-ed25519\n', { form: 'PuTTY' }, /another type, but an RSA/],
    ['an SSH2 public key', ssh2('AAAAB3NzaC1yc2EAAAADAQABAAABAQCVjwiK'), { form: 'RFC 4716' }, /public key/],
    [
      'a public JSON Web Key',
      JSON.stringify(publicJwk),
      { kind: 'public key', form: 'SPKI', encoding: 'JWK', fingerprint },
      /public key, but signing needs/,
    ],
    [
      'public XML of .NET',
      xmlOf(publicJwk),
      { kind: 'public key', encoding: 'XML', fingerprint },
      /public key, but signing needs/,
    ],
    [
      'an elliptic-curve JSON Web Key',
      JSON.stringify(createPrivateKey(pem('test-ec-p256.pkcs8')).export({ format: 'jwk' })),
      { algorithm: 'EC' },
      /elliptic-curve/,
    ],
    [
      'a JSON Web Key without its primes',
      JSON.stringify({ ...privateJwk, p: undefined }),
      { kind: 'private key', form: 'JWK' },
      /not a complete RSA key in JWK/,
    ],
    [
      'a secret JSON Web Key',
      '{"kty":"oct","k":"c2VjcmV0LXNlY3JldC1zZWNyZXQ"}',
      { kind: 'symmetric key', form: 'oct', encoding: 'JWK' },
      /a symmetric key \(type oct\)/,
    ],
    [
      'XML without a modulus',
      '<RSAKeyValue><Exponent>AQAB</Exponent></RSAKeyValue>',
      { form: 'XML' },
      /not a complete RSA key in XML/,
    ],
    [
      'a set of two',
      JSON.stringify({ keys: [privateJwk, publicJwk] }),
      { kind: 'several', blocks: ['private key (JWK)', 'public key (JWK)'] },
      /several keys/,
    ],
    ['JSON of something else', '{"note":"no key of any kind here"}', { kind: 'unknown' }, /not PEM/],
    ['a PuTTY key', 'PuTTY-User-Key-File-3: ssh-rsa\n', { kind: 'private key', form: 'PuTTY' }, /puttygen/],
    ['1024 bits', pem('test-rsa-1024.pkcs8'), { algorithm: 'RSA', bits: 1024 }, /1024 bits.*2048/],
    ['two keys', pkcs8 + spki, { kind: 'several', blocks: ['private key (PKCS#8)', 'public key (SPKI)'] }, /several/],
    ['a control key', '5F7C1D2E-88B4-4E21-9A0C-33D1E6B0A7F4\n', { kind: 'control key' }, /control key/],
    ['a control key in hex', '5f7c1d2e88b44e219a0c33d1e6b0a7f4', { kind: 'control key' }, /control key/],
    ['nothing', '', { kind: 'unknown' }, /empty/],
    ['a letter', 'Dear support,', { kind: 'unknown', encoding: 'text' }, /not PEM/],
    ['bytes', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]), { kind: 'unknown', encoding: 'binary' }, /neither text nor/],
    ['a key cut short', pkcs8.slice(0, 800), { kind: 'private key', fingerprint: undefined }, /truncated/],
    ['DER cut short', der.subarray(0, 500), { kind: 'unknown', encoding: 'binary' }, /neither text nor/],
  ];

  test.each(others)('%s', (_, text, expected, why) => {
    const seen = inspectKey(bytesOf(text), 'private');
    expect(seen).toMatchObject({ ...expected, fits: false, why: expect.stringMatching(why), mend: undefined });
    expect(isRead(bytesOf(text))).toBe(false);
  });

  test('nothing that is said repeats any of the text', () => {
    for (const [, text] of others) {
      const said = JSON.stringify([
        inspectKey(bytesOf(text), 'private'),
        inspectKey(bytesOf(text), 'public'),
        openPrivateKey(bytesOf(text)),
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
    ['SPKI', spki, []],
    ['PKCS#1', pem('test-rsa-2048.public-pkcs1'), []],
    ['SPKI with Windows line ends', joined(spki, '\r\n'), ['windows-line-ends']],
  ])('%s fits', (_, text, flaws) => {
    expect(inspectKey(Buffer.from(text), 'public')).toMatchObject({
      kind: 'public key',
      fits: true,
      fingerprint,
      flaws,
      mend: undefined,
    });
  });

  test.each([
    ['a certificate', pem('test-rsa-2048.certificate'), /certificate/, 'take-public'],
    ['a private key', pkcs8, /private key, which must not be shared/, 'take-public'],
    ['an .env line', joined(spki, '\\n'), /line breaks/, 'rewrite'],
    ['a JSON Web Key', JSON.stringify(publicJwk), /JSON Web Key/, 'rewrite'],
    ['XML of .NET', xmlOf(publicJwk), /XML/, 'rewrite'],
    ['PEM in Base64', base64(spki), /Base64 once more/, 'rewrite'],
    ['a private JSON Web Key', JSON.stringify(privateJwk), /private key, which must not be shared/, 'take-public'],
    ['1024 bits', pem('test-rsa-1024.public'), /1024/, undefined],
    ['an SSH2 key', ssh2('AAAAB3NzaC1yc2EAAAADAQABAAABAQCVjwiK'), /ssh-keygen -i -f FILE > NEW\.pub/, undefined],
    ['an SSH2 key of Ed25519', ssh2('AAAAC3NzaC1lZDI1NTE5AAAAIFErJGGx'), /another type, but an RSA/, undefined],
  ])('%s does not', (_, text, why, mend) => {
    const seen = inspectKey(Buffer.from(text), 'public');
    expect(seen).toMatchObject({ fits: false, why: expect.stringMatching(why), mend });
    expect('key' in openPublicKey(Buffer.from(text))).toBe(mend !== undefined && !/private/.test(why.source));
  });
});
