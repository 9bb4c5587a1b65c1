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
  {
    variant: 'hex-upper-in-base64',
    detail: 'written as Base64 of upper-case hexadecimal',
    write: (bytes) => base64(Buffer.from(bytes.toString('hex').toUpperCase())),
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
    variant: 'base64-twice',
    detail: 'written as Base64 twice, with a line break',
    write: (bytes) => base64(Buffer.from(`${inLines(base64(bytes), 64, '\n')}\n`)),
    read: (text) => fromBase64(fromBase64(text).toString('latin1')),
  },
  {
    variant: 'base64-twice',
    detail: 'written as Base64 twice, with a line break',
    write: (bytes) => base64(Buffer.from(`${inLines(base64(bytes), 76, '\n')}\n`)),
    read: (text) => fromBase64(fromBase64(text).toString('latin1')),
  },
  {
    variant: 'hex-in-base64',
    detail: 'written as Base64 of hexadecimal, with a line break after it',
    write: (bytes) => `${base64(Buffer.from(bytes.toString('hex')))}\n`,
    read: (text) => Buffer.from(fromBase64(text).toString('latin1'), 'hex'),
  },
  {
    variant: 'hash-named',
    detail: 'written in hexadecimal with the name of the hash before it',
    write: (bytes) => `${bytes.length === 20 ? 'sha1' : 'sha256'}=${bytes.toString('hex')}`,
    read: (text) => Buffer.from(/^[\w-]+=([0-9a-f]+)$/.exec(text)?.[1] ?? '', 'hex'),
  },
  {
    variant: 'hex-in-base64',
    detail: 'written as Base64 of hexadecimal and a line break',
    write: (bytes) => base64(Buffer.from(`${bytes.toString('hex')}\n`)),
    read: (text) => Buffer.from(fromBase64(text).toString('latin1').trim(), 'hex'),
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
    variant: 'integer',
    detail: 'written in hexadecimal as an integer, without its leading zeros',
    write: (bytes) => BigInt(`0x${bytes.toString('hex') || '0'}`).toString(16),
    read: (text) => fromInteger(/^[0-9a-f]{30,2048}$/.test(text) ? text : ''),
  },
  {
    variant: 'decimal',
    detail: 'written as a decimal number',
    write: (bytes) => BigInt(`0x${bytes.toString('hex') || '0'}`).toString(),
    read: (text) => fromInteger(/^\d{30,2500}$/.test(text) ? BigInt(text).toString(16) : ''),
  },
  {
    variant: 'bytes',
    detail: 'written as a list of the numbers of its bytes',
    write: (bytes) => bytes.join(','),
    read: (text) => Buffer.from(text.split(',').map(Number)),
  },
  {
    variant: 'base32',
    detail: 'written as Base32',
    write: (bytes) => base32(bytes),
    read: (text) => fromBase32(text),
  },
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
  {
    variant: 'byte-by-byte',
    detail: 'read as Latin-1 text and written as UTF-8 before Base64',
    write: (bytes) => base64(Buffer.from(bytes.toString('latin1'), 'utf8')),
    read: (text) => Buffer.from(fromBase64(text).toString('utf8'), 'latin1'),
  },
  {
    variant: 'openssl-line',
    detail: 'the whole line of openssl dgst, with the name of the hash',
    write: (bytes) => `${bytes.length === 20 ? 'HMAC-SHA1(stdin)' : 'RSA-SHA2-256(stdin)'}= ${bytes.toString('hex')}`,
    read: (text) => Buffer.from(/^\S+= ([0-9a-f]+)$/.exec(text)?.[1] ?? '', 'hex'),
  },
  {
    variant: 'openssl-line',
    detail: 'the whole line of openssl dgst, with the name of the hash',
    write: (bytes) => `${bytes.length === 20 ? 'SHA1(stdin)' : 'SHA2-256(stdin)'}= ${bytes.toString('hex')}`,
    read: (text) => Buffer.from(/^\S+= ([0-9a-f]+)$/.exec(text)?.[1] ?? '', 'hex'),
  },
  ...[
    ['HMAC-SHA1(stdin)= ', 'RSA-SHA2-256(stdin)= '],
    ['SHA1(stdin)= ', 'SHA2-256(stdin)= '],
    ['(stdin)= ', '(stdin)= '],
  ].flatMap(([ofHmac = '', ofRsa = '']) =>
    ['', '\n'].map((end) => ({
      variant: 'openssl-line',
      detail: 'written as Base64 of the whole line of openssl dgst',
      write: (bytes: Buffer) =>
        base64(Buffer.from((bytes.length === 20 ? ofHmac : ofRsa) + bytes.toString('hex') + end)),
      read: (text: string) =>
        Buffer.from(/= ([0-9a-f]+)\n?$/.exec(fromBase64(text).toString('latin1'))?.[1] ?? '', 'hex'),
    })),
  ),
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
  ...[64, 76].map((length) => ({
    variant: 'lines',
    detail: `broken into lines of ${length} characters`,
    write: (bytes: Buffer) => `${inLines(base64(bytes), length, '\r\n')}\r`,
    read: fromBase64,
  })),
];

/** Padded to the length of an HMAC with SHA-1, or to that of a key, which is a multiple of 1024 bits. */
function fromInteger(hex: string): Buffer {
  return Buffer.from(
    hex === '' ? '' : hex.padStart(hex.length <= 40 ? 40 : Math.ceil(hex.length / 256) * 256, '0'),
    'hex',
  );
}

function joinedHex(bytes: Buffer, mark: string, isUpper: boolean): string {
  const text = (bytes.toString('hex').match(/../g) ?? []).join(mark);
  return isUpper ? text.toUpperCase() : text;
}

// RFC 4648 6.
const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = (bits.match(/.{1,5}/g) ?? []).map((five) => base32Digits[Number.parseInt(five.padEnd(5, '0'), 2)]);
  return digits.join('').padEnd(Math.ceil(digits.length / 8) * 8, '=');
}

function fromBase32(text: string): Buffer {
  if (!/^[A-Z2-7]+=*$/.test(text)) return Buffer.alloc(0);
  const bits = [...text.replace(/=+$/, '')]
    .map((char) => base32Digits.indexOf(char).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
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
