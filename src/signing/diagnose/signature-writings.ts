import { percentEncode } from '../../wire/form.js';

/** A way to write the bytes of a signature that is not plain Base64. */
export interface SignatureEncoding {
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
  // Before the URL-safe one, which comes to the same without + and /.
  {
    variant: 'no-padding',
    detail: 'written without the = at the end',
    write: (bytes) => base64(bytes).replace(/=+$/, ''),
    read: fromBase64,
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
    variant: 'base64-twice',
    detail: 'written as Base64 twice',
    write: (bytes) => base64(Buffer.from(base64(bytes))),
    read: (text) => fromBase64(fromBase64(text).toString('latin1')),
  },
  {
    variant: 'hash-named',
    detail: 'written in hexadecimal with the name of the hash before it',
    write: (bytes) => `${bytes.length === 20 ? 'sha1' : 'sha256'}=${bytes.toString('hex')}`,
    read: (text) => Buffer.from(/^[\w-]+=([0-9a-f]+)$/.exec(text)?.[1] ?? '', 'hex'),
  },
  ...(['-', ':', ' '] as const).flatMap((mark) =>
    [false, true].map((isUpper) => ({
      variant: 'hex-marked',
      detail: `written in hexadecimal with ${mark === ' ' ? 'a space' : mark} between the bytes`,
      write: (bytes: Buffer) => joinedHex(bytes, mark, isUpper),
      read: (text: string) => Buffer.from(text.replaceAll(mark, ''), 'hex'),
    })),
  ),
  {
    variant: 'bytes-printed',
    detail: "written as Python prints bytes, b'…'",
    write: (bytes) => `b'${base64(bytes)}'`,
    read: (text) => fromBase64(text.slice(2, -1)),
  },
  {
    variant: 'bytes-printed',
    detail: "written as Python prints bytes, b'…'",
    write: (bytes) => `b'${base64(bytes)}\\n'`,
    read: (text) => fromBase64(text.slice(2, -3)),
  },
  {
    variant: 'quoted',
    detail: 'written with quotes around it',
    write: (bytes) => `"${base64(bytes)}"`,
    read: (text) => fromBase64(text.slice(1, -1)),
  },
  {
    variant: 'quoted',
    detail: 'written as JSON, with quotes and escaped slashes',
    write: (bytes) => `"${base64(bytes).replaceAll('/', '\\/')}"`,
    read: (text) => fromBase64(text.slice(1, -1).replaceAll('\\/', '/')),
  },
  ...[
    ['HMAC-SHA1(stdin)= ', 'RSA-SHA2-256(stdin)= '],
    ['SHA1(stdin)= ', 'SHA2-256(stdin)= '],
  ].map(([ofHmac = '', ofRsa = '']) => ({
    variant: 'openssl-line',
    detail: 'the whole line of openssl dgst, with the name of the hash',
    write: (bytes: Buffer) => (bytes.length === 20 ? ofHmac : ofRsa) + bytes.toString('hex'),
    read: (text: string) => Buffer.from(/^\S+= ([0-9a-f]+)$/.exec(text)?.[1] ?? '', 'hex'),
  })),
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
  // Ruby breaks after 60.
  ...[60, 64, 76].flatMap((length) =>
    ['\n', '\r\n', '\r', ' '].flatMap((end) =>
      ['', end].map((last) => ({
        variant: 'lines',
        detail: `broken into lines of ${length} characters`,
        write: (bytes: Buffer) => inLines(base64(bytes), length, end) + last,
        read: fromBase64,
      })),
    ),
  ),
];

function joinedHex(bytes: Buffer, mark: string, isUpper: boolean): string {
  const text = (bytes.toString('hex').match(/../g) ?? []).join(mark);
  return isUpper ? text.toUpperCase() : text;
}

/** As Java prints bytes without padding each to two digits: the bytes cannot be read back, only compared. */
export const unpaddedHex = {
  variant: 'hex-unpadded',
  detail: 'written in hexadecimal without the leading zero of a byte',
  write: (bytes: Buffer) => [...bytes].map((byte) => byte.toString(16)).join(''),
};

function percentDecoded(times: number): SignatureEncoding['read'] {
  return (text) => {
    // What is no such escape comes out as it went in, and then does not fit.
    const once = (encoded: string) => encoded.replace(/%(2[BF]|3D|25)/g, (written) => decodeURIComponent(written));
    return fromBase64(times === 2 ? once(once(text)) : once(text));
  };
}
