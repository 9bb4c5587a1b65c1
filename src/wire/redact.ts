import { kindOf, type Operation, type Secrecy } from '../spec/index.js';
import type { Pair } from './form.js';
import { hidden, maskCard, maskStart } from './mask.js';

const strictest: readonly Secrecy[] = ['secret', 'card', 'account', 'personal', 'open'];

// Names no row has, whose values cannot be used to pay or to sign.
const neutral: ReadonlySet<string> = new Set([
  'login',
  'oauth_consumer_key',
  'oauth_nonce',
  'oauth_timestamp',
  'oauth_version',
  'oauth_signature_method',
]);
const signatures: ReadonlySet<string> = new Set(['control', 'oauth_signature']);

/** A value as people may see it. An empty value stays empty, as that may be what is wrong. */
export function maskValue(secrecy: Secrecy, text: string): string {
  if (text === '' || secrecy === 'open' || secrecy === 'personal') return text;
  if (secrecy === 'account') return maskStart(text);
  if (secrecy === 'card' && /^\d{12,}$/.test(text)) return maskCard(text);
  return hidden;
}

/**
 * Pairs of a request as people may see them, by the secrecy of the row's fields. A name the row does not have may be a
 * misspelt card field, so its value is hidden. `showSecrets` leaves the row's own fields as they are, never a
 * signature; `showAccounts` those of kind account, for what is signed or checked with exactly these values.
 */
export function maskPairs(
  row: Operation | undefined,
  pairs: readonly Pair[],
  options: { readonly showSecrets?: boolean; readonly showAccounts?: boolean } = {},
): Pair[] {
  return pairs.map(([name, value]): Pair => {
    if (signatures.has(name)) return [name, maskValue('secret', value)];
    const secrecy = secrecyOf(row, name);
    if (secrecy === undefined) return [name, maskValue('secret', value)];
    const isShown = options.showSecrets === true || (secrecy === 'account' && options.showAccounts === true);
    return [name, isShown ? value : maskValue(secrecy, value)];
  });
}

// Cached: a server looks up every field of every request.
const secrecies = new WeakMap<Operation, ReadonlyMap<string, Secrecy>>();

function secrecyOf(row: Operation | undefined, wire: string): Secrecy | undefined {
  return (row === undefined ? undefined : secrecyByWire(row).get(wire)) ?? (neutral.has(wire) ? 'open' : undefined);
}

/** The strictest, where several fields of a row share a name. */
function secrecyByWire(row: Operation): ReadonlyMap<string, Secrecy> {
  const known = secrecies.get(row);
  if (known !== undefined) return known;
  const made = new Map<string, Secrecy>();
  for (const { wire, kind } of Object.values(row.fields)) {
    const { secrecy } = kindOf(kind);
    const other = made.get(wire);
    made.set(wire, strictest.find((each) => each === secrecy || each === other) ?? secrecy);
  }
  secrecies.set(row, made);
  return made;
}

