import { decodedOrSame } from '../../wire/form.js';
import { readings } from './loose-writings.js';
import { type DigestWriting, digestWritings } from './writings/digests.js';

/** A digest that a text may be, and the writing that gives exactly this text for it. */
export interface ReadDigest {
  readonly writing: DigestWriting;
  readonly bytes: Buffer;
}

const maxLength = 4096;

/** Reads a text as each writing may have it, and keeps what gives the same text when it is written again. */
export function* readDigests(text: string, lengths: readonly number[]): Generator<ReadDigest> {
  if (text.length > maxLength) return;
  const seen = new Set<string>();
  for (const bytes of candidates(text)) {
    const key = bytes.toString('latin1');
    if (!lengths.includes(bytes.length) || seen.has(key)) continue;
    seen.add(key);
    const writing = [...digestWritings()].find(({ write }) => write(bytes) === text);
    if (writing !== undefined) yield { writing, bytes };
  }
}

/** Those of a text that holds a digest among others, in no writing of the table. */
export function* looselyReadDigests(text: string, lengths: readonly number[]): Generator<ReadDigest> {
  if (text.length > maxLength) return;
  for (const { words, bytes } of readings(text, lengths)) {
    const isBare = (['hex', 'base64'] as const).some((form) => bytes.toString(form) === text.toLowerCase());
    if (isBare || bytes.toString('base64') === text || !lengths.includes(bytes.length)) continue;
    const writing: DigestWriting = { variant: 'around', detail: words, write: () => text };
    yield { writing, bytes };
  }
}

/** What digits and letters of a text are left when marks, quotes and names around them are not counted. */
function* candidates(text: string, depth = 0): Generator<Buffer> {
  const numbers = (
    /\[(.*)\]|\{(.*)\}/s
      .exec(text)
      ?.slice(1)
      .find((part) => part !== undefined) ?? text
  ).match(/0x[0-9a-f]{1,2}\b|-?\d+/gi);
  if (numbers !== null && numbers.length >= 16) yield Buffer.from(numbers.map((each) => Number(each) & 255));
  const hex = text.replace(/^.*0x(?=[0-9a-f]{16})/i, '').replace(/0x|\\x|[^0-9a-fA-F]/g, '');
  if (hex.length % 2 === 0) {
    yield Buffer.from(hex, 'hex');
    yield Buffer.from(hex, 'hex').reverse();
    yield Buffer.from(hex.replace(/(.)(.)/g, '$2$1'), 'hex');
  }
  const bits = text.replace(/[^01]/g, '');
  if (bits.length >= 128 && bits.length % 8 === 0)
    yield Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
  yield* integers(text);
  const plain =
    (/[A-Za-z0-9+/_-]{20,}={0,2}/.exec(decodedOrSame(decodedOrSame(text)).replace(/[\s\\]/g, '')) ?? [])[0] ?? '';
  const bytes = Buffer.from(plain, 'base64');
  yield bytes;
  yield Buffer.from(bytes).reverse();
  if (depth > 0) return;
  for (const inner of [bytes.toString('utf8'), Buffer.from(hex, 'hex').toString('utf8'), bytes.toString('utf16le')])
    if (/^[\s\x21-\x7e]{16,}$/.test(inner)) yield* candidates(inner, depth + 1);
}

function* integers(text: string): Generator<Buffer> {
  const digits = text.trim();
  const read = (number: bigint) => {
    const hex = BigInt.asUintN(160, number).toString(16);
    return Buffer.from(hex.padStart(40, '0'), 'hex');
  };
  if (/^-?\d{40,50}$/.test(digits)) yield read(BigInt(digits));
  if (/^-?[0-9a-f]{30,40}$/i.test(digits))
    yield read(BigInt(`0x${digits.replace('-', '')}`) * (digits.startsWith('-') ? -1n : 1n));
}
