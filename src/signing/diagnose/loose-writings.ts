import type { Mistake, OauthMistakeName } from './diagnosis.js';

/** Bytes that a text holds, and how it holds them. */
export interface Reading {
  readonly words: string;
  readonly bytes: Buffer;
}

/**
 * What a text holds that no exact writing explains: digits with any marks between them, behind a label or in another
 * text, and bytes that were not encoded at all. Which bytes they are is checked against what was signed.
 */
export function* looseReadings(
  signature: string,
  lengths: readonly number[],
): Generator<{ readonly mistake: Mistake<OauthMistakeName>; readonly bytes: Buffer }> {
  const seen = new Set<string>();
  for (const { words, bytes } of readings(signature, lengths)) {
    const key = bytes.toString('latin1');
    if (!lengths.includes(bytes.length) || seen.has(key)) continue;
    seen.add(key);
    yield {
      mistake: {
        name: 'digest',
        variant: 'written-around',
        detail: `the signature was written ${words}; it must be plain Base64`,
      },
      bytes,
    };
  }
}

/** Each in words that follow `written`; some are of no digest. */
export function* readings(text: string, lengths: readonly number[]): Generator<Reading> {
  const groups = text.match(/(?<![0-9a-z])(?:0x|\\x)?[0-9a-f]{2}(?![0-9a-z])/gi) ?? [];
  yield {
    words: 'in hexadecimal with other characters between the bytes',
    bytes: Buffer.from(groups.map((each) => each.slice(-2)).join(''), 'hex'),
  };
  const around = /\(.*\) ?= /.test(text)
    ? 'as the whole line of openssl dgst'
    : 'in hexadecimal with other text around it';
  for (const run of text.match(/[0-9a-f]{20,}/gi) ?? []) yield { words: around, bytes: Buffer.from(run, 'hex') };
  const joined = text.replace(/\s|\\[nr]|\\(?=\/)/g, '');
  yield { words: 'in hexadecimal with line ends or spaces in it', bytes: Buffer.from(joined, 'hex') };
  for (const run of joined.match(/[A-Za-z0-9+/_-]{20,}={0,2}/g) ?? [])
    yield {
      words: 'as Base64 with other text around it, or line ends or spaces in it',
      bytes: Buffer.from(run, 'base64'),
    };
  // No argument of a program has a zero byte: what wrote a mark in its place may have lost it.
  const raw = text.replaceAll('\ufffd', '\0');
  if (lengths.includes(raw.length) && /^[\0-\xff]*$/.test(raw))
    yield { words: 'as its bytes, without Base64', bytes: Buffer.from(raw, 'latin1') };
}
