import { decimalText } from '../../wire/amount.js';
import { percentEncode } from '../../wire/form.js';
import { formEncoded, htmlEscapes } from './charsets.js';
import { type ControlCase, type ControlRow, eachValue, type Slot, sentAs, setTo, without } from './control-recipe.js';
import { common, family } from './search.js';

const idRule = 'include the ids that the recipe names as they are sent, as text; one that is missing adds nothing';
const moneyRule = 'include amount and currency in the checksum only if the recipe names them and the request has them';
const plainRule = 'hash the plain values as they are sent, neither escaped nor decoded, as UTF-8 (A02)';
const caseRule = 'use the values exactly as they are sent, without changing their case';
const emailRule = 'include the e-mail in the checksum, exactly as in the body; an empty one adds nothing';

/** The values of a checksum taken otherwise than they must be, likeliest first. */
export function valueRows(given: ControlCase): ControlRow[] {
  return [
    ...amountRows(given),
    ...ownerRows(given),
    ...moneyRows(given),
    ...idRows(given),
    ...nothingRows,
    ...writtenRows,
    ...given.slots.flatMap((slot) => slotRows(slot, slot === given.slots.at(-1))),
  ];
}

const slotValue = ({ slots }: Pick<ControlCase, 'slots'>, name: string) =>
  slots.find((slot) => slot.name === name)?.value ?? '';

function amountRows(given: ControlCase): ControlRow[] {
  const minor = slotValue(given, 'amount') || given.original?.amount || '';
  if (!/^\d+$/.test(minor)) return [];
  const sent = sentAs(given, 'amount') ?? given.original?.amountText ?? decimalText(BigInt(minor), 2);
  const digits = digitsBetween(sent, minor);
  const full = decimalText(BigInt(minor), digits);
  const number = Number(full);
  const [whole, product] = [Math.trunc(number), number * 10 ** digits];
  const money = `${sent} ${sentAs(given, 'currency') ?? given.original?.currency ?? ''}`.trim();
  const meant = `; if ${decimalText(BigInt(sent.replace(/\D/g, '') || '0'), digits)} is meant, send that, and keep ${sent} in the checksum`;
  const because =
    digits === 0 ? 'this currency has no decimals' : `the body keeps ${sent}${/^\d+$/.test(sent) ? meant : ''}`;
  const rule = `use the amount in minor units, without a point: ${money} is ${minor}, and ${because}; derive it from the text, without floating-point arithmetic`;
  const as = (variant: string, words: string, texts: readonly string[], mark?: typeof common) =>
    texts.map((text) => {
      const detail = `the amount ${words}, ${text}; it must be ${minor}`;
      return [variant, detail, setTo('amount', () => text), mark] as const;
    });
  const shifted = [`${minor}0`, `${minor}00`, minor.slice(0, -1), minor.slice(0, -2)].filter((text) => text !== '');
  const few = [1, 2, 3];
  return family('decimal-amount', rule, [
    ...as('as-sent', 'as it is sent', [sent], common),
    ...as('full', 'with a decimal point', [full], common),
    ...as('number', 'as a number is printed', [String(number)], common),
    ...as('cut', 'cut after a floating-point multiplication', [String(Math.trunc(product))], common),
    ...as(
      'decimals-added',
      'with decimals',
      (digits === 0 ? few : [2, 3]).map((more) => `${minor}.${'0'.repeat(more)}`),
    ),
    ...as('whole', 'without its decimals', [`${whole}.00`]),
    ...as('cents-cut', 'cut to whole units before it was multiplied', [`${whole * 10 ** digits}`]),
    ...as('comma', 'with a decimal comma', [full.replace('.', ',')]),
    ...as('grouped', 'with thousands separators', [full, minor].flatMap(grouped)),
    ...as('floating', 'as a floating-point product', [String(product)]),
    ...as('float', 'as a floating-point number', [`${minor}.0`, number.toFixed(1)]),
    ...as('other-digits', 'in other units', [...shifted, ...few.map((count) => decimalText(BigInt(minor), count))]),
  ]);
}

function grouped(amount: string): string[] {
  return [',', ' '].map((between) => amount.replace(/\B(?=(?:\d{3})+(?:\.|$))/g, between));
}

/** How many digits behind the point lie between the two forms; two when they do not belong together. */
function digitsBetween(sent: string, minor: string): number {
  const [whole = '', fraction = ''] = sent.split('.');
  const filled = (digits: number) => (whole + fraction.padEnd(digits, '0')).replace(/^0+/, '');
  return [0, 1, 2, 3, 4].find((digits) => fraction.length <= digits && filled(digits) === minor) ?? 2;
}

