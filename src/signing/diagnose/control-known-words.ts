import { nameOfSlot, type StepMistake, step } from './control-steps.js';
import type { Slot } from './control-value-mistakes.js';
import type { ControlCase } from './diagnosis.js';

/** A text that a program has at hand when it signs, and how a detail calls it. */
interface Known {
  readonly words: string;
  readonly value: string;
  /** Not a value of the request. */
  readonly isWord?: true;
}

const currencies = ['EUR', 'USD', 'GBP', 'JPY', 'RUB', 'UAH', 'PLN', 'CHF', 'KWD', 'TRY', 'CAD', 'AUD', 'BRL', 'BHD'];
const statuses = [
  ...['approved', 'declined', 'error', 'filtered', 'processing', 'unknown', 'sale', 'success', 'ok', 'OK', 'paid'],
  ...['completed', 'failed', 'pending', 'APPROVED', 'DECLINED', 'cancelled', 'reversal', 'true', 'false', '1', '0'],
];
const nothings = ['0', '0.00', '1', 'null', 'undefined', 'None', 'nil', '0.0', 'false', 'true', '-', 'N/A', 'NaN'];

/** Words and values of the request that a program signed beside the right ones or in the place of one of them. */
export function* knownWordMistakes(given: ControlCase): Generator<StepMistake> {
  const known = knownOf(given);
  yield* leftOut(given);
  yield* replaced(given, known);
  yield* added(given, known);
  yield* moneyAdded(given, known);
}

/** Of several that are the same text the first: those of the request before words. */
function knownOf({ slots, login, endpointId, amountText, currency, email, url = '', body = [] }: ControlCase): Known[] {
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/, '');
  const pieces = path.split('/').filter((part) => part !== '');
  const field = (words: string, value: string | undefined): Known[] =>
    value === undefined || value === '' ? [] : [{ words, value }];
  const word = (value: string): Known => ({ words: `the word ${JSON.stringify(value)}`, value, isWord: true });
  const list = [
    ...slots.flatMap(({ wire, value }) => field(wire, value)),
    ...[field('the login', login), field('the endpoint id', endpointId), field('currency', currency)].flat(),
    ...[
      field('the amount in minor units', minorText(amountText)),
      field('the amount', amountText),
      field('email', email),
    ].flat(),
    ...body.flatMap(([name, value]) => (name === 'control' ? [] : field(name, value))),
    ...pieces.map((piece) => ({ words: `${JSON.stringify(piece)} of the path`, value: piece })),
    ...[field('the path', path), field('the address', url)].flat(),
    ...nothings.map(word),
    ...slots.flatMap(({ name, wire }) => [word(wire), word(name)]),
    ...['POST', 'GET', ...currencies, 'control', 'status', 'order', 'merchant', 'key', ';'].map(word),
  ];
  return eachValueOnce(list);
}

function minorText(amountText: string | undefined): string | undefined {
  return amountText?.replace('.', '').replace(/^0+(?=\d)/, '');
}

function eachValueOnce<Item extends { readonly value: string }>(list: readonly Item[]): Item[] {
  const seen = new Set<string>();
  return list.filter(({ value }) => {
    if (seen.has(value)) return false;
    seen.add(value);
    return true;
  });
}

/** Several values at once, or all of them; one alone is among the usual mistakes. */
function* leftOut({ slots }: ControlCase): Generator<StepMistake> {
  const filled = slots.filter(({ value }) => value !== '');
  for (let bits = 1; bits < 2 ** filled.length; bits += 1) {
    const gone = filled.filter((_, at) => bits & (1 << at));
    if (gone.length < 2) continue;
    const words =
      gone.length === filled.length ? 'all values left out' : `${gone.map(({ wire }) => wire).join(', ')} left out`;
    yield step('order', 'left-out', `${words}; they belong in the checksum`, {
      values: (list) => list.filter(({ name }) => !gone.some((slot) => slot.name === name)),
    });
  }
}

function* replaced({ slots }: ControlCase, known: readonly Known[]): Generator<StepMistake> {
  for (const { name, wire, value: right } of slots) {
    const all =
      name === 'status' ? [...known, ...statuses.map((value) => ({ words: `the word ${value}`, value }))] : known;
    for (const { words, value } of all)
      if (value !== right)
        yield step(nameOfSlot[name] ?? 'orderid-text', 'other-field', `${words} signed in place of ${wire}`, {
          values: (list) => list.map((slot) => (slot.name === name ? { ...slot, value } : slot)),
        });
  }
}

function* added({ slots }: ControlCase, known: readonly Known[]): Generator<StepMistake> {
  for (const { words, value, isWord } of known)
    for (let at = slots.length; at >= 0; at -= 1)
      yield step(
        'order',
        isWord === true ? 'word-added' : 'field-added',
        `${words} signed as well; it does not belong in the checksum`,
        {
          values: (list) => list.toSpliced(at, 0, { name: 'added', wire: words, value }),
        },
      );
}

/** An amount and a currency of a recipe that has them, where this one has neither and none may be sent. */
function* moneyAdded({ slots, currency = '' }: ControlCase, known: readonly Known[]): Generator<StepMistake> {
  if (slots.some(({ name }) => name === 'amount' || name === 'currency')) return;
  const amounts = known.filter(({ words, value }) => /amount/.test(words) || nothings.includes(value));
  for (const { words, value } of amounts)
    for (const code of new Set([currency, ...currencies]))
      for (let at = slots.length; at >= 0 && code !== ''; at -= 1)
        for (const list of [
          [value, code],
          [code, value],
        ])
          yield step(
            'order',
            'field-added',
            `${words} and the currency ${code} signed as well; they do not belong in the checksum`,
            {
              values: (all) =>
                all.toSpliced(at, 0, ...list.map((text): Slot => ({ name: 'added', wire: words, value: text }))),
            },
          );
}

const mostSlots = 5;
const mostKnown = 9;

/** Any few of the values a program has, in any order: the recipe of another operation, or of nobody. */
export function* anyRecipes(given: ControlCase): Generator<StepMistake> {
  const { slots, login, endpointId, amountText, currency, body = [] } = given;
  const named = new Map(body);
  const all: readonly (readonly [words: string, value: string | undefined])[] = [
    ...slots.map(({ wire, value }) => [wire, value] as const),
    ['endpointId', endpointId],
    ['login', login],
    ['amount', minorText(amountText)],
    ['currency', currency],
    ...['email', 'orderid', 'client_orderid', 'type', 'status'].map((name) => [name, named.get(name)] as const),
    ['the amount as it is sent', amountText],
  ];
  const known = eachValueOnce(all.map(([words, value = '']): Known => ({ words, value }))).filter(
    ({ value }) => value !== '',
  );
  const right = slots.map(({ wire }) => wire).join(', ');
  for (const list of selections(known.slice(0, mostKnown), mostSlots))
    yield step(
      'order',
      'other-operation',
      `the values of another recipe signed: ${list.map(({ words }) => words).join(', ')}; these are ${right}`,
      { values: () => list.map(({ words, value }): Slot => ({ name: words, wire: words, value })) },
    );
}

function* selections<Item>(list: readonly Item[], most: number): Generator<readonly Item[]> {
  for (const [at, item] of list.entries()) {
    yield [item];
    if (most > 1) for (const rest of selections(list.toSpliced(at, 1), most - 1)) yield [item, ...rest];
  }
}
