import type { AssumptionId, SwitchName } from './assumptions.js';

/**
 * What a value may look like. One row per kind; flags, prompts and both sides' checks read it. `secrecy` decides how a value is shown: open and personal values as they are, a card number by its last four
 * digits, where the money of a payout goes by its last four characters, a secret not at all.
 */
export type Secrecy = 'open' | 'personal' | 'account' | 'card' | 'secret';

export interface Kind {
  /** The right form, in words that fit after "use" and "must be". */
  readonly form: string;
  /** Shown in help: `--amount <10.42>`. */
  readonly placeholder: string;
  readonly pattern: RegExp;
  /** A further check that a pattern cannot make. */
  readonly check?: 'luhn' | 'currency' | 'country' | 'date' | 'url' | 'ip' | 'base64';
  /** Letters are capitals; prompts make them so. */
  readonly isUpperCase?: boolean;
  /** Most characters when the field names no other limit. */
  readonly max: number;
  /** The switch whose value is that number, where profiles may set it. */
  readonly maxBy?: SwitchName;
  /** Another form, while a switch has this value. */
  readonly other?: {
    readonly switch: SwitchName;
    readonly value: string;
    readonly form: string;
    readonly pattern: RegExp;
  };
  /** The assumption its form and its length rest on; A49 for the lengths of the others. */
  readonly basis?: AssumptionId;
  readonly secrecy: Secrecy;
}

type More = Partial<Omit<Kind, 'form' | 'placeholder' | 'pattern' | 'max'>>;

const kind = (form: string, placeholder: string, pattern: RegExp, max: number, more: More = {}): Kind => ({
  ...{ form, placeholder, pattern, max, secrecy: 'open' },
  ...more,
});
const personal = { secrecy: 'personal' } as const;

// No control characters, and no spaces at either end: gateways of this family drop those blanks, so the signature would
// be over other bytes.
const positiveAmount = String.raw`(?!0+(?:\.0+)?(?:,|$))(?:0|[1-9]\d{0,11})(?:\.\d{1,4})?`;
const lineForm = 'single-line text without leading or trailing spaces';
const line = /^(?!\s)[^\p{Cc}]*[^\s\p{Cc}]$/u;
const phoneForm = '6–15 digits, spaces or + - ( )';
const phone = /^(?!\s)[-+() 0-9]{5,14}[-+()0-9]$/;
// Signs such as © and ™ are pictographs to Unicode, but text until a variation selector makes them emoji.
const withoutEmoji =
  /^(?!\s)(?!.*\u{fe0f})[^\p{Cc}\p{Cf}\p{Cs}\p{Emoji_Presentation}\u{1f000}-\u{1faff}\u{fffd}]+(?<!\s)$/u;
const anyOrderId = {
  switch: 'order-id-characters',
  value: 'any',
  form: '1 to 128 printable characters without leading or trailing spaces',
  pattern: /^(?!\s)[^\p{Cc}\p{Cs}\u{fffd}]*[^\s\p{Cc}\p{Cs}\u{fffd}]$/u,
} as const;

