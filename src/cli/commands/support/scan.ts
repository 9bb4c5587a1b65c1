import { cardNumbersIn } from '../../../wire/card-number.js';

export interface BundleFile {
  readonly name: string;
  readonly text: string;
}

/** A text that must not be in any file. */
export interface KnownSecret {
  readonly kind: string;
  readonly text: string;
}

/** What was found and where; never the text itself. */
export interface Finding {
  readonly file: string;
  readonly kind: string;
}

/** Patterns of secrets whose value is not known here. */
const shapes: readonly (readonly [kind: string, shape: RegExp])[] = [
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY/],
  ['a security code', /(?<![a-z])(?:cvv2?|cvc2?|csc|security[ _-]?code)(?:[^\w\u2022]|value|is){0,12}\d{3,4}(?!\d)/i],
  ['a control', /(?<![a-z])control(?:[^\w\u2022]|value|is){1,12}(?:[\da-f]{40}(?![\da-f])|[a-z\d+/]{27}=)/i],
  ['a signature', /(?<![a-z])signature(?:[^\w\u2022]|value|is){1,12}[a-z\d+/]{27,}={0,2}/i],
];

/**
 * Searches every file for the known secrets in any usual encoding, for card numbers, and for text shaped like a secret.
 * `ids` are numbers assigned by the gateway, which may be as long as card numbers.
 */
export function scan(
  files: readonly BundleFile[],
  secrets: readonly KnownSecret[],
  ids: ReadonlySet<string>,
): Finding[] {
  return files.flatMap(({ name, text }) => {
    const read = decodings(text);
    const known = secrets
      .filter((secret) => read.some((each) => containsSecret(secret.text, each)))
      .map(({ kind }) => kind);
    const shaped = shapes.filter(([, shape]) => read.some((each) => shape.test(each))).map(([kind]) => kind);
    const numbers = read.some((each) => cardNumbersIn(each).some((number) => !ids.has(number)))
      ? ['a card number']
      : [];
    return [...new Set([...known, ...shaped, ...numbers])].map((kind) => ({ file: name, kind }));
  });
}

/** A text, and its decodings from URL and JSON escapes, up to three levels deep. */
export function decodings(text: string): readonly string[] {
  const all = [text];
  for (let at = 0; at < 3; at += 1) {
    const once = unescaped(all[at] ?? '');
    if (once === all[at]) break;
    all.push(once);
  }
  return all;
}

function unescaped(text: string): string {
  return text
    .replace(/(?:%[\da-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
    .replace(/\\u([\da-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\(["\\/])/g, '$1');
}

const minSubstringLength = 6;

/** Whether a text contains a secret: plain, in hexadecimal, or in Base64 at any offset. */
export function containsSecret(secret: string, text: string): boolean {
  const plain = text.toLowerCase();
  const wanted = secret.toLowerCase();
  if (secret.length < minSubstringLength) return isWord(wanted, plain);
  const bytes = Buffer.from(secret, 'utf8');
  return (
    plain.includes(wanted) ||
    plain.includes(bytes.toString('hex')) ||
    base64Variants(bytes).some((part) => text.includes(part))
  );
}

/** A short secret must match as a whole word, since it occurs inside other words by chance. */
function isWord(secret: string, text: string): boolean {
  const quoted = secret.replace(/[^\p{L}\p{N}]/gu, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${quoted}(?![\\p{L}\\p{N}])`, 'u').test(text);
}

/** The Base64 forms of these bytes at any offset: three, each in two alphabets. */
function base64Variants(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const first = Math.ceil((shift * 8) / 6);
    const last = Math.floor(((shift + bytes.length) * 8) / 6);
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
    return [padded.toString('base64').slice(first, last), padded.toString('base64url').slice(first, last)];
  });
}
