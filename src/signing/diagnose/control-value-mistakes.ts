import { decimalText } from '../../wire/amount.js';
import { encodeForm, percentEncode } from '../../wire/form.js';
import type { ControlCase, ControlMistakeName, Mistake } from './diagnosis.js';

export type Slot = ControlCase['slots'][number];

/** The values of a checksum taken wrongly. */
export interface ValueMistake {
  readonly mistake: Mistake<ControlMistakeName>;
  change(slots: readonly Slot[]): readonly Slot[];
}

/** Likeliest first. */
export function controlValueMistakes(given: ControlCase): ValueMistake[] {
  return [
    ...amounts(given),
    ...emails(given),
    ...owners(given),
    ...ids(given),
    ...money(given),
    ...moneyWords(given),
    ...groups(given),
    ...encodedValues(given),
  ];
}

export function valueMistake(
  name: ControlMistakeName,
  variant: string,
  detail: string,
  change: ValueMistake['change'],
): ValueMistake {
  return { mistake: { name, variant, detail }, change };
}

export function setTo(key: string, value: string): ValueMistake['change'] {
  return (slots) => slots.map((slot) => (slot.name === key ? { ...slot, value } : slot));
}

function without(key: string): ValueMistake['change'] {
  return (slots) => slots.filter(({ name }) => name !== key);
}

function slotOf({ slots }: ControlCase, key: string): Slot | undefined {
  return slots.find(({ name }) => name === key);
}

/** A slot of the recipe that holds something. */
function filled(given: ControlCase, key: string): Slot | undefined {
  const slot = slotOf(given, key);
  return slot === undefined || slot.value === '' ? undefined : slot;
}

function amounts(given: ControlCase): ValueMistake[] {
  const minor = filled(given, 'amount')?.value;
  const sent = given.amountText;
  if (minor === undefined || !/^\d+$/.test(minor)) return [];
  const due = 'it must be in minor units, without a point';
  const as = (variant: string, detail: string, text: string) =>
    valueMistake('decimal-amount', variant, `${detail}; ${due}`, setTo('amount', text));
  const decimal = [1, 2, 3].map((digits) => decimalText(BigInt(minor), digits));
  const shifted = [`${minor}0`, `${minor}00`, minor.slice(0, -1), minor.slice(0, -2), ...decimal].filter(
    (text) => text !== '',
  );
  return [
    ...(sent === undefined
      ? []
      : decimals(sent, minor, given.currency).map(([variant, detail, text]) => as(variant, detail, text))),
    ...shifted.map((text) => as('other-digits', `the amount in other units, ${text}`, text)),
  ];
}

type Written = readonly [variant: string, detail: string, text: string];

function decimals(sent: string, minor: string, currency = 'this currency'): Written[] {
  const digits = digitsBetween(sent, minor);
  const full = decimalText(BigInt(minor), digits);
  const number = Number(full);
  const product = number * 10 ** digits;
  return [
    ['as-sent', 'the amount as it is sent', sent],
    ['full', 'the amount with a decimal point', full],
    ['number', 'the amount as a programming language prints it', String(number)],
    ...(digits === 0
      ? [1, 2, 3].map(
          (count): Written => [
            'decimals-added',
            `the amount signed with ${count} decimals, although ${currency} has none`,
            number.toFixed(count),
          ],
        )
      : [['whole', 'the amount without its decimals', `${full.split('.')[0]}.00`] as const]),
    ['cents-cut', 'the amount cut to whole units before it was multiplied', `${Math.trunc(number) * 10 ** digits}`],
    ['comma', 'the amount with a decimal comma', full.replace('.', ',')],
    ['grouped', 'the amount with thousands separators', full.replace(/\B(?=(?:\d{3})+(?:\.|$))/g, ',')],
    ['cut', 'the amount truncated after a floating-point multiplication', String(Math.trunc(product))],
    ['floating', 'the amount as a floating-point product', String(product)],
    ['float', 'the minor units as a floating-point number', `${minor}.0`],
    ['float', 'the amount as a floating-point number', Number.isInteger(number) ? `${number}.0` : String(number)],
  ];
}

/** How many digits behind the point lie between the two forms; two when they do not belong together. */
function digitsBetween(sent: string, minor: string): number {
  const [whole = '', fraction = ''] = sent.split('.');
  const fits = (digits: number) =>
    fraction.length <= digits && (whole + fraction.padEnd(digits, '0')).replace(/^0+/, '') === minor;
  return [0, 1, 2, 3, 4].find(fits) ?? 2;
}

