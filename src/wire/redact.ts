import { type Field, kindOf, type Operation, type Secrecy } from '../spec/index.js';
import type { Pair } from './form.js';
import { hidden, maskCard, maskStart, withoutCardNumbers } from './mask.js';

const strictest: readonly Secrecy[] = ['secret', 'card', 'account', 'personal', 'open'];

// Names no row has, whose values cannot be used to pay or to sign.
const neutral = /^(?:login|oauth_(?:consumer_key|nonce|timestamp|version|signature_method))$/;

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
  const kindsByWire = new Map<string, Field['kind'][]>();
  for (const { wire, kind } of Object.values(row?.fields ?? {}))
    kindsByWire.set(wire, [...(kindsByWire.get(wire) ?? []), kind]);
  return pairs.map(([name, value]): Pair => {
    const kinds = kindsByWire.get(name) ?? [];
    const known = kinds.map((kind) => kindOf(kind).secrecy);
    const secrecy = strictest.find((each) => known.includes(each)) ?? (neutral.test(name) ? 'open' : 'secret');
    if (secrecy === 'account' && options.showAccounts === true) return [name, value];
    const shown = maskValue(secrecy, value);
    return [name, kinds.includes('text') || kinds.includes('personText') ? withoutCardNumbers(shown) : shown];
  });
}

// Any scheme, since a bank's app has its own; as it is, percent-encoded, or with the escapes of JSON.
const slash = String.raw`(?:\\?/|%2F|\\u002f)`;
const origin = String.raw`[a-z][a-z\d+.-]{0,30}(?::|%3A)${slash}{2}[^\s/?#"'<>\\%]*`;
const address = new RegExp(String.raw`\b(${origin})(?:${slash}|[?#]|%3F|%23)(?:[^\s"'<>\\]|\\[/u])*`, 'gi');

/** Untrusted text whose addresses end after the host: what follows may let anybody act in the payer's place. */
export function withoutAddresses(text: string): string {
  return text.replace(address, '$1/…');
}

export { printable, printableJson } from '../errors/message-text.js';
