import { constants, createHash, type KeyObject, privateDecrypt, privateEncrypt, publicDecrypt } from 'node:crypto';
import { percentEncode } from '../../wire/form.js';
import type { Mistake, OauthCase, OauthMistakeName } from './diagnosis.js';

/** A way to write the bytes of a signature that is not plain Base64. */
interface SignatureEncoding {
  readonly variant: string;
  readonly detail: string;
  readonly write: (bytes: Buffer) => string;
  readonly read: (text: string) => Buffer;
}

const base64 = (bytes: Buffer) => bytes.toString('base64');
const fromBase64 = (text: string) => Buffer.from(text, 'base64');
const inLines = (text: string, length: number, end: string) =>
  (text.match(new RegExp(`.{1,${length}}`, 'g')) ?? []).join(end);

export const signatureEncodings: readonly SignatureEncoding[] = [
  {
    variant: 'hex',
    detail: 'written in hexadecimal',
    write: (bytes) => bytes.toString('hex'),
    read: (text) => Buffer.from(text, 'hex'),
  },
  {
    variant: 'hex-upper',
    detail: 'written in upper-case hexadecimal',
    write: (bytes) => bytes.toString('hex').toUpperCase(),
    read: (text) => Buffer.from(text, 'hex'),
  },
  {
    variant: 'hex-in-base64',
    detail: 'written as Base64 of hexadecimal',
    write: (bytes) => base64(Buffer.from(bytes.toString('hex'))),
    read: (text) => Buffer.from(fromBase64(text).toString('latin1'), 'hex'),
  },
  {
    variant: 'hex-upper-in-base64',
    detail: 'written as Base64 of upper-case hexadecimal',
    write: (bytes) => base64(Buffer.from(bytes.toString('hex').toUpperCase())),
    read: (text) => Buffer.from(fromBase64(text).toString('latin1'), 'hex'),
  },
  {
    variant: 'url-safe',
    detail: 'written as URL-safe Base64, with - and _',
    write: (bytes) => bytes.toString('base64url'),
    read: fromBase64,
  },
  {
    variant: 'url-safe-padded',
    detail: 'written as URL-safe Base64, with - and _',
    write: (bytes) => base64(bytes).replaceAll('+', '-').replaceAll('/', '_'),
    read: fromBase64,
  },
  {
    variant: 'no-padding',
    detail: 'written without the = at the end',
    write: (bytes) => base64(bytes).replace(/=+$/, ''),
    read: fromBase64,
  },
  {
    variant: 'base64-twice',
    detail: 'written as Base64 twice',
    write: (bytes) => base64(Buffer.from(base64(bytes))),
    read: (text) => fromBase64(fromBase64(text).toString('latin1')),
  },
  {
    variant: 'percent-encoded',
    detail: 'already percent-encoded',
    write: (bytes) => percentEncode(base64(bytes)),
    read: percentDecoded(1),
  },
  {
    variant: 'percent-encoded-twice',
    detail: 'percent-encoded twice',
    write: (bytes) => percentEncode(percentEncode(base64(bytes))),
    read: percentDecoded(2),
  },
  {
    variant: 'line-end',
    detail: 'written with a trailing line break',
    write: (bytes) => `${base64(bytes)}\n`,
    read: fromBase64,
  },
  {
    variant: 'line-end',
    detail: 'written with a trailing line break',
    write: (bytes) => `${base64(bytes)}\r\n`,
    read: fromBase64,
  },
  ...[64, 76].flatMap((length) =>
    ['\n', '\r\n'].map((end) => ({
      variant: 'lines',
      detail: `broken into lines of ${length} characters`,
      write: (bytes: Buffer) => inLines(base64(bytes), length, end),
      read: fromBase64,
    })),
  ),
];

function percentDecoded(times: number): SignatureEncoding['read'] {
  return (text) => {
    // What is no such escape comes out as it went in, and then does not fit.
    const once = (encoded: string) => encoded.replace(/%(2[BF]|3D|25)/g, (written) => decodeURIComponent(written));
    return fromBase64(times === 2 ? once(once(text)) : once(text));
  };
}