// What languages print for nothing.
const emptyWords = ['null', 'undefined', '0', 'None', 'nil', 'NULL', 'NaN', 'false', '""', '[]', '0.00', '-1'];

function empties(name: ControlMistakeName, slot: Slot): ValueMistake[] {
  return emptyWords.map((word) =>
    valueMistake(
      name,
      word,
      `the empty ${slot.wire} signed as ${word}; an empty value adds nothing`,
      setTo(slot.name, word),
    ),
  );
}

function emails(given: ControlCase): ValueMistake[] {
  const slot = slotOf(given, 'email');
  if (slot === undefined) return [];
  if (slot.value === '') return empties('missing-email', slot);
  return [valueMistake('missing-email', 'left-out', `${slot.wire} left out`, without('email'))];
}

function owners({ slots, login, endpointId }: ControlCase): ValueMistake[] {
  const own = slots.find(({ name }) => name === 'endpointId' || name === 'login');
  if (own === undefined) return [];
  const [right, other] = own.name === 'login' ? ['login', 'endpoint id'] : ['endpoint id', 'login'];
  const otherSlot = {
    name: 'other',
    wire: own.name === 'login' ? 'endpointId' : 'login',
    value: own.name === 'login' ? endpointId : login,
  };
  const beside =
    (after: boolean): ValueMistake['change'] =>
    (list) =>
      list.flatMap((slot) => (slot.name !== own.name ? [slot] : after ? [slot, otherSlot] : [otherSlot, slot]));
  return [
    valueMistake('endpoint-login', 'exchanged', `the ${other} signed instead of the ${right}`, (list) =>
      list.map((slot) => (slot.name === own.name ? { ...slot, value: otherSlot.value } : slot)),
    ),
    valueMistake(
      'endpoint-login',
      'both',
      `the ${other} signed after the ${right}; only the ${right} belongs in the checksum`,
      beside(true),
    ),
    valueMistake(
      'endpoint-login',
      'both',
      `the ${other} signed before the ${right}; only the ${right} belongs in the checksum`,
      beside(false),
    ),
    valueMistake('endpoint-login', 'left-out', `the ${right} left out`, without(own.name)),
  ];
}

function ids(given: ControlCase): ValueMistake[] {
  const order = slotOf(given, 'orderId');
  const client = filled(given, 'clientOrderId');
  const number = order === undefined || order.value === '' ? '' : String(Number(order.value));
  return [
    ...(order === undefined || order.value !== '' ? [] : empties('orderid-text', order)),
    ...(order === undefined || client === undefined
      ? []
      : [
          valueMistake(
            'orderid-text',
            'client-order-id',
            `${client.wire} signed in place of ${order.wire}`,
            setTo('orderId', client.value),
          ),
        ]),
    ...(order === undefined || number === ''
      ? []
      : [
          valueMistake(
            'orderid-text',
            'number',
            `${order.wire} signed as a number, which loses digits; it must stay text`,
            setTo('orderId', number),
          ),
        ]),
    ...['orderId', 'clientOrderId', 'cardRefId']
      .flatMap((key) => filled(given, key) ?? [])
      .map((slot) => valueMistake('orderid-text', 'left-out', `${slot.wire} left out`, without(slot.name))),
  ];
}

function money(given: ControlCase): ValueMistake[] {
  const { currency, amountText, slots } = given;
  const [amountSlot, currencySlot] = [slotOf(given, 'amount'), slotOf(given, 'currency')];
  const present = [amountSlot, currencySlot].filter((slot) => slot !== undefined);
  const used = present.filter(({ value }) => value !== '');
  const withoutAll =
    (list: readonly Slot[]): ValueMistake['change'] =>
    (all) =>
      all.filter((slot) => !list.some(({ name }) => name === slot.name));
  const left = (list: readonly Slot[]) =>
    valueMistake(
      'amount-currency',
      'left-out',
      `${list.map(({ wire }) => wire).join(' and ')} left out`,
      withoutAll(list),
    );
  const extra = { name: 'extra', wire: 'currency', value: currency ?? '' };
  const places =
    amountSlot === undefined
      ? [slots.length]
      : [slots.indexOf(amountSlot) + 1, slots.indexOf(amountSlot), slots.length];
  return [
    ...used.map((slot) => left([slot])),
    ...(used.length > 1 ? [left(used)] : []),
    ...(currencySlot === undefined && extra.value !== ''
      ? places.map((at) =>
          valueMistake('amount-currency', 'kept', 'the currency signed; it does not belong in the checksum', (all) =>
            all.toSpliced(at, 0, extra),
          ),
        )
      : []),
    ...(amountSlot?.value === '' && amountText !== undefined
      ? [amountText, amountText.replace('.', '')].map((text) =>
          valueMistake('amount-currency', 'kept', 'an amount signed, although none was sent', setTo('amount', text)),
        )
      : []),
    ...(currencySlot?.value === '' && extra.value !== ''
      ? [
          valueMistake(
            'amount-currency',
            'kept',
            'a currency signed, although none was sent',
            setTo('currency', extra.value),
          ),
        ]
      : []),
  ];
}

