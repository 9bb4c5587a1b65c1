import { decimalText } from '../../wire/amount.js';
import { type ChecksumSteps, type StepMistake, step } from './control-steps.js';
import { digitsBetween, type Slot } from './control-value-mistakes.js';
import type { ControlCase } from './diagnosis.js';
import { nothingWords } from './writings/nothing.js';
import { grouped } from './writings/numbers.js';

/** Values that stand in for those of the recipe, and what a program adds to the text or makes of two of its values. */
export function* otherValueMistakes(given: ControlCase): Generator<StepMistake> {
  yield* addedNumbers(given);
  yield* pathIds(given);
  yield* currencyWords(given);
  yield* amountsNotSent(given);
  yield* binaryAmounts(given);
  yield* recipesWithoutAmount(given);
  yield* keyFileNames(given);
  yield* echoOptions();
  yield* startingWords();
}

const setTo = (name: string, value: string): Partial<ChecksumSteps> => ({
  values: (slots) => slots.map((slot) => (slot.name === name ? { ...slot, value } : slot)),
});

const isNumber = /^\d{1,15}$/;

/** As + of JavaScript, PHP 7 or Python does with numbers: neighbouring values become their sum. */
function* addedNumbers({ slots, amountText }: ControlCase): Generator<StepMistake> {
  const asSent = slots.map(
    (slot): Slot => (slot.name === 'amount' && amountText !== undefined ? { ...slot, value: amountText } : slot),
  );
  for (const list of [slots, asSent])
    for (let from = 0; from < list.length; from += 1)
      for (let to = from + 2; to <= list.length; to += 1) {
        const run = list.slice(from, to);
        if (!run.every(({ name, value }) => isNumber.test(value) || (name === 'amount' && value !== ''))) break;
        const value = String(run.reduce((sum, slot) => sum + Number(slot.value), 0));
        const words = run.map(({ wire }) => wire).join(' and ');
        const sum: Slot = { name: 'sum', wire: words, value };
        yield step('order', 'numbers-added', `${words} added as numbers; they must be joined as texts`, {
          values: (all) => all.toSpliced(from, run.length, sum),
        });
      }
}

