import type { Credentials, Unsigned } from '../signing/index.js';
import { allFields, type KindName, knownReplyNames, namesOfKind, replyFields } from '../spec/index.js';
import type { Pair } from '../wire/form.js';
import {
  hidden,
  isCardNumber,
  isNameOfCode,
  maskCard,
  withoutCardData,
  withoutCardNumbers,
  withoutSecurityCodes,
} from '../wire/mask.js';
import { maskValue, withoutAddresses } from '../wire/redact.js';
import { changeTexts } from '../wire/reply.js';

/**
 * Removes from a reply what no gateway should send back: card numbers, the security code, the key and the signature of
 * the request.
 */
export interface EchoGuard {
  fields(fields: ReadonlyMap<string, string>): ReadonlyMap<string, string>;
  /** For --verbose: the same, and addresses end after the host. */
  loggedFields(fields: ReadonlyMap<string, string>): ReadonlyMap<string, string>;
  /** For --verbose: a header, or a body without fields. */
  loggedText(text: string): string;
}

/**
 * The redactor for the replies to one request. Secrets that the request holds are removed wherever they are; what only
 * looks like a card number, where a text may hold one. All else stays as received: addresses, markup, ids, and what the
 * request sent. `earlier` is the request whose outcome this one queries: a reply may repeat its card and security code
 * as well.
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
  const isCard = ([name, value]: Pair) => cardNames.has(name) || (!rowNames.has(name) && isCardNumber(value));
  const cards = pairs.filter((pair) => isCard(pair) && /^\d{12,}$/.test(pair[1])).map(([, value]) => value);
  const codes = pairs.flatMap(([name, value]) => (codeNames.has(name) && value !== '' ? [value] : []));
  const sentValues = new Set(
    pairs.flatMap((pair) => (isCard(pair) || codeNames.has(pair[0]) || isCardNumber(pair[1]) ? [] : [pair[1]])),
  );
  const keys = [...signatures, ...(controlKey === undefined ? [] : [controlKey.open()])]
    .filter((text) => text.length >= minKeyLength)
    .flatMap((text) => [text, encodeURIComponent(text)]);
  const replaceKeys = without(keys.map(escaped), () => hidden);
  // Hardly any text holds one, and the pattern is made ready only when it is used.
  const withoutKeys = (text: string) => {
    const lower = text.toLowerCase();
    return keys.some((key) => lower.includes(key.toLowerCase())) ? replaceKeys(text) : text;
  };
  const withoutCards = without(
    cards.map((card) => [...card].join('\\W{0,2}')),
    maskCard,
  );
  const withoutCode = without(
    codes.map((code) => `(?<!\\d)${escaped(code)}(?!\\d)`),
    () => hidden,
  );
  const known = (text: string) => withoutCards(withoutKeys(text));
  const inWords = (text: string) => outsideAddresses(text, (words) => withoutCardData(withoutCode(words)));
  const field = (name: string, value: string) => {
    if (isNameOfCode(name) || signatureNames.has(name)) return maskValue('secret', value);
    if (sentValues.has(value)) return value;
    const text = known(value);
    if (messages.has(name)) return inWords(text);
    // The payer's browser needs every character of it, even a card number; but never a key.
    if (isAddress(value)) return withoutKeys(value);
    if (cardNames.has(name) && /^\d+$/.test(text)) return maskValue('card', text);
    if (cardReplies.has(name)) return withoutCardNumbers(text);
    if (/^[{[]/.test(text)) return withoutCardData(text);
    if (isForeign(text) || knownReplies.has(name)) return text;
    if (!/^[\d.]+$/.test(text)) return inWords(text);
    return saysCard.test(name) ? withoutCardNumbers(text) : text;
  };
  const logged = (text: string) => withoutSecurityCodes(withoutCode(known(withoutAddresses(text))));
  // What the forms of a page post lets anybody act in the payer's place.
  const loggedField = (name: string, value: string) => (/^\s*</.test(value) ? '<…>' : logged(field(name, value)));
  const names = (name: string) => withoutCardNumbers(known(name));
  return {
    fields: (fields) => changeTexts(fields, names, field),
    loggedFields: (fields) => changeTexts(fields, names, loggedField),
    loggedText: (text) => withoutCardNumbers(logged(text)),
  };
}

// A shorter one would match unrelated text.
const minKeyLength = 6;

// Documented fields hold what their name says; `messages` are those with free text, which may hold a card number.
const knownReplies: ReadonlySet<string> = new Set(knownReplyNames);
// Fields with a part of a card number or its holder, where a faulty gateway may put the whole number.
const cardReplies = namesOfKind(replyFields, 'cardPart', 'cardHolder');
const messages = namesOfKind(replyFields, 'message');
const saysCard = /card|(?<![a-z])pan(?![a-z])/i;

const cardNames = namesOf('cardNumber');
const codeNames = namesOf('cvv');
const signatureNames: ReadonlySet<string> = new Set(['control', 'oauth_signature']);

/** Names under which requests carry such a value. */
function namesOf(kind: KindName): ReadonlySet<string> {
  return new Set(allFields.flatMap((field) => (field.kind === kind ? [field.wire] : [])));
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

/** Replaces whatever these patterns find, in either case. */
function without(patterns: readonly string[], mask: (found: string) => string): (text: string) => string {
  if (patterns.length === 0) return (text) => text;
  const pattern = new RegExp(patterns.join('|'), 'gi');
  return (text) => text.replace(pattern, mask);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
