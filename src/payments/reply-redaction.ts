import type { Delivery, HttpReply } from '../runtime/ports.js';
import type { Credentials, Unsigned } from '../signing/index.js';
import { allOperations, type KindName, replyNames } from '../spec/index.js';
import { knownReplyNames } from '../spec/replies.js';
import type { Pair } from '../wire/form.js';
import { hidden, maskCard } from '../wire/mask.js';
import {
  maskValue,
  replaceNumbers,
  withoutAddresses,
  withoutCardNumbers,
  withoutFormValues,
  withoutSecurityCodes,
} from '../wire/redact.js';
import { changeTexts } from '../wire/reply.js';
import type { Secret } from '../wire/secret.js';
import { valueChecks } from '../wire/value-checks.js';
import { withoutSpreadCards } from './spread-cards.js';

/**
 * Removes from a reply what no gateway should send back: card numbers, the security code, the key and the signature of
 * the request.
 */
interface EchoGuard {
  fields(fields: ReadonlyMap<string, string>): ReadonlyMap<string, string>;
  /** For --verbose. */
  delivery(delivery: Delivery): Delivery;
}

/**
 * The redactor for the replies to one request. Secrets that the request holds are removed wherever they are, in any
 * encoding; what only looks like a card number, where one may be. All else stays as received: addresses, markup, ids,
 * and what the request sent. `earlier` is the request whose outcome this one queries: a reply may repeat its card and
 * security code as well.
 */
