import { kindOf, type Operation, type Secrecy } from '../spec/index.js';
import type { Pair } from './form.js';
import { hidden, maskCard, maskStart, withoutCardNumbers } from './mask.js';

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
 * Pairs of a request as people may see them, by the secrecy of the row's fields; a card number that was pasted into a
 * free text is masked there too. A name the row does not have may be a misspelt card field, so its value is hidden.
 * `showAccounts` leaves fields of kind account, for what is signed or checked with exactly these values.
 */
export function maskPairs(
  row: Operation | undefined,
  pairs: readonly Pair[],
  options: { readonly showAccounts?: boolean } = {},
): Pair[] {
  return pairs.map(([name, value]): Pair => {
    const known = row === undefined ? undefined : fieldsByWire(row).get(name);
    const secrecy = signatures.has(name) ? 'secret' : (known?.secrecy ?? (neutral.has(name) ? 'open' : 'secret'));
    if (secrecy === 'account' && options.showAccounts === true) return [name, value];
    const shown = maskValue(secrecy, value);
    return [name, known?.isFreeText === true ? withoutCardNumbers(shown) : shown];
  });
}

interface KnownField {
  readonly secrecy: Secrecy;
  readonly isFreeText: boolean;
}

// Cached: a server looks up every field of every request.
const knownFields = new WeakMap<Operation, ReadonlyMap<string, KnownField>>();

/** The strictest, where several fields of a row share a name. */
function fieldsByWire(row: Operation): ReadonlyMap<string, KnownField> {
  const known = knownFields.get(row);
  if (known !== undefined) return known;
  const made = new Map<string, KnownField>();
  for (const { wire, kind } of Object.values(row.fields)) {
    const { secrecy } = kindOf(kind);
    const other = made.get(wire)?.secrecy;
    made.set(wire, {
      secrecy: strictest.find((each) => each === secrecy || each === other) ?? secrecy,
      isFreeText: kind === 'text' || kind === 'personText',
    });
  }
  knownFields.set(row, made);
  return made;
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

export { printable, printableJson } from '../errors/message-text.js';
