import { percentEncode } from '../../wire/percent.js';

/** A way to write the bytes of a signature that is not plain Base64. */
export interface Writing {
  readonly variant: string;
  readonly detail: string;
  readonly write: (bytes: Buffer) => string;
  readonly read: (text: string) => Buffer;
}

const base64 = (bytes: Buffer) => bytes.toString('base64');
const fromBase64 = (text: string) => Buffer.from(text, 'base64');
const inLines = (text: string, length: number, end: string) => (text.match(new RegExp(`.{1,${length}}`, 'g')) ?? []).join(end);

export const writings: readonly Writing[] = [
  { variant: 'hex', detail: 'written in hexadecimal', write: (bytes) => bytes.toString('hex'), read: (text) => Buffer.from(text, 'hex') },
  {
    variant: 'hex-upper',
    detail: 'written in upper-case hexadecimal',
    write: (bytes) => bytes.toString('hex').toUpperCase(),
    read: (text) => Buffer.from(text, 'hex'),
  },
  {
    variant: 'hex-in-base64',
    detail: 'written in hexadecimal, and that as Base64',
    write: (bytes) => base64(Buffer.from(bytes.toString('hex'))),
    read: (text) => Buffer.from(fromBase64(text).toString('latin1'), 'hex'),
  },
  {
    variant: 'hex-upper-in-base64',
    detail: 'written in upper-case hexadecimal, and that as Base64',
    write: (bytes) => base64(Buffer.from(bytes.toString('hex').toUpperCase())),
    read: (text) => Buffer.from(fromBase64(text).toString('latin1'), 'hex'),
  },
  {
    variant: 'url-safe',
    detail: 'written as Base64 for addresses, with - and _',
    write: (bytes) => bytes.toString('base64url'),
    read: fromBase64,
  },
  {
    variant: 'url-safe-padded',
    detail: 'written as Base64 for addresses, with - and _',
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
    detail: 'percent-encoded already',
    write: (bytes) => percentEncode(base64(bytes)),
    read: percentDecoded(1),
  },
  {
    variant: 'percent-encoded-twice',
    detail: 'percent-encoded twice',
    write: (bytes) => percentEncode(percentEncode(base64(bytes))),
    read: percentDecoded(2),
  },
  { variant: 'line-end', detail: 'written with a line end behind it', write: (bytes) => `${base64(bytes)}\n`, read: fromBase64 },
  { variant: 'line-end', detail: 'written with a line end behind it', write: (bytes) => `${base64(bytes)}\r\n`, read: fromBase64 },
  ...[64, 76].flatMap((length) =>
    ['\n', '\r\n'].map((end) => ({
      variant: 'lines',
      detail: `broken into lines of ${length} characters`,
      write: (bytes: Buffer) => inLines(base64(bytes), length, end),
      read: fromBase64,
    })),
  ),
];

function percentDecoded(times: number): Writing['read'] {
  return (text) => {
    // What is no such escape comes out as it went in, and then does not fit.
    const once = (encoded: string) => encoded.replace(/%(2[BF]|3D|25)/g, (written) => decodeURIComponent(written));
    return fromBase64(times === 2 ? once(once(text)) : once(text));
  };
}