// RFC 8017 9.2, note 1: what stands before a hash to name it.
const digestInfoPrefixes: Readonly<Record<string, string>> = {
  md5: '3020300c06082a864886f70d020505000410',
  sha1: '3021300906052b0e03021a05000414',
  sha224: '302d300d06096086480165030402040500041c',
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
};

/** A hash with its name, as it stands in a signature. */
export function digestInfo(hash: string, input: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(digestInfoPrefixes[hash] ?? '', 'hex'), createHash(hash).update(input).digest()]);
}

/**
 * What a PKCS#1 v1.5 signature carries behind its padding (RFC 8017 8.2.2); undefined for other padding, another
 * length, and what is no plain Base64. One opening serves for any number of texts, unlike a verification.
 */
export function recoverDigestInfo(publicKey: KeyObject, signature: string): Buffer | undefined {
  return removePadding(
    signature,
    (bytes) => publicDecrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, bytes),
    /^0001(?:ff){8,}00/,
  );
}

/** What was encrypted with the public key, as PKCS#1 v1.5 or OAEP have it. */
export function decryptWith(privateKey: KeyObject, signature: string): Buffer | undefined {
  const plain = removePadding(
    signature,
    (bytes) => privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, bytes),
    /^0002(?:(?!00)..){8,}?00/,
  );
  return (
    plain ??
    removePadding(
      signature,
      (bytes) => privateDecrypt({ key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING }, bytes),
      /^/,
    )
  );
}

/** Puts bytes where a signature has the hash and its name. */
export function signDigestInfo(privateKey: KeyObject, payload: Buffer): string | undefined {
  try {
    return privateEncrypt({ key: privateKey, padding: constants.RSA_PKCS1_PADDING }, payload).toString('base64');
  } catch {
    // Longer than the key.
    return undefined;
  }
}

export function plainBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

function removePadding(signature: string, open: (bytes: Buffer) => Buffer, padding: RegExp): Buffer | undefined {
  const bytes = plainBase64(signature);
  if (bytes === undefined) return undefined;
  try {
    const hex = open(bytes).toString('hex');
    const before = padding.exec(hex);
    return before === null ? undefined : Buffer.from(hex.slice(before[0].length), 'hex');
  } catch {
    return undefined;
  }
}

/** The same signature in plain Base64, where it is written in another way that its length gives away. */
export function decodeSignature(
  signature: string,
  length: number,
): { readonly writing: SignatureEncoding; readonly signature: string } | undefined {
  for (const writing of signatureEncodings) {
    const bytes = writing.read(signature);
    const plain = bytes.toString('base64');
    if (bytes.length === length && plain !== signature && writing.write(bytes) === signature)
      return { writing, signature: plain };
  }
  return undefined;
}

const macLengths: Readonly<Record<number, string>> = {
  16: 'MD5',
  20: 'SHA-1',
  32: 'SHA-256',
  48: 'SHA-384',
  64: 'SHA-512',
};

/** What the length alone says of a signature that nothing explains. */
export function lengthMistakes(
  { signatureMethod }: OauthCase,
  signature: string,
  length: number,
): Mistake<OauthMistakeName>[] {
  const bytes = plainBase64(signature)?.length ?? 0;
  if (bytes === length || bytes === 0) return [];
  const hash = macLengths[bytes];
  const due = `with this key it has ${length} bytes`;
  if (signatureMethod === 'RSA-SHA256') {
    if (hash !== undefined)
      return [
        {
          name: 'rsa-key-or-method',
          variant: 'hmac',
          detail: `the signature has ${bytes} bytes, as an HMAC with ${hash} has; ${due}`,
        },
      ];
    return bytes >= 128 && bytes % 64 === 0
      ? [
          {
            name: 'rsa-key-or-method',
            variant: 'other-pair',
            detail: `the signature has ${bytes} bytes, so it was made with another key; ${due}`,
          },
        ]
      : [];
  }
  if (hash !== undefined)
    return [
      { name: 'digest', variant: 'length', detail: `the signature has ${bytes} bytes, as ${hash} has; SHA-1 has 20` },
    ];
  return bytes >= 128 && bytes % 64 === 0
    ? [
        {
          name: 'rsa-key-or-method',
          variant: 'rsa',
          detail: `the signature has ${bytes} bytes, as with RSA; HMAC-SHA1 has 20`,
        },
      ]
    : [];
}
