import { cardNumbersIn, holdsSecurityCode } from '../../../wire/mask.js';

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
  ['a control', /(?<![a-z])control(?:[^\w\u2022]|value|is){1,12}(?:[\da-f]{40}(?![\da-f])|[a-z\d+/]{27}=)/i],
  ['a signature', /(?<![a-z])signature(?:[^\w\u2022]|value|is){1,12}[a-z\d+/%]{27,}={0,2}/i],
];

/**
 * Searches every file for the known secrets, for card numbers, and for text shaped like a secret. `ids` are numbers
 * assigned by the gateway, which may be as long as card numbers.
 */
export function scan(
  files: readonly BundleFile[],
  secrets: readonly KnownSecret[],
  ids: ReadonlySet<string>,
): Finding[] {
  return files.flatMap(({ name, text }) => {
    const known = secrets.filter((secret) => containsSecret(secret.text, text)).map(({ kind }) => kind);
    const shaped = shapes.filter(([, shape]) => shape.test(text)).map(([kind]) => kind);
    const numbers = cardNumbersIn(text).some((number) => !ids.has(number)) ? ['a card number'] : [];
    const codes = holdsSecurityCode(text) ? ['a security code'] : [];
    return [...new Set([...known, ...shaped, ...codes, ...numbers])].map((kind) => ({ file: name, kind }));
  });
}

const minSubstringLength = 6;

/** As it is, as a string of JSON, or percent-encoded. A short secret must be a whole word: it occurs inside other words by chance. */
function containsSecret(secret: string, text: string): boolean {
  const plain = text.toLowerCase();
  const wanted = secret.toLowerCase();
  const written = [wanted, JSON.stringify(wanted).slice(1, -1), encodeURIComponent(secret).toLowerCase()];
  if (secret.length >= minSubstringLength) return written.some((form) => plain.includes(form));
  const quoted = wanted.replace(/[^\p{L}\p{N}]/gu, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${quoted}(?![\\p{L}\\p{N}])`, 'u').test(plain);
}
