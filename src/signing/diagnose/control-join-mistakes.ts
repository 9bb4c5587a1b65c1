import type { ChecksumSteps, StepMistake } from './control-steps.js';

/** What programmers put between values: the stable end of the variant's name, its words, the text itself. */
const separators: readonly (readonly [variant: string, words: string, text: string])[] = [
  ['comma', 'a comma', ','],
  ['pipe', '|', '|'],
  ['colon', 'a colon', ':'],
  ['semicolon', 'a semicolon', ';'],
  ['dash', 'a dash', '-'],
  ['underscore', 'an underscore', '_'],
  ['blank', 'a space', ' '],
  ['line-feed', 'a line feed', '\n'],
  ['ampersand', 'an &', '&'],
  ['plus', 'a +', '+'],
  ['slash', 'a slash', '/'],
  ['point', 'a point', '.'],
  ['comma-blank', 'a comma and a space', ', '],
  ['crlf', 'a carriage return and a line feed', '\r\n'],
];

const joinMistake = (variant: string, detail: string, join: ChecksumSteps['join']): StepMistake => ({
  mistake: {
    name: 'order',
    variant,
    detail: `${detail}; the values and the key must be joined with nothing in between`,
  },
  steps: { join },
});

type Form = readonly [words: string, join: (mark: string) => ChecksumSteps['join']];

const forms: readonly Form[] = [
  ['between the values and before the key', (mark) => (values, key) => [...values, key].join(mark)],
  ['between the values', (mark) => (values, key) => values.join(mark) + key],
  ['after each value and the key', (mark) => (values, key) => [...values, key, ''].join(mark)],
  ['before the key', (mark) => (values, key) => values.join('') + mark + key],
];

/** Each of them between the values, before the key, after the key, or at all of these places: the usual ones first. */
const separatorMistakes = forms.flatMap(([where, join]) =>
  separators.map(([variant, words, mark]) => joinMistake(`separator-${variant}`, `${words} ${where}`, join(mark))),
);

/**
 * Values and key of a checksum joined in another way than one after the other with nothing in between. Named only where
 * no likelier mistake gives the same checksum.
 */
export const joinMistakes: readonly StepMistake[] = [
  ...separatorMistakes,
  joinMistake('key-twice', 'the key before and after the values', (values, key) => key + values.join('') + key),
  joinMistake('sorted', 'the values sorted', (values, key) => [...values].sort().join('') + key),
  joinMistake('json', 'the values as a JSON array', (values, key) => JSON.stringify(values) + key),
];