// A digit as texts carry it: full-width, percent-encoded any number of times, as an escape of JSON.
const digit = String.raw`(?:[\d\uff10-\uff19]|%(?:25)*3\d|%(?:25)*EF%(?:25)*BC%(?:25)*9\d|\\u(?:003|ff1)\d)`;
const gap = String.raw`(?:[\p{Zs}\p{Pd}\p{Cf}\0+]|%(?:25)*2[0BD])`;
const gaps = new RegExp(gap, 'giu');
const digits = new RegExp(digit, 'giu');
const uuid = String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`;
// An id as paycli generates it: its date and time are no card number. Digits may not go on after it.
const ownTime = String.raw`20\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])-(?:[01]\d|2[0-3])(?:[0-5]\d){2}`;
const ownId = (more: string) => String.raw`(?<![a-z\d])pc-${ownTime}-[a-z\d]{6}(?![a-z\d]|(?<=\d)${more})`;
// Twelve digits at least. It also matches what has digits but is no number: ids, and escapes of other characters.
const numbers = new RegExp(
  String.raw`${ownId(`${gap}?${digit}`)}|${uuid}|(?<number>${digit}(?:${gap}?${digit}){11,})|%[\da-f]{2}|\\u[\da-f]{4}`,
  'giu',
);

// The same for ASCII texts without escapes, the usual case: the general pattern takes half a millisecond to compile.
const plainNumbers = new RegExp(
  String.raw`${ownId(String.raw`[ +\0-]?\d`)}|${uuid}|(?<number>\d(?:[ +\0-]?\d){11,})`,
  'gi',
);
const easy = /^[\0-$&-[\]-\x7f]*$/;

/**
 * Untrusted text with dots for all but the last four digits of every number that could be a card's, also encoded or
 * grouped by blanks and hyphens.
 */
export function withoutCardNumbers(text: string): string {
  return replaceNumbers(text, maskCard);
}

// "cvv 123", "CVV2 is: 123", "cvv2=123": the digits right after a name of the code, with only filler words between.
const filler = '(?<![a-z])(?:is|was|code|number|value|no|of|the|card)(?![a-z])';
const fillers = String.raw`(?:%[\da-f]{2}|[^\da-z]|${filler}){1,20}?`;
const labelledCode = new RegExp(
  String.raw`((?<![a-z])(?:cvv|cvc|csc|cvn|security[^\da-z]{0,3}code)2?${fillers}(?<!%|%[\da-f]))\d{3,4}(?!\d)`,
  'gi',
);

/** Untrusted text with dots for the security code of a card where the text names it as one. */
export function withoutSecurityCodes(text: string): string {
  return text.replace(labelledCode, `$1${hidden}`);
}

// Any scheme, since a bank's app has its own; as it is, percent-encoded, or with the escapes of JSON.
const slash = String.raw`(?:\\?/|%2F|\\u002f)`;
const origin = String.raw`[a-z][a-z\d+.-]{0,30}(?::|%3A)${slash}{2}[^\s/?#"'<>\\%]*`;
const address = new RegExp(String.raw`\b(${origin})(?:${slash}|[?#]|%3F|%23)(?:[^\s"'<>\\]|\\[/u])*`, 'gi');

/** Untrusted text whose addresses end after the host: what follows may let anybody act in the payer's place. */
export function withoutAddresses(text: string): string {
  return text.replace(address, '$1/…');
}

/**
 * Markup without what its forms post and where to: the addresses end after the host, and other values are left out.
 */
export function withoutFormValues(markup: string): string {
  return withoutAddresses(markup).replace(
    /\b(action|href|src|value)(\s*=\s*)(?:"(?![a-z]+:)[^"]*"|'(?![a-z]+:)[^']*')/gi,
    '$1$2"…"',
  );
}

/**
 * Every long number of a text replaced by what `mask` says of it, as plain digits and as written; it stays where that
 * is undefined.
 */
export function replaceNumbers(text: string, mask: (number: string, written: string) => string | undefined): string {
  if (text.length < 12 || !hasDigits(text, 12)) return text;
  const pattern = easy.test(text) ? plainNumbers : numbers;
  return text.replace(pattern, (run, number: string | undefined) =>
    number === undefined ? run : (mask(plainDigits(number), number) ?? run),
  );
}

/** Whether a text has at least `min` digits, plain or full-width: each form of a digit contains one of them. */
function hasDigits(text: string, min: number): boolean {
  let count = 0;
  for (let at = 0; at < text.length && count < min; at += 1) {
    const code = text.charCodeAt(at);
    if ((code >= 0x30 && code <= 0x39) || (code >= 0xff10 && code <= 0xff19)) count += 1;
  }
  return count >= min;
}

/** The digits of a text, in whatever form they are written. */
function plainDigits(text: string): string {
  return plainGroups(text).join('');
}

/** The same, group by group. */
export function plainGroups(text: string): readonly string[] {
  // In each form the value of the digit is the low half of its last character.
  const plain = (group: string) =>
    [...group.matchAll(digits)].map(([form]) => form.charCodeAt(form.length - 1) & 15).join('');
  return text.split(gaps).map(plain);
}

export { printable, printableJson } from '../errors/message-text.js';
