import { percentEncode } from '../../wire/form.js';
import { nameOfSlot } from './control-steps.js';
import { formEncoded, setTo, type ValueMistake, valueMistake } from './control-value-mistakes.js';
import type { ControlCase, ControlMistakeName } from './diagnosis.js';

/** Less specific than the others, which come to the same in some requests. */
export function spareValueMistakes(given: ControlCase): ValueMistake[] {
  return [...eachValue(given), ...otherRecipes(given), ...namedValues(given), ...normalised()];
}

/** The values of the other operations, by the names of the slots. */
const recipes: readonly (readonly string[])[] = [
  ['login', 'clientOrderId', 'orderId'],
  ['endpointId', 'clientOrderId', 'email'],
  ['endpointId', 'clientOrderId', 'amount', 'email'],
  ['login', 'clientOrderId', 'orderId', 'amount', 'currency'],
  ['login', 'clientOrderId', 'cardRefId', 'amount', 'currency'],
  ['login', 'clientOrderId', 'amount', 'currency'],
];

/** Values that this operation does not have are empty then, or as they are sent. */
function otherRecipes({
  slots,
  login,
  endpointId,
  email = '',
  currency = '',
  amountText = '',
}: ControlCase): ValueMistake[] {
  const known = new Map([
    ['login', login],
    ['endpointId', endpointId],
    ['email', email],
    ['currency', currency],
    ['amount', amountText.replace('.', '')],
    ...slots.map(({ name, value }) => [name, value] as const),
  ]);
  const own = slots.map(({ name }) => name).join();
  return recipes
    .filter((names) => names.join() !== own)
    .map((names) =>
      valueMistake(
        'order',
        'other-operation',
        `the values of another operation signed: ${names.join(', ')}; these are ${slots.map(({ wire }) => wire).join(', ')}`,
        () => names.map((name) => ({ name, wire: name, value: known.get(name) ?? '' })),
      ),
    );
}

type Writing = readonly [variant: string, detail: string, write: (text: string) => string, name?: ControlMistakeName];

const writings: readonly Writing[] = [
  ['trimmed', 'without its leading and trailing spaces', (text) => text.trim()],
  ['lower-case', 'in lower case', (text) => text.toLowerCase(), 'upper-case'],
  ['upper-case', 'in upper case', (text) => text.toUpperCase(), 'upper-case'],
  ['no-zeros', 'without its leading zeros, as a number', (text) => (/^\d+$/.test(text) ? String(BigInt(text)) : text)],
  ['number', 'as a number', (text) => String(Number(text))],
  ['number', 'as a floating-point number', (text) => (/^\d{1,15}$/.test(text) ? `${Number(text)}.0` : text)],
  ['number', 'as its leading number', (text) => String(Number.parseInt(text, 10) || 0)],
  ['form-encoded', 'form-encoded', (text) => formEncoded(text)],
  ['no-blanks', 'without its spaces', (text) => text.replaceAll(' ', '')],
  ...['undefined', 'null', 'None'].map((word): Writing => ['word', `as ${word}`, () => word]),
];

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

function normalised(): ValueMistake[] {
  const rows: readonly (readonly [variant: string, detail: string, write: (text: string) => string])[] = [
    ['decomposed', 'accented letters hashed in decomposed form (NFD)', (text) => text.normalize('NFD')],
    ['composed', 'accented letters hashed in composed form (NFC)', (text) => text.normalize('NFC')],
  ];
  return rows.map(([variant, detail, write]) =>
    valueMistake('charset', variant, `${detail}; the values must be signed as they are sent`, (list) =>
      list.map((slot) => ({ ...slot, value: write(slot.value) })),
    ),
  );
}

/** One value otherwise than it is sent; the e-mail has a name of its own, an amount has its spellings. */
function eachValue({ slots }: ControlCase): ValueMistake[] {
  const one = slots.flatMap((slot) =>
    slot.value === ''
      ? []
      : writings
          .filter(([variant]) => slot.name !== 'email' || variant !== 'number')
          .map(([variant, detail, write, name = nameOfSlot[slot.name] ?? 'orderid-text']) =>
            valueMistake(
              name,
              variant,
              `${slot.wire} signed ${detail}; it must be signed as it is sent`,
              setTo(slot.name, write(slot.value)),
            ),
          ),
  );
  const all = (name: ControlMistakeName, variant: string, detail: string, write: (text: string) => string) =>
    valueMistake(name, variant, `the values ${detail}; they must be signed as they are sent`, (list) =>
      list.map((slot) => ({ ...slot, value: write(slot.value) })),
    );
  return [
    ...one,
    all('orderid-text', 'trimmed', 'signed without their leading and trailing spaces', (text) => text.trim()),
    all('orderid-text', 'no-blanks', 'signed without their spaces', (text) => text.replaceAll(' ', '')),
    all('orderid-text', 'no-zeros', 'signed as numbers, without leading zeros', (text) =>
      /^\d+$/.test(text) ? String(BigInt(text)) : text,
    ),
    all('charset', 'plus-as-blank', 'signed with + as a space', (text) => text.replaceAll('+', ' ')),
    all('charset', 'json', 'signed as JSON, with quotes', (text) => JSON.stringify(text)),
    ...['&#x27;', '&#039;', "'"].map((quote) =>
      all('charset', 'html', 'escaped for HTML', (text) =>
        text
          .replaceAll('&', '&amp;')
          .replaceAll('<', '&lt;')
          .replaceAll('>', '&gt;')
          .replaceAll('"', '&quot;')
          .replaceAll("'", quote),
      ),
    ),
    all('charset', 'percent-encoded', 'percent-encoded except for slashes', (text) =>
      percentEncode(text).replaceAll('%2F', '/'),
    ),
  ];
}
