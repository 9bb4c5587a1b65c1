import { kindOf, type Operation, type Secrecy } from '../spec/index.js';
import type { Pair } from './form.js';

const dots = '•••';
const strictest: readonly Secrecy[] = ['secret', 'card', 'personal', 'open'];

// Names no row has, which say nothing that could be used to pay or to sign.
const neutral: ReadonlySet<string> = new Set([
  'login',
  'oauth_consumer_key',
  'oauth_nonce',
  'oauth_timestamp',
  'oauth_version',
  'oauth_signature_method',
]);
const signatures: ReadonlySet<string> = new Set(['control', 'oauth_signature']);

/** A value as people may see it. An empty value stays empty, since that it is empty may be the finding. */
export function shown(secrecy: Secrecy, text: string): string {
  if (text === '' || secrecy === 'open' || secrecy === 'personal') return text;
  if (secrecy === 'card' && /^\d{12,}$/.test(text)) return `•••• ${text.slice(-4)}`;
  return dots;
}

/**
 * Pairs of a request as people may see them, by the secrecy of the row's fields. A name the row does not have may be a
 * misspelt card field, so its value is left out. `showSecrets` leaves the row's own fields as they are, never a signature.
 */
export function shownPairs(row: Operation | undefined, pairs: readonly Pair[], options: { readonly showSecrets?: boolean } = {}): Pair[] {
  return pairs.map(([name, value]): Pair => {
    if (signatures.has(name)) return [name, shown('secret', value)];
    const secrecy = secrecyOf(row, name);
    if (secrecy === undefined) return [name, `[redacted ${[...value].length} chars]`];
    return [name, options.showSecrets === true ? value : shown(secrecy, value)];
  });
}

function secrecyOf(row: Operation | undefined, wire: string): Secrecy | undefined {
  const found = Object.values(row?.fields ?? {})
    .filter((field) => field.wire === wire)
    .map((field) => kindOf(field.kind).secrecy);
  return strictest.find((secrecy) => found.includes(secrecy)) ?? (neutral.has(wire) ? 'open' : undefined);
}

// Controls, bidirectional and zero-width characters, line and paragraph separators, halves of surrogate pairs.
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Foreign text made harmless for a terminal: only line feeds and tabs stay, other invisible characters become \u{..}. */
export function printable(text: string): string {
  return text.replace(unprintable, (char) => (char === '\n' || char === '\t' ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`));
}

/** The same for JSON text, which stays JSON with the same meaning. */
export function printableJson(json: string): string {
  return json.replace(unprintable, (char) => {
    if (char === '\n' || char === '\t') return char;
    // Raw, it can only be a blank between tokens.
    if (char === '\r') return ' ';
    return Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
  });
}
