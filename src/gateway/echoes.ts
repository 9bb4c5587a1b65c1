import type { Delivery, HttpReply } from '../runtime/ports.js';
import type { Credentials, Unsigned } from '../signing/index.js';
import { allOperations, type KindName, replyNames } from '../spec/index.js';
import type { Pair } from '../wire/form.js';
import { replaceNumbers, shown, withoutCardNumbers } from '../wire/redact.js';
import { valueChecks } from '../wire/value-checks.js';

/** Takes out of a reply what no gateway should send back: card numbers, the security code and the key of the request. */
export interface EchoGuard {
  fields(fields: ReadonlyMap<string, string>): ReadonlyMap<string, string>;
  /** For --verbose. */
  delivery(delivery: Delivery): Delivery;
}

/** A guard against the echoes of one request, in any encoding and at any place of the reply. */
export function echoGuard({ row, pairs }: Unsigned, { controlKey }: Pick<Credentials, 'controlKey'>): EchoGuard {
  const rowNames = new Set(Object.values(row.fields).map(({ wire }) => wire));
  const isCard = ([name, value]: Pair) => value !== '' && (cardNames.has(name) || (!rowNames.has(name) && mayBeCard(value)));
  const cards = pairs.filter(isCard).map(([, value]) => value);
  const codes = pairs.flatMap(([name, value]) => (codeNames.has(name) && value !== '' ? [value] : []));
  const encoded = anyOf([...cards, ...(controlKey === undefined ? [] : [controlKey.open()])].flatMap(formsOf), 'giu');
  const code = anyOf(
    codes.map((each) => `(?:(?<!\\d)|(?<=%[\\da-f]{2}))${anyForm(each)}(?!\\d)`),
    'giu',
  );
  const known = (text: string) => replaceNumbers(text, (number) => maskIfOneOf(number, cards)).replace(encoded, '•••');
  const prose = (text: string) => withoutCardNumbers(known(text).replace(code, '•••'));
  const field = (name: string, value: string) => {
    if (codeNames.has(name) || signatureNames.has(name)) return shown('secret', value);
    if (ids.has(name)) return known(value);
    return isProse(value) || cardNames.has(name)
      ? prose(value)
      : replaceNumbers(known(value), maskIfCard).replace(/\?.*/s, (query) => query.replace(code, '•••'));
  };
  return {
    fields: (fields) => new Map([...fields].map(([name, value]) => [prose(name), field(name, value)])),
    delivery: (delivery) => (delivery.kind === 'reply' ? { ...delivery, reply: cleaned(delivery.reply, prose) } : delivery),
  };
}

const ids: ReadonlySet<string> = new Set(
  [replyNames.orderId, replyNames.clientOrderId, replyNames.serial, replyNames.cardRef, replyNames.recurring].flat(),
);

const cardNames = namesOf('cardNumber');
const codeNames = namesOf('cvv');
const signatureNames: ReadonlySet<string> = new Set(['control', 'oauth_signature']);

/** Names under which requests carry such a value. */
function namesOf(kind: KindName): ReadonlySet<string> {
  const fields = allOperations.flatMap((row) => Object.values(row.fields));
  return new Set(fields.flatMap((field) => (field.kind === kind ? [field.wire] : [])));
}

/** Not so addresses, markup, packed messages and plain numbers, in which every character counts. */
function isProse(text: string): boolean {
  return !/^(?:https?:|<|[\w+/-]{40,}={0,2}$|[\d.]+$)/i.test(text);
}

/** True for digits that could be the number of a card. */
export function mayBeCard(text: string): boolean {
  return /^[2-6]\d{11,18}$/.test(text) && valueChecks.luhn.holds(text);
}

function maskIfCard(number: string): string | undefined {
  return number.length > 12 && mayBeCard(number) ? `•••• ${number.slice(-4)}` : undefined;
}

function maskIfOneOf(number: string, cards: readonly string[]): string | undefined {
  const card = cards.find((each) => number.includes(each));
  return card === undefined ? undefined : `•••• ${card.slice(-4)}`;
}

function cleaned({ status, headers, body }: HttpReply, clean: (text: string) => string): HttpReply {
  const values = (value: string | readonly string[]) => (typeof value === 'string' ? clean(value) : value.map(clean));
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [clean(name), values(value)])),
    body: Buffer.from(clean(new TextDecoder().decode(body))),
  };
}

/** Patterns for a text as it is, percent-encoded in part or in whole, in hexadecimal, and inside Base64. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  // A shorter one would be found everywhere.
  if (bytes.length < 6) return [];
  const packed = [0, 1, 2].flatMap((shift) => [insideBase64(bytes, shift, 'base64'), insideBase64(bytes, shift, 'base64url')]);
  return [anyForm(text), bytes.toString('hex'), ...packed.map(escaped)];
}

/** Percent-encoded in part or in whole. */
function anyForm(text: string): string {
  return [...text].map((char) => `(?:${escaped(char)}|${percent(char)})`).join('');
}

function percent(char: string): string {
  return [...Buffer.from(char)].map((byte) => `%(?:25)*${byte.toString(16).padStart(2, '0')}`).join('');
}

/** The characters of Base64 that depend on these bytes alone, where `shift` bytes stand before them. */
function insideBase64(bytes: Uint8Array, shift: number, form: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString(form);
  return text.slice(Math.ceil((shift * 4) / 3), Math.floor(((shift + bytes.length) * 4) / 3));
}

function anyOf(patterns: readonly string[], flags: string): RegExp {
  return new RegExp(patterns.length === 0 ? '(?!)' : patterns.join('|'), flags);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