/** Amount or currency that is not there, or both, as a word for nothing; and a currency as a number. */
function moneyWords(given: ControlCase): ValueMistake[] {
  const present = ['amount', 'currency'].flatMap((key) => slotOf(given, key) ?? []);
  const empty = present.filter(({ value }) => value === '');
  const currency = slotOf(given, 'currency')?.value ?? '';
  return [
    ...empty.flatMap((slot) => empties('amount-currency', slot)),
    ...(empty.length > 1 ? bothEmpty(empty) : []),
    ...(currencyNumbers[currency] ?? []).map((number) =>
      valueMistake(
        'amount-currency',
        'numeric',
        'the currency signed as its ISO 4217 numeric code; it must be the three letters that are sent',
        setTo('currency', number),
      ),
    ),
  ];
}

/** Both at once, as one program has them. */
function bothEmpty(present: readonly Slot[]): ValueMistake[] {
  return emptyWords.map((word) =>
    valueMistake(
      'amount-currency',
      word,
      `the empty ${present.map(({ wire }) => wire).join(' and ')} both signed as ${word}; an empty value adds nothing`,
      (list) => list.map((slot) => (present.includes(slot) ? { ...slot, value: word } : slot)),
    ),
  );
}

/** The numbers that ISO 4217 gives to the usual currencies, with leading zeros and without. */
const currencyNumbers: Readonly<Record<string, readonly string[]>> = {
  ...{ USD: ['840'], EUR: ['978'], GBP: ['826'], JPY: ['392'], CHF: ['756'], CNY: ['156'], INR: ['356'], RUB: ['643'] },
  ...{ UAH: ['980'], KZT: ['398'], TRY: ['949'], PLN: ['985'], CZK: ['203'], SEK: ['752'], NOK: ['578'], DKK: ['208'] },
  ...{ CAD: ['124'], BRL: ['986'], MXN: ['484'], ZAR: ['710'], KWD: ['414'], AED: ['784'], ILS: ['376'], GEL: ['981'] },
  ...{ AUD: ['036', '36'], AMD: ['051', '51'], AZN: ['944'], BYN: ['933'], HUF: ['348'], BGN: ['975'], RON: ['946'] },
};

function groups({ otherEndpoints = [] }: ControlCase): ValueMistake[] {
  return otherEndpoints.map((id) =>
    valueMistake(
      'endpoint-group',
      'other',
      `the endpoint or group ${id} signed; it must be the one at the end of the path`,
      setTo('endpointId', id),
    ),
  );
}

/** Every value written differently. */
function encodedValues({ slots }: ControlCase): ValueMistake[] {
  const each = (name: ControlMistakeName, variant: string, detail: string, write: (text: string) => string) =>
    valueMistake(name, variant, detail, (list) => list.map((slot) => ({ ...slot, value: write(slot.value) })));
  const encoded = 'the values percent-encoded; the checksum is computed over the plain values';
  const email = slots.find(({ name }) => name === 'email')?.value ?? '';
  return [
    each('upper-case', 'values', 'the values in upper case', (text) => text.toUpperCase()),
    each('upper-case', 'values-lower', 'the values in lower case', (text) => text.toLowerCase()),
    valueMistake(
      'upper-case',
      'email-lower',
      'the e-mail in lower case; it must be signed as it is sent',
      setTo('email', email.toLowerCase()),
    ),
    each('charset', 'percent-encoded', encoded, (text) => percentEncode(text)),
    each('charset', 'percent-encoded', encoded, (text) => encodeURIComponent(text)),
    each('charset', 'form-encoded', encoded, formEncoded),
  ];
}

export function formEncoded(text: string): string {
  return encodeForm([['', text]])
    .slice(1)
    .replaceAll('%20', '+')
    .replaceAll('~', '%7E');
}
