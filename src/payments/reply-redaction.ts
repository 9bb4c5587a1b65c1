import type { Delivery, HttpReply } from '../runtime/ports.js';
import type { Credentials, Unsigned } from '../signing/index.js';
import { allOperations, type KindName, replyNames } from '../spec/index.js';
import { knownReplyNames } from '../spec/replies.js';
import { isCardNumber, withoutCardNumbers } from '../wire/card-number.js';
import type { Pair } from '../wire/form.js';
import { hidden, maskCard } from '../wire/mask.js';
import { maskValue, withoutAddresses, withoutFormValues, withoutSecurityCodes } from '../wire/redact.js';
import { changeTexts } from '../wire/reply.js';

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
  const withoutKeys = without(
    [...signatures, ...(controlKey === undefined ? [] : [controlKey.open()])]
      .filter((text) => text.length >= minKeyLength)
      .flatMap((text) => [text, encodeURIComponent(text)].map(escaped)),
    () => hidden,
  );
  const withoutCards = without(
    cards.map((card) => [...card].join('[ -]?')),
    maskCard,
  );
  const withoutCode = without(
    codes.map((code) => `(?<!\\d)${escaped(code)}(?!\\d)`),
    () => hidden,
  );
  const known = (text: string) => withoutCards(withoutKeys(text));
  const field = (name: string, value: string) => {
    if (saysCode.test(name) || signatureNames.has(name)) return maskValue('secret', value);
    if (sentValues.has(value)) return value;
    // The payer's browser needs every character of it, even a card number; but never a key.
    if (isAddress(value)) return withoutKeys(value);
    const text = known(value).replace(codeMember, `$1"${hidden}"`);
    if (cardNames.has(name) && /^\d+$/.test(text)) return maskValue('card', text);
    if (cardReplies.has(name)) return withoutCardNumbers(text);
    if (isForeign(text) || (knownReplies.has(name) && !messages.has(name))) return text;
    if (messages.has(name) || isProse(text))
      return outsideAddresses(text, (words) => withoutSecurityCodes(withoutCardNumbers(withoutCode(words))));
    return saysCard.test(name) || /^[{[]/.test(text) ? withoutCardNumbers(text) : text;
  };
  const logged = (text: string) => withoutSecurityCodes(withoutCode(known(withoutAddresses(text))));
  const loggedText = (text: string) => withoutCardNumbers(logged(text));
  return {
    fields: (fields) => changeTexts(fields, (name) => withoutCardNumbers(known(name)), field),
    delivery: (delivery) =>
      delivery.kind === 'reply'
        ? {
            ...delivery,
            reply: cleaned(delivery.reply, loggedText, (body) => loggedBody(body, { field, logged, loggedText })),
          }
        : delivery,
  };
}

// A shorter one would match unrelated text.
const minKeyLength = 6;

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

/** Replaces whatever these patterns find, in either case. */
function without(patterns: readonly string[], mask: (found: string) => string): (text: string) => string {
  if (patterns.length === 0) return (text) => text;
  const pattern = new RegExp(patterns.join('|'), 'gi');
  return (text) => text.replace(pattern, mask);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** How a reply is masked for the log. */
interface LogMasks {
  /** The value of a field as the screen shows it. */
  field(name: string, value: string): string;
  /** Any text without addresses and the secrets of the request. */
  logged(text: string): string;
  /** The same without card numbers; the body is no list of fields. */
  loggedText(text: string): string;
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
function loggedBody(body: string, { field, logged, loggedText }: LogMasks): string {
  const maskedValue = (name: string, text: string) => {
    const masked = field(name, text);
    return logged(/^\s*</.test(masked) ? withoutFormValues(masked) : masked);
  };
  if (/^\s*[{[]/.test(body)) {
    const masked = body
      .replace(codeMembers, `$1"${hidden}"`)
      .replace(members, (whole, name: string, colon?: string, value?: string) => {
        if (colon === undefined || value === undefined) return loggedText(whole);
        const before = textOf(value);
        const after = maskedValue(textOf(name), before);
        return `${loggedText(name)}${colon}${after === before ? value : JSON.stringify(after)}`;
      });
    return logged(masked);
  }
  if (!/^[^\s=<]+=/.test(body)) return loggedText(body);
  const pairs = body.split('&').map((pair) => {
    const [, name = pair, value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    const before = decoded(pair);
    const after = `${loggedText(decoded(name))}=${maskedValue(decoded(name), decoded(value))}`;
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
    return value.replace(/^"|"$/g, '');
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