export function createReplyRedactor(
  unsigned: Unsigned,
  { controlKey }: Pick<Credentials, 'controlKey'>,
  signatures: readonly string[],
  earlier?: Unsigned,
): EchoGuard {
  const requests = earlier === undefined || earlier === unsigned ? [unsigned] : [unsigned, earlier];
  const pairs = requests.flatMap((each) => each.pairs);
  const rowNames = new Set(requests.flatMap(({ row }) => Object.values(row.fields).map(({ wire }) => wire)));
  const isCard = ([name, value]: Pair) =>
    value !== '' && (cardNames.has(name) || (!rowNames.has(name) && mayBeCard(value)));
  const cards = pairs.filter(isCard).map(([, value]) => value);
  const codes = pairs.flatMap(([name, value]) => (codeNames.has(name) && value !== '' ? [value] : []));
  const sentValues = new Set(
    pairs.flatMap(([name, value]) => (cardNames.has(name) || codeNames.has(name) || mayBeCard(value) ? [] : [value])),
  );
  const withoutKeys = without([
    ...signatures.map((text) => ({ text, pattern: () => anyForm(text) })),
    ...(controlKey === undefined ? [] : formsOfKey(controlKey)),
  ]);
  const withoutCards = without(cards.flatMap(formsOf));
  const withoutCode = without(
    codes.map((each) => ({ text: each, pattern: () => `(?:(?<!\\d)|(?<=%[\\da-f]{2}))${anyForm(each)}(?!\\d)` })),
  );
  const numbers = cards.filter((each) => /^\d{12,}$/.test(each));
  const known = (text: string) =>
    withoutCards(
      withoutSpreadCards(withoutKeys(replaceNumbers(text, (number) => maskIfOneOf(number, cards))), numbers),
    );
  const field = (name: string, value: string) => {
    if (saysCode.test(name) || signatureNames.has(name)) return maskValue('secret', value);
    if (sentValues.has(value)) return value;
    // The payer's browser needs every character of it, even a card number; but never a key.
    if (isAddress(value)) return withoutKeys(value);
    const text = known(value).replace(codeMember, `$1"${hidden}"`);
    if (cardNames.has(name)) return withoutCardNumbers(text);
    if (cardReplies.has(name)) return replaceNumbers(text, maskIfCard);
    if (isForeign(text) || (knownReplies.has(name) && !messages.has(name))) return text;
    if (messages.has(name) || isProse(text))
      return outsideAddresses(text, (words) => withoutSecurityCodes(replaceNumbers(withoutCode(words), maskIfCard)));
    return saysCard.test(name) || /^[{[]/.test(text) ? replaceNumbers(text, maskIfCard) : text;
  };
  const logged = (text: string) => withoutCardNumbers(withoutAddresses(withoutSecurityCodes(withoutCode(known(text)))));
  return {
    fields: (fields) => changeTexts(fields, (name) => replaceNumbers(known(name), maskIfCard), field),
    delivery: (delivery) =>
      delivery.kind === 'reply'
        ? { ...delivery, reply: cleaned(delivery.reply, logged, (body) => loggedBody(body, { field, logged })) }
        : delivery,
  };
}

// Documented fields hold what their name says; `messages` are those with free text, which may hold a card number.
const knownReplies: ReadonlySet<string> = new Set(knownReplyNames);
// Fields with a part of a card number or its holder, where a faulty gateway may put the whole number.
const cardReplies: ReadonlySet<string> = new Set([
  ...[
    'masked-card-number',
    'bin',
    'last-four-digits',
    'dest-bin',
    'dest-last-four-digits',
    'card-printed-name',
    'cardholder-name',
  ],
]);
const messages: ReadonlySet<string> = new Set([...replyNames.errorMessage, 'bank_message']);
const saysCode = /(?<![a-z])(?:cvv|cvc|csc|cvn|security[-_ ]?code)(?![a-z])/i;
const codeMember = /("[^"]{0,99}(?:cvv|cvc|csc|cvn|security[-_ ]?code)[^"]{0,99}"\s*:\s*)"?\d{3,4}"?/gi;
const saysCard = /card|(?<![a-z])pan(?![a-z])/i;

const cardNames = namesOf('cardNumber');
const codeNames = namesOf('cvv');
const signatureNames: ReadonlySet<string> = new Set(['control', 'oauth_signature']);

/** Names under which requests carry such a value. */
function namesOf(kind: KindName): ReadonlySet<string> {
  const fields = allOperations.flatMap((row) => Object.values(row.fields));
  return new Set(fields.flatMap((field) => (field.kind === kind ? [field.wire] : [])));
}

function isAddress(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\/\S*$/i.test(text);
}

/** Markup and encoded messages: their receiver needs every character. */
function isForeign(text: string): boolean {
  return /^(?:<|[\w+/-]{40,}={0,2}$)/.test(text);
}

function outsideAddresses(text: string, change: (words: string) => string): string {
  // The captured addresses are at the odd indexes.
  return text
    .split(/(\bhttps?:\/\/[^\s"'<>]+)/i)
    .map((piece, at) => (at % 2 === 1 ? piece : change(piece)))
    .join('');
}

/** No plain number, and no JSON, in which a bare number must stay one. */
function isProse(text: string): boolean {
  return !/^(?:[{[]|[\d.]+$)/.test(text);
}

/** True for digits that could be the number of a card. */
export function mayBeCard(text: string): boolean {
  return /^[2-6]\d{11,18}$/.test(text) && valueChecks.luhn.holds(text);
}

function maskIfCard(number: string): string | undefined {
  return number.length > 12 && mayBeCard(number) ? maskCard(number) : undefined;
}

function maskIfOneOf(number: string, cards: readonly string[]): string | undefined {
  const card = cards.find((each) => number.includes(each));
  return card === undefined ? undefined : maskCard(card);
}

/** Cleaned at first use: it takes a while and is seldom needed. */
function cleaned(
  { status, headers, body }: HttpReply,
  clean: (text: string) => string,
  cleanBody: (text: string) => string,
): HttpReply {
  const values = (value: string | readonly string[]) => (typeof value === 'string' ? clean(value) : value.map(clean));
  let shownHeaders: HttpReply['headers'] | undefined;
  let shownBody: Buffer | undefined;
  return {
    status,
    get headers() {
      shownHeaders ??= Object.fromEntries(Object.entries(headers).map(([name, value]) => [clean(name), values(value)]));
      return shownHeaders;
    },
    get body() {
      shownBody ??= Buffer.from(cleanBody(new TextDecoder().decode(body)));
      return shownBody;
    },
  };
}

/** One way a secret may be written, and the pattern that finds it there, percent-encoded or not. */
interface Form {
  readonly text: string;
  pattern(): string;
}

/** A secret as it is, percent-encoded in part or in whole, in hexadecimal, and inside Base64. */
function formsOf(text: string): Form[] {
  const bytes = Buffer.from(text);
  // A shorter one would match unrelated text.
  if (bytes.length < 6) return [];
  const packed = [0, 1, 2].flatMap((shift) => [
    insideBase64(bytes, shift, 'base64'),
    insideBase64(bytes, shift, 'base64url'),
  ]);
  const bare = [bytes.toString('hex'), ...packed].map((each) => ({ text: each, pattern: () => escaped(each) }));
  return [{ text, pattern: () => anyForm(text) }, ...bare];
}

// Kept by key: a batch signs all its requests with one.
const keyForms = new WeakMap<Secret, Form[]>();

function formsOfKey(key: Secret): Form[] {
  const forms = keyForms.get(key) ?? formsOf(key.open());
  keyForms.set(key, forms);
  return forms;
}

/** Percent-encoded in part or in whole. */
function anyForm(text: string): string {
  return [...text].map((char) => `(?:${escaped(char)}|${percent(char)})`).join('');
}

function percent(char: string): string {
  return [...Buffer.from(char)].map((byte) => `%(?:25)*${byte.toString(16).padStart(2, '0')}`).join('');
}

/** The characters of Base64 that depend on these bytes alone, where `shift` bytes precede them. */
function insideBase64(bytes: Uint8Array, shift: number, form: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString(form);
  return text.slice(Math.ceil((shift * 4) / 3), Math.floor(((shift + bytes.length) * 4) / 3));
}

/**
 * Replaces these by dots. The pattern takes two milliseconds to compile, so it is compiled only for a text that may
 * hold one of them; most replies are plain ASCII, where a search shows that they hold none.
 */
function without(forms: readonly Form[]): (text: string) => string {
  const texts = forms.map((form) => form.text.toLowerCase());
  // Beyond ASCII a letter may have more than two cases.
  const isAscii = texts.every((each) => isPlain(each));
  let pattern: RegExp | undefined;
  return (text) => {
    if (forms.length === 0) return text;
    const lower = isAscii && isPlain(text) ? text.toLowerCase() : undefined;
    if (lower !== undefined && !texts.some((each) => lower.includes(each))) return text;
    pattern ??= new RegExp(forms.map((form) => form.pattern()).join('|'), 'giu');
    return text.replace(pattern, hidden);
  };
}

/** True for ASCII without a percent sign. */
function isPlain(text: string): boolean {
  return /^[\0-$&-\x7f]*$/.test(text);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** How a reply is masked for the log. */
interface LogMasks {
  /** The value of a field as the screen shows it. */
  field(name: string, value: string): string;
  /** Any text, masked without knowing what it is. */
  logged(text: string): string;
}

const text = String.raw`"(?:[^"\\]|\\.)*(?:"|$)`;
const bare = String.raw`[^\s"{}[\],]+`;
// A JSON text, and after the name of a member its value, at any depth, whole or cut; a list or an object is masked by
// its members.
const members = new RegExp(String.raw`(${text})(?:(\s*:\s*)(${text}|${bare}))?`, 'gs');
const codeName = String.raw`"[^"]{0,99}(?:cvv|cvc|csc|cvn|security[-_ ]?code)[^"]{0,99}"\s*:\s*`;
const codeMembers = new RegExp(String.raw`(${codeName})(?:${text}|\{[^{}]*\}|\[[^[\]]*\]|${bare})`, 'gis');

/**
 * The body of a reply for the log, masked at least as much as on the screen: each value is masked by its name first,
 * then the whole text. Addresses end after the host. All else stays as received, blanks included.
 */
function loggedBody(body: string, { field, logged }: LogMasks): string {
  const maskedValue = (name: string, text: string) => {
    const masked = field(name, text);
    return logged(/^\s*</.test(masked) ? withoutFormValues(masked) : masked);
  };
  if (/^\s*[{[]/.test(body)) {
    const masked = body
      .replace(codeMembers, `$1"${hidden}"`)
      .replace(members, (whole, name: string, colon?: string, value?: string) => {
        if (colon === undefined || value === undefined) return whole;
        const before = textOf(value);
        const after = maskedValue(textOf(name), before);
        return after === before ? whole : `${name}${colon}${JSON.stringify(after)}`;
      });
    return logged(masked);
  }
  if (!/^[^\s=<]+=/.test(body)) return logged(body);
  const pairs = body.split('&').map((pair) => {
    const [, name = pair, value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    const before = decoded(pair);
    const after = `${logged(decoded(name))}=${maskedValue(decoded(name), decoded(value))}`;
    return after === before ? pair : after;
  });
  return pairs.join('&');
}

/** The text of a value in JSON; one that cannot be read stays as it is written. */
function textOf(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value.slice(1, -1);
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
