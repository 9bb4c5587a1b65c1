import { separatorMistakes } from './control-join-mistakes.js';
import type { ChecksumSteps, StepMistake } from './control-steps.js';
import type { Slot } from './control-value-mistakes.js';
import type { ControlCase } from './diagnosis.js';
import { hashedMapWritings, listWritings } from './writings/lists.js';
import { wrappings } from './writings/texts.js';

/** The values, and the key with them, as a program prints a list, a map or a text with places for values. */
export function* printedControls(given: ControlCase): Generator<StepMistake> {
  yield* separators();
  yield* lists(given);
  yield* maps(given);
  yield* arrangements();
  yield* formats();
}

const orderMistake = (variant: string, detail: string, steps: Partial<ChecksumSteps>): StepMistake => ({
  mistake: { name: 'order', variant, detail },
  steps,
});

const marks = [...',|:;-_ \n&+/.\t!"#$%\'()*<=>?@[\\]^`{}~'];

/** Two or three marks, and one in spaces; one alone is likelier and has been tried. */
function* separators(): Generator<StepMistake> {
  const several = marks.flatMap((one) =>
    marks.flatMap((other) => (one === other ? [one + one, one + one + one] : [one + other, one + other + one])),
  );
  const inSpaces = [...marks, ...marks.map((mark) => mark + mark)].map((mark) => ` ${mark} `);
  for (const text of new Set([...several, ...inSpaces, '\r\n', '<br>', '<br/>', '\\n', '%20']))
    yield* separatorMistakes([['other', JSON.stringify(text), text]]);
}

function* lists({ slots, key }: ControlCase): Generator<StepMistake> {
  const all = [...slots.map(({ value }) => value), key];
  for (const { variant, detail, print } of listWritings) {
    // A mark between them and a line end behind the key, which is read from a file more often than CSV is written.
    if (detail.endsWith('CSV prints a list') && isMarkedLine(print(all), all)) continue;
    const words = `the values joined ${detail}; they must be joined with nothing in between`;
    for (const join of [
      (list: readonly string[], key: string) => print(list) + key,
      (list: readonly string[], key: string) => print([...list, key]),
      (list: readonly string[], key: string) => `${print(list)}\n${key}`,
    ] satisfies ChecksumSteps['join'][])
      yield orderMistake(variant, words, { join });
    yield orderMistake(variant, words, {
      values: (slots) => slots.map((slot) => ({ ...slot, value: print([slot.value]) })),
    });
  }
}

function isMarkedLine(line: string, values: readonly string[]): boolean {
  const text = line.replace(/\r?\n$/, '');
  return text !== line && [',', ';', '\t', '|'].some((mark) => values.join(mark) === text);
}

const keyNames = ['control', 'key', 'control_key', 'merchant_control', 'merchantControl', 'secret', 'controlKey'];

function* maps({ key, slots: own }: ControlCase): Generator<StepMistake> {
  const hasEmpty = own.some(({ value }) => value === '');
  const writings = hashedMapWritings.filter(({ isOfEmpty }) => hasEmpty || isOfEmpty !== true);
  const text = (value: string): readonly Slot[] => [{ name: 'map', wire: 'map', value }];
  for (const nameOf of [({ wire }: Slot) => wire, ({ name }: Slot) => name])
    for (const { variant, detail, print } of writings) {
      const words = `the values signed ${detail}; only the values must be signed`;
      const pairsOf = (slots: readonly Slot[]) => slots.map((slot) => [nameOf(slot), slot.value] as const);
      yield orderMistake(variant, words, { values: (slots) => text(print(pairsOf(slots))) });
      yield orderMistake(variant, words, {
        values: (slots) => slots.map((slot) => ({ ...slot, value: print(pairsOf([slot])) })),
      });
      for (const name of keyNames)
        yield orderMistake(variant, `the values and the key signed ${detail}; only the values must be signed`, {
          values: (slots) => text(print([...pairsOf(slots), [name, key]])),
          join: (list) => list.join(''),
        });
    }
}

function* arrangements(): Generator<StepMistake> {
  for (const [detail, of] of [
    ['without repeated values', (list: readonly string[]) => [...new Set(list)]],
    ['backwards', (list: readonly string[]) => [...list].reverse()],
    ['with commas, without the empty ones', (list: readonly string[]) => [list.filter((value) => value !== '').join()]],
    ['without the last one', (list: readonly string[]) => list.slice(0, -1)],
    ['without the first one', (list: readonly string[]) => list.slice(1)],
  ] as const)
    yield orderMistake('list', `the values joined ${detail}; all must be joined, in their order`, {
      join: (list, key) => of(list).join('') + key,
    });
  for (const count of [2, 3])
    yield orderMistake('key-repeated', `the key ${count} times after the values`, {
      join: (list, key) => list.join('') + key.repeat(count),
    });
}

const verbs = ['s', 'd', 'v', 'q', 'x', 'f'];
const mostValues = 5;

/** What Go prints where a format has too few verbs, or too many, or one of another type. */
function* formats(): Generator<StepMistake> {
  const format = (detail: string, join: ChecksumSteps['join']) =>
    orderMistake('format', `${detail}; each value and the key must have a place in the format`, { join });
  for (const verb of verbs) {
    const missing = `%!${verb}(MISSING)`;
    const detail = `${missing} signed, which Go prints for a verb without a value`;
    yield format(detail, (list) => list.join('') + missing);
    yield format(detail, (list, key) => list.join('') + missing + key);
    yield format(detail, (list, key) => list.join('') + key + missing);
    for (let at = 0; at < mostValues; at += 1)
      yield format(detail, (list, key) => list.toSpliced(at, 1).join('') + key + missing);
  }
  const extra = 'signed as EXTRA, which Go prints for a value without a verb';
  yield format(`the key ${extra}`, (list, key) => `${list.join('')}%!(EXTRA string=${key})`);
  yield format(`the last value and the key ${extra}`, (list, key) => {
    const [last = ''] = list.slice(-1);
    return `${list.slice(0, -1).join('')}%!(EXTRA string=${last}, string=${key})`;
  });
  yield format(`all values and the key ${extra}`, (list, key) => {
    return `%!(EXTRA ${[...list, key].map((value) => `string=${value}`).join(', ')})`;
  });
  for (const { detail, write } of wrappings)
    yield format(`the values and the key signed ${detail}`, (list, key) => [...list, key].map(write).join(''));
}
