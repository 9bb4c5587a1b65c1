import type { Pair } from '../../wire/form.js';
import type { ChecksumSteps, StepMistake } from './control-steps.js';
import type { Slot } from './control-value-mistakes.js';
import type { ControlCase } from './diagnosis.js';
import { inHashMapOrder } from './hash-map-order.js';
import { mapWritings } from './writings/lists.js';
import { encodedBy, percentEncoders } from './writings/percent-encoders.js';

/** More of the request than the recipe has: the whole body, or a field of it that does not belong in the checksum. */
export function* bodyMistakes(given: ControlCase): Generator<StepMistake> {
  yield* addedFields(given);
  yield* addedMoney(given);
  yield* wholeBodies(given);
}

const orderMistake = (variant: string, detail: string, steps: Partial<ChecksumSteps>): StepMistake => ({
  mistake: { name: 'order', variant, detail },
  steps,
});

/** Each field in each place. The currency, which other recipes have, is among the usual mistakes. */
function* addedFields({ slots, body = [] }: ControlCase): Generator<StepMistake> {
  const own = new Set([...slots.map(({ wire }) => wire), 'control', 'currency']);
  for (const [wire, value] of body)
    if (!own.has(wire) && value !== '')
      for (let at = slots.length; at >= 0; at -= 1)
        yield orderMistake('field-added', `${wire} signed as well; it does not belong in the checksum`, {
          values: (list) => list.toSpliced(at, 0, { name: `added-${wire}`, wire, value }),
        });
}

/** Amount and currency together, where the recipe has neither. */
function* addedMoney({ slots, body = [] }: ControlCase): Generator<StepMistake> {
  const money = body.filter(([wire]) => wire === 'amount' || wire === 'currency');
  if (money.length !== 2 || slots.some(({ name }) => name === 'amount')) return;
  const added = money.map(([wire, value]): Slot => ({ name: `added-${wire}`, wire, value }));
  for (const list of [added, added.toReversed()])
    for (let at = slots.length; at >= 0; at -= 1)
      yield orderMistake('field-added', 'amount and currency signed as well; they do not belong in the checksum', {
        values: (all) => all.toSpliced(at, 0, ...list),
      });
}

/** As text. */
function* wholeBodies(given: ControlCase): Generator<StepMistake> {
  const seen = new Set<string>();
  for (const [variant, detail, text] of bodyTexts(given)) {
    if (seen.has(text)) continue;
    seen.add(text);
    const words = `${detail}; only the values of the recipe must be signed`;
    const body: Slot = { name: 'body', wire: 'body', value: text };
    yield orderMistake(variant, words, { values: () => [body] });
    if (variant === 'body-printed') continue;
    // The endpoint id stands in the address, not in the body.
    const id: Slot = { name: 'endpointId', wire: 'endpointId', value: given.endpointId };
    yield orderMistake(variant, `the endpoint id and ${words}`, { values: () => [id, body] });
    for (const join of variant === 'whole-body' ? keyJoins : keyJoins.slice(0, 1))
      yield orderMistake(variant, words, { values: () => [body], join });
  }
}

/** In the order the fields are sent, and sorted as writers of maps do; a map of Java has an order of its own. */
function* bodyTexts({ slots, body = [] }: ControlCase): Generator<BodyText> {
  const sent = body.filter(([name]) => name !== 'control');
  if (sent.length === 0) return;
  const minor = slots.find(({ name }) => name === 'amount');
  const inMinor = sent.map(([name, value]): Pair => [name, name === minor?.wire ? minor.value : value]);
  yield* joinedValues(sent);
  yield* joinedValues(inMinor);
  yield* forms(sent);
  yield* forms(inMinor);
  for (const { detail, print } of mapWritings) yield ['body-printed', `the whole body signed ${detail}`, print(sent)];
  const hashed = inHashMapOrder(sent, ([name]) => name);
  for (const { detail, print } of mapWritings)
    if (detail.includes('Java')) yield ['body-printed', `the whole body signed ${detail}`, print(hashed)];
}

const keyJoins: readonly ChecksumSteps['join'][] = [
  ([text = ''], key) => key + text,
  ([text = ''], key) => `${text}&${key}`,
  ...['key', 'control', 'secret', 'control_key', 'merchant_control'].map(
    (name): ChecksumSteps['join'] =>
      ([text = ''], key) =>
        `${text}&${name}=${key}`,
  ),
];

type BodyText = readonly [variant: string, detail: string, text: string];

const byCodeUnit = (one: string, other: string) => Number(one > other) - Number(one < other);

function* joinedValues(pairs: readonly Pair[]): Generator<BodyText> {
  const byName = [...pairs].sort(([one], [other]) => byCodeUnit(one, other));
  for (const [detail, list] of [
    ['in the order they are sent', pairs],
    ['sorted by name', byName],
    ['sorted by name, backwards', byName.toReversed()],
    ['sorted', [...pairs].sort(([, one], [, other]) => byCodeUnit(one, other))],
    ['in the order they are sent, backwards', pairs.toReversed()],
  ] as const) {
    const values = list.map(([, value]) => value);
    for (const mark of ['', '|', ',', ':', ';', '&', '-', ' '])
      yield [
        'all-fields',
        `the values of all fields of the body signed, ${detail}${mark === '' ? '' : `, joined with ${mark}`}`,
        values.join(mark),
      ];
  }
}

const usualNames = [
  ...['url.QueryEscape', "JavaScript's encodeURIComponent", 'URLSearchParams', "PHP's urlencode", 'rawurlencode'],
  'quote of',
];
// Of Go, JavaScript, Java and Ruby, PHP, Python and .NET; others come to the same in most bodies.
const usualEncoders = percentEncoders.filter(({ of }) =>
  usualNames.some((name) => of.startsWith(name) || of === ".NET's HttpUtility.UrlEncode"),
);

function* forms(pairs: readonly Pair[]): Generator<BodyText> {
  for (const list of [pairs, [...pairs].sort(([one], [other]) => byCodeUnit(one, other))])
    for (const encoder of usualEncoders)
      yield [
        'whole-body',
        'the body signed as a form, each name=value joined with &',
        list.map((pair) => pair.map((text) => encodedBy(encoder, text)).join('=')).join('&'),
      ];
}
