import { createHash } from 'node:crypto';
import { type Assume, type Field, type KindName, kindOf, testCards } from '../../../../spec/index.js';
import { decimalText, digitsOf } from '../../../../wire/amount.js';
import { checkValue } from '../../../../wire/check-request.js';

/**
 * Chance that depends on a seed and a label alone: what is added elsewhere changes nothing here. Nothing secret may
 * come from it.
 */
export interface Seeded {
  bytes(label: string, length: number): Buffer;
  hex(label: string, length: number): string;
  below(label: string, bound: number): number;
  /** One of these; an empty text when there are none. */
  pick(label: string, choices: readonly string[]): string;
}

export function seededBy(seed: string): Seeded {
  const bytes = (label: string, length: number) => {
    const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, at) =>
      createHash('sha256')
        .update(JSON.stringify([seed, label, at]))
        .digest(),
    );
    return Buffer.concat(blocks).subarray(0, length);
  };
  const below = (label: string, bound: number) => bytes(label, 6).readUIntBE(0, 6) % bound;
  return {
    bytes,
    hex: (label, length) =>
      bytes(label, Math.ceil(length / 2))
        .toString('hex')
        .slice(0, length),
    below,
    pick: (label, choices) => choices[below(label, choices.length)] ?? '',
  };
}

/** How values look: as in most requests, or with whatever is easily encoded wrongly. */
export type Style = 'plain' | 'awkward';

const texts = [
  "!*'()~ and -._",
  'a+b c',
  'a%2Bb %20 100 %',
  'x=y&z=1?#/:@',
  '漢字 é ß',
  '😀 👩‍👧',
  'שלום مرحبا',
  '"quoted" \\ $x {y}',
  '!',
  '+',
];

const awkward: { readonly [Kind in KindName]?: readonly string[] } = {
  text: texts,
  opaque: texts,
  personText: texts,
  accountText: texts,
  clientOrderId: ["17 !*'()~", 'a+b 17', '100%2B', 'order=1&2', 'né 漢字 😀'],
  zip: ["A+1 ~'", 'é %2B'],
  email: ["o'neil+x!*~@example.com", 'é+ß@example.com', '100%2B@example.com'],
  url: ["https://shop.example/a%20b/?x=1+2&y=%2B'()*!~", 'https://shop.example/é?😀=#~'],
  phone: ['+49 (30) 12-34'],
  accountPhone: ['+49 (30) 12-34'],
  ip: ['2001:db8::1'],
};

const currencies = ['USD', 'EUR', 'JPY', 'KWD'];

/** Where a value is made: what has one label is the same whenever the seed is. */
export interface ValueContext {
  readonly seeded: Seeded;
  readonly label: string;
  readonly style: Style;
}

export function currencyFor({ seeded, label, style }: ValueContext): string {
  return style === 'plain' ? 'USD' : seeded.pick(`${label}/currency`, currencies);
}

/** A value that fits the field and, for money, the currency. */
export function valueFor(
  key: string,
  field: Field,
  currency: string,
  assume: Assume,
  { seeded, label, style }: ValueContext,
): string {
  const here = `${label}/${key}`;
  const digits = digitsOf(currency, assume['minor-digits'], '') ?? 0;
  const amount = (at: number) => decimalText(BigInt(1 + seeded.below(`${here}/${at}`, 99_999)), digits);
  switch (field.kind) {
    case 'currency':
      return currency;
    case 'amount':
      return amount(0);
    case 'amountList':
      return [amount(0), amount(1)].join(',');
    case 'gatewayId':
      return String(1_000_000 + seeded.below(here, 8_999_999));
    case 'cardNumber':
      return seeded.pick(
        here,
        testCards.map(({ number }) => number),
      );
    case 'choice':
      return seeded.pick(here, field.values ?? []);
    default:
      return style === 'plain' ? plainOf(field, seeded.hex(here, 12)) : seeded.pick(here, awkwardOf(field));
  }
}

function plainOf({ kind }: Field, unique: string): string {
  return kind === 'clientOrderId' ? `order-${unique}` : (kindOf(kind).good[0] ?? '');
}

/** Those that the field takes. */
function awkwardOf(field: Field): readonly string[] {
  return (awkward[field.kind] ?? kindOf(field.kind).good).filter((text) => checkValue(field, text) === undefined);
}