/** Every kind of value, open unless its row says something else. */
export const kinds = {
  text: kind(lineForm, 'text', line, 65_536),
  opaque: kind(lineForm, 'text', line, 65_536, { secrecy: 'secret' }),
  personText: kind(lineForm, 'text', line, 256, personal),
  accountText: kind(lineForm, 'text', line, 256, { secrecy: 'account' }),
  clientOrderId: kind(
    '1 to 128 printable characters without emoji or leading or trailing spaces',
    'id',
    withoutEmoji,
    128,
    {
      other: anyOrderId,
      basis: 'A53',
    },
  ),
  gatewayId: kind("the gateway's id: letters, digits, - and _", 'id', /^[A-Za-z0-9_-]+$/, 128, {
    maxBy: 'gateway-id-length',
    basis: 'A52',
  }),
  login: kind('letters, digits, - and _', 'login', /^[A-Za-z0-9_-]{1,20}$/, 20),
  amount: kind('a decimal number such as 10.42', '10.42', new RegExp(`^${positiveAmount}$`), 12),
  amountList: kind(
    'amounts above zero separated by commas, such as 10.00,5.00',
    '10.00,5.00',
    new RegExp(`^${positiveAmount}(?:,${positiveAmount})*$`),
    128,
  ),
  currency: kind('a three-letter ISO 4217 code in upper case', 'USD', /^[A-Z]{3}$/, 3, {
    isUpperCase: true,
    check: 'currency',
  }),
  country: kind('a two-letter ISO 3166 code in upper case', 'DE', /^[A-Z]{2}$/, 2, {
    isUpperCase: true,
    check: 'country',
  }),
  state: kind('two or three capital letters', 'CA', /^[A-Z]{2,3}$/, 3, { isUpperCase: true }),
  zip: kind('a postal code of at most 10 characters', 'code', line, 10, personal),
  email: kind('an e-mail address', 'address', /^[^\s@\p{Cc}]+@[^\s@\p{Cc}.]+(?:\.[^\s@\p{Cc}.]+)*$/u, 128, personal),
  phone: kind(phoneForm, '+4930123456', phone, 15, personal),
  accountPhone: kind(phoneForm, '+4930123456', phone, 15, { secrecy: 'account' }),
  ip: kind('an IPv4 or IPv6 address', '192.0.2.1', /^[0-9A-Fa-f:.]{2,45}$/, 45, { check: 'ip', ...personal }),
  url: kind('an http or https address', 'https://…', /^https?:\/\/\S+$/, 1024, { check: 'url' }),
  cardNumber: kind('the 12 to 19 digits of a card, without spaces', 'digits', /^\d{12,19}$/, 19, {
    check: 'luhn',
    secrecy: 'card',
  }),
  cvv: kind('the 3 or 4 digits on the card', 'digits', /^\d{3,4}$/, 4, { secrecy: 'secret' }),
  month: kind('a month from 1 to 12', '12', /^(?:0?[1-9]|1[0-2])$/, 2, { secrecy: 'card' }),
  year: kind('a four-digit year', '2030', /^20\d\d$/, 4, { secrecy: 'card' }),
  boolean: kind('true or false', 'true|false', /^(?:true|false)$/, 5),
  choice: kind('one of the listed values', 'value', /^.+$/, 40),
  date: kind('a date such as 2030-01-31', 'YYYY-MM-DD', /^\d{4}-\d\d-\d\d$/, 10, { check: 'date' }),
  birthday: kind('a date such as 19900131', 'YYYYMMDD', /^\d{8}$/, 8, { check: 'date', ...personal }),
  interval: kind('a whole number from 1 to 999', '1', /^[1-9]\d{0,2}$/, 3),
  digits: kind('digits', 'digits', /^\d+$/, 32, personal),
  signedInteger: kind('a whole number such as -60', '-60', /^-?\d{1,5}$/, 6),
  uuid: kind('a UUID (36 characters)', 'uuid', /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 36),
  serial: kind('the serial-number of an earlier reply', 'serial', /^[0-9a-fA-F-]{8,36}$/, 36),
  base64: kind('Base64 text', 'base64', /^[A-Za-z0-9+/_-]+={0,2}$/, 10_240, { check: 'base64' }),
  language: kind('a language tag such as en-GB', 'en-GB', /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/, 8),
} as const;

export type KindName = keyof typeof kinds;

/** The row of a kind. */
export function kindOf(name: KindName): Kind {
  return kinds[name];
}

/**
 * Whether a text can be of a kind at all: its alphabet and length, as an id from a reply has to be before a command is
 * made of it.
 */
export function fitsKind(kind: KindName, text: string): boolean {
  const { pattern, max } = kinds[kind];
  return pattern.test(text) && text.length <= max;
}