/** Login and endpoint id, of which each recipe has one. */
function ownerRows({ slots, login, endpointId, otherLogins = [], otherEndpoints = [] }: ControlCase): ControlRow[] {
  const own = slots.find(({ name }) => name === 'endpointId' || name === 'login');
  if (own === undefined) return [];
  const [right, other] = own.name === 'login' ? ['login', 'endpoint id'] : ['endpoint id', 'login'];
  const slot: Slot = { name: `other ${own.name}`, wire: other, value: own.name === 'login' ? endpointId : login };
  const beside =
    (pair: (it: Slot) => readonly Slot[]): ControlRow['change'] =>
    (recipe) => ({ slots: recipe.slots.flatMap((each) => (each.name === own.name ? pair(each) : [each])) });
  return [
    ...family('endpoint-login', `start with the ${right}, as the recipe says, and without the ${other}`, [
      ['exchanged', `the ${other} signed instead of the ${right}`, setTo(own.name, () => slot.value), common],
      ['both', `the ${other} signed after the ${right}`, beside((each) => [each, slot])],
      ['both', `the ${other} signed before the ${right}`, beside((each) => [slot, each])],
      ['left-out', `the ${right} left out`, without(own.name)],
      ...otherLogins.map(
        (text) => ['other', `the login ${text} of another endpoint signed`, setTo('login', () => text)] as const,
      ),
    ]),
    ...family(
      'endpoint-group',
      'use the endpoint id that the request is sent to',
      otherEndpoints.map((id) => [
        'other',
        `the endpoint or group ${id} signed`,
        setTo('endpointId', () => id),
        common,
      ]),
    ),
  ];
}

function moneyRows(given: ControlCase): ControlRow[] {
  const { slots, original } = given;
  const put =
    (values: Readonly<Record<string, string>>): ControlRow['change'] =>
    (recipe) => ({ slots: recipe.slots.map((slot) => ({ ...slot, value: values[slot.name] ?? slot.value })) });
  const currency = sentAs(given, 'currency') ?? original?.currency ?? '';
  const extra: Slot = { name: 'extra', wire: 'currency', value: currency };
  const at = slots.findIndex(({ name }) => name === 'amount');
  const places = slots.some(({ name }) => name === 'currency') || at < 0 ? [] : [at + 1, at, slots.length];
  const isEmpty = slots[at]?.value === '';
  const sent = sentAs(given, 'amount');
  const unsent = isEmpty && sent !== undefined ? [sent, sent.replace('.', '')] : [];
  return family('amount-currency', moneyRule, [
    ...(isEmpty && original !== undefined ? originalMoney(original) : []).map((values) => {
      const words = `${Object.keys(values).join(' and ')} of the order signed, not sent`;
      return ['original', words, put(values), common] as const;
    }),
    ['left-out', 'amount and currency left out', without('amount', 'currency'), common],
    ['left-out', 'currency left out', without('currency'), common],
    ['left-out', 'amount left out', without('amount'), common],
    ...places.map((place) => {
      const change: ControlRow['change'] = (recipe) => ({ slots: recipe.slots.toSpliced(place, 0, extra) });
      return ['kept', 'the currency signed, which the recipe does not have', change, common] as const;
    }),
    ...unsent.map((text) => ['kept', 'an amount signed, although none was sent', put({ amount: text })] as const),
    ['kept', 'a currency signed, although none was sent', put({ currency })],
  ]);
}

function originalMoney({ amount, amountText, currency }: NonNullable<ControlCase['original']>) {
  return [{ amount, currency }, { amount: amountText, currency }, { amount }, { currency }];
}

function idRows(given: ControlCase): ControlRow[] {
  const { original } = given;
  const [client, order] = [slotValue(given, 'clientOrderId'), slotValue(given, 'orderId')];
  const number = (value: string) => (value === '' ? value : String(Number(value)));
  const ofOrder = (name: 'orderId' | 'clientOrderId') => setTo(name, (value) => original?.[name] ?? value);
  return [
    ...family('missing-email', emailRule, [['left-out', 'the e-mail left out', without('email'), common]]),
    ...family('orderid-text', idRule, [
      ['client-order-id', 'client_orderid signed in place of orderid', setTo('orderId', () => client), common],
      ['order-id', 'orderid signed in place of client_orderid', setTo('clientOrderId', (value) => order || value)],
      ['number', 'orderid signed as a number, which loses digits', setTo('orderId', number)],
      ['original', 'the orderid of the order signed', ofOrder('orderId')],
      ['original', 'the client_orderid of the order signed', ofOrder('clientOrderId')],
      ['left-out', 'orderid left out', without('orderId'), common],
      ['left-out', 'client_orderid left out', without('clientOrderId')],
      ['left-out', 'cardrefid left out', without('cardRefId')],
    ]),
  ];
}

