import type { AssumptionId, SwitchName } from './assumptions.js';

/**
 * What a value may look like. One row per kind; flags, prompts, both sides' checks, examples and negative tests read
 * it. `secrecy` decides how a value is shown: open and personal values as they are, a card number by its last four
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
  readonly good: readonly string[];
  /** Values that both sides refuse; of spaces at the ends, which the sandbox drops, only the client. */
  readonly bad: readonly string[];
}

// No control characters, and no spaces at either end: gateways of this family drop those blanks, so the signature would
// be over other bytes.
const line = {
  form: 'single-line text without leading or trailing spaces',
  placeholder: 'text',
  pattern: /^(?!\s)[^\p{Cc}]*[^\s\p{Cc}]$/u,
  good: ['Order 17', "O'Neill-Öz", 'é ß 漢字 😀', "a+b&c=d!*'()~%"],
  bad: ['a\nb', 'a\r\nb', 'a\u0000b', 'a\u0007', ' a', 'a '],
} as const;
const phone = {
  form: '6–15 digits, spaces or + - ( )',
  placeholder: '+4930123456',
  pattern: /^(?!\s)[-+() 0-9]{5,14}[-+()0-9]$/,
  max: 15,
  good: ['+4930123456', '030 123-456'],
  bad: ['12345', 'phone', '+49 30 123456789012'],
} as const;
const positiveAmount = String.raw`(?!0+(?:\.0+)?(?:,|$))(?:0|[1-9]\d{0,11})(?:\.\d{1,4})?`;

