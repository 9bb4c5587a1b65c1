import { createHash, createHmac, createSign } from 'node:crypto';
import type { OperationId } from '../../src/spec/index.js';
import { facts } from '../spec/facts.js';
import type { Merchant, Posted, Target } from './target.js';

/**
 * Signatures made from the description with node:crypto alone, so that agreement with the code under test proves
 * something. Recipes come from the hand-made list of facts; nothing here is read from the table.
 */
export type Values = Readonly<Record<string, string>>;
export type Pair = readonly [name: string, value: string];

export type Protection = { readonly control: readonly string[] } | 'HMAC-SHA1' | 'RSA-SHA256' | 'none';

/** A request that can still be altered after it was signed. */
export interface Draft {
  readonly path: string;
  readonly method: string;
  readonly pairs: readonly Pair[];
  readonly oauth?: readonly Pair[];
  readonly headers: Readonly<Record<string, string>>;
}

export interface Signing {
  readonly merchant: Merchant;
  readonly protection: Protection;
  readonly nonce: string;
  /** Seconds since 1970, as text. */
  readonly timestamp: string;
  /** oauth_* parameters that differ from the right ones, before signing. */
  readonly oauth: Readonly<Record<string, string>>;
  /** Repeats the oauth_* parameters in the body, as the HMAC example of the description does. */
  readonly repeat: boolean;
}

export function factOf(id: OperationId) {
  const fact = facts.find((candidate) => candidate.id === id);
  if (fact === undefined) throw new Error(`no fact about ${id}`);
  return fact;
}

/** How an operation is protected by the description; payout-pay by A08. */
export function protectionOf(id: OperationId): Protection {
  const { protection, signed } = factOf(id);
  return protection === 'control' ? { control: signed } : protection;
}

/** RFC 3986: everything but letters, digits, `-`, `.`, `_` and `~` becomes %XX, byte by byte. */
export function escaped(text: string): string {
  const escapedRest = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, escapedRest);
}

export function formText(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join('&');
}

// ISO 4217, for the currencies of this suite.
const minorDigits: Readonly<Record<string, number>> = { USD: 2, EUR: 2, CAD: 2, JPY: 0, KWD: 3 };

/** 10.5 USD is 1050. A text that is no amount is signed as it stands. */
export function cents(amount: string, currency: string): string {
  const parts = /^(\d+)(?:\.(\d+))?$/.exec(amount);
  if (parts === null) return amount;
  const [, whole = '', fraction = ''] = parts;
  return String(BigInt(whole + fraction.padEnd(minorDigits[currency] ?? 2, '0')));
}

/** Scheme 1: SHA-1 over the values and the key with nothing between them; lower-case hexadecimal is A01. */
export function checksum(names: readonly string[], values: Values, endpointId: string, merchant: Merchant): string {
  const parts = names.map((name) => {
    if (name === 'login') return merchant.login;
    if (name === 'endpointId') return endpointId;
    const value = values[name] ?? '';
    return name === 'amount' && value !== '' ? cents(value, values['currency'] ?? '') : value;
  });
  return createHash('sha1')
    .update([...parts, merchant.controlKey].join(''), 'utf8')
    .digest('hex');
}

/** RFC 5849 3.4.1 for a URL without a query. */
export function baseString(url: string, pairs: readonly Pair[]): string {
  const encoded = pairs.map(([name, value]) => [escaped(name), escaped(value)] as const);
  const sorted = encoded.sort(
    ([a, x], [b, y]) =>
      Buffer.compare(Buffer.from(a), Buffer.from(b)) || Buffer.compare(Buffer.from(x), Buffer.from(y)),
  );
  const parameters = sorted.map(([name, value]) => `${name}=${value}`).join('&');
  return `POST&${escaped(url)}&${escaped(parameters)}`;
}

/** Scheme 2. `method` is how it is signed, whatever the parameters claim. */
export function signature(text: string, method: 'HMAC-SHA1' | 'RSA-SHA256', merchant: Merchant): string {
  if (method === 'HMAC-SHA1')
    return createHmac('sha1', `${merchant.controlKey}&`).update(text, 'utf8').digest('base64');
  return createSign('RSA-SHA256').update(text, 'utf8').sign(merchant.privateKeyPem, 'base64');
}

/** A signed request to an operation. */
export function draftOf(target: Target, id: OperationId, values: Values, endpointId: string, signing: Signing): Draft {
  const { merchant, protection } = signing;
  const path = `${factOf(id).path}/${endpointId}`;
  const headers = { Accept: 'application/vnd.pay+json', 'Content-Type': 'application/x-www-form-urlencoded' };
  const pairs: readonly Pair[] = Object.entries(values);
  const draft = { path, method: 'POST', pairs, headers };
  if (protection === 'none') return draft;
  if (typeof protection === 'object')
    return { ...draft, pairs: [...pairs, ['control', checksum(protection.control, values, endpointId, merchant)]] };
  const right = {
    oauth_consumer_key: merchant.login,
    oauth_nonce: signing.nonce,
    oauth_signature_method: protection,
    oauth_timestamp: signing.timestamp,
    oauth_version: '1.0',
  };
  const oauth: readonly Pair[] = Object.entries({ ...right, ...signing.oauth });
  const made = signature(baseString(`${target.base}${path}`, [...pairs, ...oauth]), protection, merchant);
  return {
    ...draft,
    pairs: signing.repeat ? [...pairs, ...oauth] : pairs,
    oauth: [...oauth, ['oauth_signature', made]],
  };
}

export function headerText(oauth: readonly Pair[], separator = ', '): string {
  return `OAuth ${oauth.map(([name, value]) => `${escaped(name)}="${escaped(value)}"`).join(separator)}`;
}

export function posted({ path, method, pairs, oauth, headers }: Draft): Posted {
  const authorization = oauth === undefined ? {} : { Authorization: headerText(oauth) };
  return { path, method, headers: { ...headers, ...authorization }, body: formText(pairs) };
}

/** The same draft with one field of its body replaced, added, or, for undefined, taken out. */
export function withField(draft: Draft, name: string, value: string | undefined): Draft {
  const others = draft.pairs.filter(([each]) => each !== name);
  if (value === undefined) return { ...draft, pairs: others };
  const isThere = others.length < draft.pairs.length;
  return {
    ...draft,
    pairs: isThere ? draft.pairs.map((pair) => (pair[0] === name ? [name, value] : pair)) : [...others, [name, value]],
  };
}

/** The same for a parameter of the Authorization header. */
export function withOauth(draft: Draft, name: string, value: string | undefined): Draft {
  const { oauth = [] } = draft;
  return {
    ...draft,
    oauth: oauth.flatMap((pair): Pair[] => (pair[0] !== name ? [pair] : value === undefined ? [] : [[name, value]])),
  };
}

export function withHeader(draft: Draft, name: string, value: string | undefined): Draft {
  const { [name]: _, ...others } = draft.headers;
  return { ...draft, headers: value === undefined ? others : { ...others, [name]: value } };
}

/** The text with one character changed into another of the same sort. */
export function oneChanged(text: string): string {
  const at = Math.floor(text.length / 2);
  return `${text.slice(0, at)}${text.charAt(at) === '7' ? '8' : '7'}${text.slice(at + 1)}`;
}
