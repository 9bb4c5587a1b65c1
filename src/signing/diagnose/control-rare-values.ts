import { decimalText } from '../../wire/amount.js';
import { digitsBetween, filled, setTo, type ValueMistake, valueMistake } from './control-value-mistakes.js';
import type { ControlCase } from './diagnosis.js';

/** What hardly any program does. */
export function rareValueMistakes(given: ControlCase): ValueMistake[] {
  return [...rareAmounts(given), ...namedValues(given), ...repeatedValues(given), ...normalised()];
}

function rareAmounts(given: ControlCase): ValueMistake[] {
  const minor = filled(given, 'amount')?.value;
  const { amountText, currency = '' } = given;
  if (minor === undefined || amountText === undefined || !/^\d+$/.test(minor)) return [];
  const full = decimalText(BigInt(minor), digitsBetween(amountText, minor));
  const [mantissa = '', exponent = ''] = Number(full).toExponential(6).split('e');
  const power = `${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`;
  const digits = minor.replace(/^0+/, '').replace(/0+$/, '');
  const rows: readonly (readonly [variant: string, detail: string, text: string])[] = [
    ['currency-before', 'the currency before the amount', `${currency} ${full}`],
    ['currency-before', 'the currency before the amount', currency + full],
    ['currency-before', 'the currency before the minor units', currency + minor],
    ['currency-behind', 'the currency after the amount', full + currency],
    ['currency-behind', 'the currency after the minor units', `${minor} ${currency}`],
    ...['$', '€', '£', '¥', '₽'].flatMap((sign) =>
      [sign + full, `${full} ${sign}`, full + sign].map(
        (text) => ['currency-sign', 'the amount with a currency symbol', text] as const,
      ),
    ),
    ['exponent', 'the amount with an exponent', `${mantissa}e${power}`],
    ['exponent', 'the amount as Ruby prints a BigDecimal', `0.${digits}e${(full.split('.')[0] ?? '').length}`],
    ['negative', 'the amount with a minus sign', `-${minor}`],
    ['negative', 'the amount with a minus sign', `-${full}`],
  ];
  return rows.map(([variant, detail, text]) =>
    valueMistake(
      'decimal-amount',
      variant,
      `${detail}; it must be in minor units, without a point`,
      setTo('amount', text),
    ),
  );
}

/** Names signed beside their values. */
function namedValues({ slots }: ControlCase): ValueMistake[] {
  const named = (detail: string, written: (wire: string, value: string, isLast: boolean) => string) =>
    valueMistake('order', 'names-signed', `${detail}; only the values must be signed`, (list) =>
      list.map((slot, at) => ({ ...slot, value: written(slot.wire, slot.value, at === list.length - 1) })),
    );
  const object = JSON.stringify(Object.fromEntries(slots.map(({ wire, value }) => [wire, value])));
  return [
    named('names before the values', (wire, value) => wire + value),
    ...['=', ':'].flatMap((within) =>
      ['', '&', '|', ';', ',', '\n'].flatMap((between) => [
        named(
          `names and values joined with ${within}`,
          (wire, value, isLast) => wire + within + value + (isLast ? '' : between),
        ),
        named(`names and values joined with ${within}`, (wire, value) => wire + within + value + between),
      ]),
    ),
    valueMistake('order', 'json', 'the values as a JSON object; they must be joined with nothing in between', () => [
      { name: 'object', wire: 'object', value: object },
    ]),
  ];
}

function repeatedValues({ slots }: ControlCase): ValueMistake[] {
  return slots.map(({ name, wire }) =>
    valueMistake('order', 'value-twice', `${wire} signed twice; each value must be signed once`, (list) =>
      list.flatMap((slot) => (slot.name === name ? [slot, slot] : [slot])),
    ),
  );
}

function normalised(): ValueMistake[] {
  const rows: readonly (readonly [variant: string, detail: string, write: (text: string) => string])[] = [
    ['decomposed', 'accented letters hashed in decomposed form (NFD)', (text) => text.normalize('NFD')],
    ['composed', 'accented letters hashed in composed form (NFC)', (text) => text.normalize('NFC')],
    ['unaccented', 'letters hashed without their accents', (text) => text.normalize('NFD').replace(/\p{Mn}/gu, '')],
  ];
  return rows.map(([variant, detail, write]) =>
    valueMistake('charset', variant, `${detail}; the values must be signed as they are sent`, (list) =>
      list.map((slot) => ({ ...slot, value: write(slot.value) })),
    ),
  );
}