const table = {
  text: { ...line, max: 65_536 },
  opaque: { ...line, max: 65_536, secrecy: 'secret' },
  personText: { ...line, max: 256, secrecy: 'personal', good: ['Jane Doe', "O'Neill-Öz"] },
  accountText: { ...line, max: 256, secrecy: 'account', good: ['DE89370400440532013000', 'W-17'] },
  clientOrderId: {
    form: '1 to 128 printable characters without emoji or leading or trailing spaces',
    placeholder: 'id',
    // Signs such as © and ™ are pictographs to Unicode, but text until a variation selector makes them emoji.
    pattern: /^(?!\s)(?!.*\u{fe0f})[^\p{Cc}\p{Cf}\p{Cs}\p{Emoji_Presentation}\u{1f000}-\u{1faff}\u{fffd}]+(?<!\s)$/u,
    max: 128,
    other: {
      switch: 'order-id-characters',
      value: 'any',
      form: '1 to 128 printable characters without leading or trailing spaces',
      pattern: /^(?!\s)[^\p{Cc}\p{Cs}\u{fffd}]*[^\s\p{Cc}\p{Cs}\u{fffd}]$/u,
    },
    basis: 'A53',
    good: ['902B4FF5', 'order 17/a', 'né-1', 'Fête ©™ 5'],
    bad: ['a\nb', ' 17', '17 ', 'a\u200bb', '17\u0000', '17\u200b', '17😀', '17©\ufe0f', 'a\ufffdb', 'x'.repeat(129)],
  },
  gatewayId: {
    form: "the gateway's id: letters, digits, - and _",
    placeholder: 'id',
    pattern: /^[A-Za-z0-9_-]+$/,
    max: 128,
    maxBy: 'gateway-id-length',
    basis: 'A52',
    good: ['1', '9223372036854775807', 'PAYNET-112233', 'ref_9-a'],
    bad: ['1.0', 'a b', '12/3', 'ä', '１２', '1'.repeat(129)],
  },
  login: {
    form: 'letters, digits, - and _',
    placeholder: 'login',
    pattern: /^[A-Za-z0-9_-]{1,20}$/,
    max: 20,
    good: ['shop_1'],
    bad: ['a b', 'ä', 'x'.repeat(21)],
  },
  amount: {
    form: 'a decimal number such as 10.42',
    placeholder: '10.42',
    pattern: new RegExp(`^${positiveAmount}$`),
    max: 12,
    good: ['10.42', '1', '0.01'],
    bad: ['1e3', '-1', '.5', '5.', '1,000.00', ' 5', '0x10', '１０', '0', '0.00', '00012', '1234567890123'],
  },
  amountList: {
    form: 'amounts above zero separated by commas, such as 10.00,5.00',
    placeholder: '10.00,5.00',
    pattern: new RegExp(`^${positiveAmount}(?:,${positiveAmount})*$`),
    max: 128,
    good: ['10.00,5.00'],
    bad: ['10;5', '10,,5', '10, 5', '1e3'],
  },
  currency: {
    form: 'a three-letter ISO 4217 code in upper case',
    placeholder: 'USD',
    pattern: /^[A-Z]{3}$/,
    isUpperCase: true,
    check: 'currency',
    max: 3,
    good: ['USD', 'EUR', 'JPY', 'KWD'],
    bad: ['usd', 'XXZ', 'US', 'USDD', '840'],
  },
  country: {
    form: 'a two-letter ISO 3166 code in upper case',
    placeholder: 'DE',
    pattern: /^[A-Z]{2}$/,
    isUpperCase: true,
    check: 'country',
    max: 2,
    good: ['DE', 'US', 'CA'],
    bad: ['de', 'DEU', 'ZZ', '49'],
  },
  state: {
    form: 'two or three capital letters',
    placeholder: 'CA',
    pattern: /^[A-Z]{2,3}$/,
    isUpperCase: true,
    max: 3,
    good: ['CA', 'NSW'],
    bad: ['ca', 'California', 'C'],
  },
  zip: {
    ...line,
    form: 'a postal code of at most 10 characters',
    placeholder: 'code',
    max: 10,
    secrecy: 'personal',
    good: ['10115', 'SW1A 1AA'],
    bad: ['12345678901', ' 1', '1\n', '1\u0000'],
  },
  email: {
    form: 'an e-mail address',
    placeholder: 'address',
    pattern: /^[^\s@\p{Cc}]+@[^\s@\p{Cc}.]+(?:\.[^\s@\p{Cc}.]+)*$/u,
    max: 128,
    secrecy: 'personal',
    good: ['jane@example.com', 'j+x@sub.example.org'],
    bad: ['jane', 'jane@', '@example.com', 'a b@example.com', 'a@b@c.de'],
  },
  phone: { ...phone, secrecy: 'personal' },
  accountPhone: { ...phone, secrecy: 'account' },
  ip: {
    form: 'an IPv4 or IPv6 address',
    placeholder: '192.0.2.1',
    pattern: /^[0-9A-Fa-f:.]{2,45}$/,
    check: 'ip',
    max: 45,
    secrecy: 'personal',
    good: ['192.0.2.1', '2001:db8::1'],
    bad: ['256.1.1.1', '1.2.3', 'localhost', '::g'],
  },
  url: {
    form: 'an http or https address',
    placeholder: 'https://…',
    pattern: /^https?:\/\/\S+$/,
    check: 'url',
    max: 1024,
    good: ['https://shop.example/return?x=1', 'http://127.0.0.1:8080/'],
    bad: ['shop.example', 'ftp://shop.example/', 'javascript:alert(1)', 'https://', 'https://user:pass@shop.example/'],
  },
  cardNumber: {
    form: 'the 12 to 19 digits of a card, without spaces',
    placeholder: 'digits',
    pattern: /^\d{12,19}$/,
    check: 'luhn',
    max: 19,
    secrecy: 'card',
    good: ['4444333322221111', '5555555555554444'],
    bad: [
      '4444 3333 2222 1111',
      '4444333322221112',
      '4.11111E+15',
      '４４４４333322221111',
      '1'.repeat(20),
      '0'.repeat(16),
    ],
  },
  cvv: {
    form: 'the 3 or 4 digits on the card',
    placeholder: 'digits',
    pattern: /^\d{3,4}$/,
    max: 4,
    secrecy: 'secret',
    good: ['123', '1234'],
    bad: ['12', '12345', '12a'],
  },
  month: {
    form: 'a month from 1 to 12',
    placeholder: '12',
    pattern: /^(?:0?[1-9]|1[0-2])$/,
    max: 2,
    secrecy: 'card',
    good: ['1', '01', '12'],
    bad: ['0', '13', '1.0', 'Jan'],
  },
  year: {
    form: 'a four-digit year',
    placeholder: '2030',
    pattern: /^20\d\d$/,
    max: 4,
    secrecy: 'card',
    good: ['2030'],
    bad: ['30', '1999', '20300', '2O30'],
  },
  boolean: {
    form: 'true or false',
    placeholder: 'true|false',
    pattern: /^(?:true|false)$/,
    max: 5,
    good: ['true', 'false'],
    bad: ['yes', '1', 'TRUE'],
  },
  choice: {
    form: 'one of the listed values',
    placeholder: 'value',
    pattern: /^.+$/,
    max: 40,
    good: [],
    bad: ['other'],
  },
  date: {
    form: 'a date such as 2030-01-31',
    placeholder: 'YYYY-MM-DD',
    pattern: /^\d{4}-\d\d-\d\d$/,
    check: 'date',
    max: 10,
    good: ['2030-01-31', '2028-02-29'],
    bad: ['2030-02-30', '31.01.2030', '2030-1-1'],
  },
  birthday: {
    form: 'a date such as 19900131',
    placeholder: 'YYYYMMDD',
    pattern: /^\d{8}$/,
    check: 'date',
    max: 8,
    secrecy: 'personal',
    good: ['19900131'],
    bad: ['19900231', '1990-01-31', '900131'],
  },
  interval: {
    form: 'a whole number from 1 to 999',
    placeholder: '1',
    pattern: /^[1-9]\d{0,2}$/,
    max: 3,
    good: ['1', '12'],
    bad: ['0', '-1', '1.5', '1000'],
  },
  digits: {
    form: 'digits',
    placeholder: 'digits',
    pattern: /^\d+$/,
    max: 32,
    secrecy: 'personal',
    good: ['1234'],
    bad: ['12a', '1 2', '-1'],
  },
  signedInteger: {
    form: 'a whole number such as -60',
    placeholder: '-60',
    pattern: /^-?\d{1,5}$/,
    max: 6,
    good: ['-60', '0'],
    bad: ['1.5', 'UTC', '--1'],
  },
  uuid: {
    form: 'a UUID (36 characters)',
    placeholder: 'uuid',
    pattern: /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/,
    max: 36,
    good: ['8a880dc0-d2d2-4067-bcb1-b08d1690b26e'],
    bad: ['8a880dc0', '8a880dc0d2d24067bcb1b08d1690b26e'],
  },
  serial: {
    form: 'the serial-number of an earlier reply',
    placeholder: 'serial',
    pattern: /^[0-9a-fA-F-]{8,36}$/,
    max: 36,
    good: ['00000000-0000-0000-0000-0000015b2f9a'],
    bad: ['abc', 'not a serial'],
  },
  base64: {
    form: 'Base64 text',
    placeholder: 'base64',
    pattern: /^[A-Za-z0-9+/_-]+={0,2}$/,
    check: 'base64',
    max: 10_240,
    good: ['eyJhIjoxfQ==', 'eyJhIjoxfQ'],
    bad: ['a b', '{"a":1}', 'é', 'A'],
  },
  language: {
    form: 'a language tag such as en-GB',
    placeholder: 'en-GB',
    pattern: /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/,
    max: 8,
    good: ['en', 'en-GB'],
    bad: ['e', 'en_GB', 'english language'],
  },
} as const satisfies Record<string, Omit<Kind, 'secrecy'> & Partial<Pick<Kind, 'secrecy'>>>;

export type KindName = keyof typeof table;

/** Every kind, open unless the table says something else. */
export const kinds = Object.fromEntries(
  Object.entries(table).map(([name, kind]): [string, Kind] => [name, { secrecy: 'open', ...kind }]),
) as Readonly<Record<KindName, Kind>>;

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
