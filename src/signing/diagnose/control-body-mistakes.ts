import { encodeForm, type Pair } from '../../wire/form.js';
import { type StepMistake, step } from './control-steps.js';
import { formEncoded, type Slot } from './control-value-mistakes.js';
import type { ControlCase } from './diagnosis.js';

/** The whole body as text, in the order it is sent and sorted by name. */
export function bodyMistakes({ slots, body = [] }: ControlCase): StepMistake[] {
  const sent = body.filter(([name]) => name !== 'control');
  if (sent.length === 0) return [];
  const minor = slots.find(({ name }) => name === 'amount');
  const inMinor = sent.map(([name, value]): Pair => [name, name === minor?.wire ? minor.value : value]);
  return [sent, sortedByName(sent), inMinor, sortedByName(inMinor)]
    .flatMap(bodyTexts)
    .map(([variant, detail, value]) => {
      const text: Slot = { name: 'body', wire: 'body', value };
      return step('order', variant, `${detail}; only the values of the recipe must be signed`, {
        values: () => [text],
      });
    });
}

function bodyTexts(pairs: readonly Pair[]): (readonly [variant: string, detail: string, text: string])[] {
  const form = (encode: (text: string) => string) => pairs.map((pair) => pair.map(encode).join('=')).join('&');
  const asForm = 'the body signed as a form, each name=value joined with &';
  return [
    ['all-fields', 'the values of all fields of the body signed', pairs.map(([, value]) => value).join('')],
    ['whole-body', asForm, form(formEncoded)],
    ['whole-body', asForm, encodeForm(pairs)],
    ['whole-body', asForm, form((text) => text)],
    ['whole-body', 'the body signed as JSON', JSON.stringify(Object.fromEntries(pairs))],
  ];
}

function sortedByName(pairs: readonly Pair[]): Pair[] {
  return [...pairs].sort(([one], [other]) => Number(one > other) - Number(one < other));
}