const nothings: readonly (readonly [name: string, fix: string, fields: readonly string[]])[] = [
  ['orderid-text', idRule, ['orderId']],
  ['amount-currency', moneyRule, ['amount', 'currency']],
  ['amount-currency', moneyRule, ['amount']],
  ['amount-currency', moneyRule, ['currency']],
  ['missing-email', emailRule, ['email']],
];

const nothingWords = ['null', '0', 'undefined', 'None', 'nil', 'NULL', 'false', 'NaN', '[]', '0.00'];

/** What a language prints for a value that is not there. */
const nothingRows: readonly ControlRow[] = nothings.flatMap(([name, fix, fields]) => {
  const lines = nothingWords.map((word) => {
    const change: ControlRow['change'] = ({ slots }) => {
      const isDue = (slot: Slot) => fields.includes(slot.name) && slot.value === '';
      if (slots.filter(isDue).length < fields.length) return undefined;
      return { slots: slots.map((slot) => (isDue(slot) ? { ...slot, value: word } : slot)) };
    };
    const mark = word === 'null' || word === '0' ? common : undefined;
    return [word, `the empty ${fields.join(' and ')} signed as ${word}`, change, mark] as const;
  });
  return family(name, fix, lines);
});

const writtenRows: readonly ControlRow[] = [
  ...family('upper-case', caseRule, [
    ['email-lower', 'the e-mail in lower case', setTo('email', (value) => value.toLowerCase())],
    ['values', 'the values in upper case', eachValue((value) => value.toUpperCase()), common],
    ['values-lower', 'the values in lower case', eachValue((value) => value.toLowerCase())],
  ]),
  ...family('charset', plainRule, [
    ['percent-encoded', 'the values percent-encoded', eachValue((value) => percentEncode(value)), common],
    ['percent-encoded', 'the values percent-encoded', eachValue(encodeURIComponent), common],
    ['form-encoded', 'the values encoded as a form', eachValue(formEncoded)],
    ['plus-as-blank', 'a + of a value signed as a space', eachValue((value) => value.replaceAll('+', ' '))],
    ['blank-as-plus', 'a space of a value signed as +', eachValue((value) => value.replaceAll(' ', '+'))],
    ...htmlEscapes.map((write) => ['html', 'the values escaped for HTML', eachValue(write)] as const),
    ['json', 'the values as JSON, with quotes', eachValue((value) => JSON.stringify(value))],
    ['decomposed', 'accented letters hashed in two parts (NFD)', eachValue((value) => value.normalize('NFD'))],
    ['composed', 'accented letters hashed composed (NFC)', eachValue((value) => value.normalize('NFC'))],
  ]),
];

/** The mistake of a value that has a name of its own; others are of ids. */
const nameOfSlot: Readonly<Record<string, string>> = {
  ...{ email: 'missing-email', amount: 'decimal-amount', currency: 'amount-currency' },
  ...{ login: 'endpoint-login', endpointId: 'endpoint-login' },
};

/** One value otherwise than it is sent. */
function slotRows({ name, wire, value }: Slot, isLast: boolean): ControlRow[] {
  if (value === '') return [];
  const as = (variant: string, words: string, write: (text: string) => string) =>
    [variant, `${wire} signed ${words}`, setTo(name, write)] as const;
  const lineEnd = 'with a blank or line end after it, as read from a line';
  const withoutZeros = (text: string) => (/^\d+$/.test(text) ? String(BigInt(text)) : text);
  return [
    ...family(nameOfSlot[name] ?? 'orderid-text', 'sign each value exactly as it is sent', [
      as('trimmed', 'without blanks at its ends', (text) => text.trim()),
      as('no-blanks', 'without its blanks', (text) => text.replaceAll(' ', '')),
      as('no-zeros', 'as a number, without its leading zeros', withoutZeros),
      ...['undefined', 'null', 'None'].map((word) => as('word', `as ${word}`, () => word)),
      ...(isLast ? ['\n', '\r\n', ' '].map((mark) => as('value-line-end', lineEnd, (text) => text + mark)) : []),
    ]),
    ...family('upper-case', caseRule, [
      as('lower-case', 'in lower case', (text) => text.toLowerCase()),
      as('upper-case', 'in upper case', (text) => text.toUpperCase()),
    ]),
  ];
}