/** A piece of the path that is more than the id at its end. */
function* pathIds({ slots, url = '', endpointId, login }: ControlCase): Generator<StepMistake> {
  const own = slots.find(({ name }) => name === 'endpointId' || name === 'login');
  if (own === undefined) return;
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/, '');
  const parts = path.split('/').filter((part) => part !== '');
  const ends = parts.map((_, at) => parts.slice(at).join('/'));
  const ids = own.name === 'login' ? [login, endpointId] : [endpointId];
  const right = own.name === 'login' ? 'the login' : 'the bare id';
  const texts = [...ids, ...ends].flatMap((text) => [`/${text}`, `${text}/`, `/${text}/`, text]);
  for (const text of new Set([...texts, url, url.replace(/^[a-z]+:\/\//i, '')]))
    if (text !== '' && text !== own.value)
      yield step(
        'endpoint-login',
        'path',
        `${JSON.stringify(text)} signed as ${own.wire}, a part of the path; it must be ${right}`,
        setTo(own.name, text),
      );
}

const currencySigns: Readonly<Record<string, readonly string[]>> = {
  ...{ USD: ['$', 'US$', 'USD$', 'US Dollar', 'dollar'], EUR: ['€', 'Euro', 'euro'], GBP: ['£', 'Pound Sterling'] },
  ...{ JPY: ['¥', '￥', '円', 'JP¥'], CNY: ['¥', 'CN¥', '元'], RUB: ['₽', 'руб.', 'р.', 'RUR'], UAH: ['₴', 'грн'] },
  ...{ KZT: ['₸', 'тг'], TRY: ['₺', 'TL', 'YTL'], PLN: ['zł'], CZK: ['Kč'], HUF: ['Ft'], ILS: ['₪'], INR: ['₹'] },
  ...{ CHF: ['Fr.', 'SFr.', 'Fr'], SEK: ['kr'], NOK: ['kr'], DKK: ['kr', 'kr.'], BRL: ['R$'], GEL: ['₾'], AZN: ['₼'] },
  ...{ AUD: ['A$', '$', 'AU$'], CAD: ['C$', '$', 'CA$'], MXN: ['$', 'MX$'], ZAR: ['R'], KWD: ['د.ك', 'KD'] },
};

function* currencyWords({ slots }: ControlCase): Generator<StepMistake> {
  const slot = slots.find(({ name }) => name === 'currency');
  for (const sign of currencySigns[slot?.value ?? ''] ?? [])
    yield step(
      'amount-currency',
      'symbol',
      `the symbol or name ${sign} signed as the currency; it must be the three letters that are sent`,
      setTo('currency', sign),
    );
}

const usualCurrencies = ['USD', 'EUR', 'GBP', 'JPY', 'KWD', 'RUB', 'UAH', 'PLN', 'CHF', 'TRY', 'CAD', 'AUD', 'BRL'];

/** Where neither amount nor currency is sent, such as in a full return: a zero and the currency of the order. */
function* amountsNotSent({ slots, currency = '' }: ControlCase): Generator<StepMistake> {
  const empty = ['amount', 'currency'].every((key) => slots.some(({ name, value }) => name === key && value === ''));
  if (!empty) return;
  for (const code of new Set([currency, ...usualCurrencies, ...Object.keys(currencySigns)]))
    for (const amount of ['', '0', '0.00', '0.0', '000', 'null', 'None', 'undefined', 'nil'])
      if (code !== '')
        yield step(
          'amount-currency',
          'not-sent',
          `${amount === '' ? 'the currency' : `${amount} as the amount, and the currency`} ${code} signed, although neither is sent`,
          {
            values: (list) =>
              list.map((slot) => {
                if (slot.name === 'amount') return { ...slot, value: amount };
                return slot.name === 'currency' ? { ...slot, value: code } : slot;
              }),
          },
        );
}

/** As BigDecimal of Java and Decimal of Python have it that are made from a binary number, in minor units. */
function* binaryAmounts({ slots, amountText }: ControlCase): Generator<StepMistake> {
  const minor = slots.find(({ name }) => name === 'amount')?.value ?? '';
  if (!isNumber.test(minor)) return;
  const digits = digitsBetween(amountText ?? minor, minor);
  for (const number of [Number(decimalText(BigInt(minor), digits)), Math.fround(Number(minor) / 10 ** digits)]) {
    const { unscaled, scale } = exactDecimal(number);
    const [scaled, due] = [unscaled * 10n ** BigInt(digits), 'with all digits of the binary floating-point number'];
    const text = decimalText(scaled, scale);
    const plain = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
    for (const written of new Set([text, plain, rounded(scaled, scale, 28), grouped(plain, ',')]))
      yield step(
        'decimal-amount',
        'number-floating',
        `the minor units signed ${due}; they must be whole`,
        setTo('amount', written),
      );
  }
}

/** A binary number is a whole number divided by a power of two, so it ends in decimals as well. */
function exactDecimal(number: number): { readonly unscaled: bigint; readonly scale: number } {
  let [value, scale] = [number, 0];
  while (!Number.isInteger(value) && scale < 60) {
    value *= 2;
    scale += 1;
  }
  return { unscaled: BigInt(value) * 5n ** BigInt(scale), scale };
}

/** To so many digits, as Decimal of Python computes. */
function rounded(unscaled: bigint, scale: number, digits: number): string {
  const spare = String(unscaled).length - digits;
  if (spare <= 0 || spare > scale) return decimalText(unscaled, scale);
  const unit = 10n ** BigInt(spare);
  return decimalText((unscaled + unit / 2n) / unit, scale - spare);
}

/** The recipe of an operation with an amount, where this request has none. */
function* recipesWithoutAmount({ slots, endpointId, login, email = '' }: ControlCase): Generator<StepMistake> {
  if (slots.some(({ name }) => name === 'amount')) return;
  const known = new Map([
    ['endpointId', endpointId],
    ['login', login],
    ['email', email],
    ...slots.map(({ name, value }) => [name, value] as const),
  ]);
  for (const names of [
    ['endpointId', 'clientOrderId', 'amount', 'email'],
    ['login', 'clientOrderId', 'orderId', 'amount', 'currency'],
    ['login', 'clientOrderId', 'amount', 'currency'],
  ])
    for (const word of nothingWords)
      for (const currency of ['', word, ...usualCurrencies].slice(0, names.includes('currency') ? undefined : 1))
        yield step(
          'order',
          'other-operation',
          `the values of another operation signed: ${names.join(', ')}, with ${JSON.stringify(word)} as the amount; these are ${slots.map(({ wire }) => wire).join(', ')}`,
          {
            values: () =>
              names.map((name) => {
                const value = name === 'amount' ? word : name === 'currency' ? currency : (known.get(name) ?? '');
                return { name, wire: name, value };
              }),
          },
        );
}

/** The path of the file in place of what it holds. */
function* keyFileNames({ keyFile = '' }: ControlCase): Generator<StepMistake> {
  const parts = keyFile.split(/[/\\]/);
  const ends = parts.map((_, at) => parts.slice(at).join('/'));
  for (const text of new Set([keyFile, ...ends, ...ends.map((end) => end.replace(/\.\w+$/, ''))]))
    if (text !== '')
      yield step('other-key', 'file-name', 'the name of the key file signed instead of its contents', { key: text });
}

/** What a variable that starts out as nothing, or a sum that starts out as 0, leaves before texts. */
function* startingWords(): Generator<StepMistake> {
  for (const word of ['undefined', 'null', 'None', 'nil', 'NaN', '0', 'false'])
    yield step('order', 'word-before', `${word} before the values; a text to which values are added starts out empty`, {
      join: (list, key) => word + list.join('') + key,
    });
}

/** What sh prints of its options where its echo has none, with the line end that they should have left out. */
function* echoOptions(): Generator<StepMistake> {
  for (const option of ['-n', '-e', '-ne', '-en', '-n -e', '-e -n', '-E'])
    for (const end of ['', '\n'])
      yield step(
        'order',
        'echo-option',
        `${option} signed before the values${end === '' ? '' : ' and a line feed after the key'}: echo of sh prints its options; printf %s does not`,
        { join: (list, key) => `${option} ${list.join('')}${key}${end}` },
      );
}
