import { hidden } from '../../wire/mask.js';
import { comparePairs } from './compare.js';
import { joinRows } from './control-join-rows.js';
import { type ControlCase, type ControlRecipe, makeControl, rightControl, type Slot } from './control-recipe.js';
import { valueRows } from './control-value-rows.js';
import type { Diagnosis } from './oauth.js';
import { readDigest } from './readings.js';
import { explain, type Mistake, type Target } from './search.js';

/** What the other side shows: its checksum, or the text it hashed with or without the key. */
export type ControlTheirs = { readonly control: string } | { readonly string: string };

const pairsOfControl = 40_000;

/** Names what went wrong on the other side. Throws TEXT_INVALID for values that UTF-8 cannot carry. */
export function diagnoseControl(given: ControlCase, theirs: ControlTheirs, maxPairs = pairsOfControl): Diagnosis {
  const right = rightControl(given);
  const rows = () => [...valueRows(given), ...joinRows(given)];
  const targets = 'string' in theirs ? textTargets(theirs.string, right) : digestTargets(theirs.control, given);
  const found = explain({ right, rows, make: makeControl, targets, maxPairs });
  if (found === undefined)
    return 'string' in theirs
      ? { match: false, mistakes: otherKey(theirs.string, right), signed: theirs.string }
      : { match: false, mistakes: lengthMistakes(theirs.control, given) };
  const { mistakes, recipe, made } = found;
  const pairsOf = (slots: readonly Slot[]) => slots.map(({ wire, value }) => [wire, value] as const);
  const compare = () => comparePairs(pairsOf(given.slots), pairsOf(recipe.slots));
  return { match: mistakes.length === 0, mistakes, compare, signed: keyless(made.text, recipe.key) };
}

function keyless(text: string, key: string): string {
  if (key === '') return text;
  return text.endsWith(key) ? text.slice(0, -key.length) : text.replaceAll(key, hidden);
}

// Of MD5, SHA-1, SHA-256, SHA-384 and SHA-512.
const lengths = [16, 20, 32, 48, 64];

function digestTargets(control: string, { encoding }: ControlCase): Target[] {
  return readDigest(control, { encoding, what: 'checksum', lengths }).map(({ bytes, mistakes }) => {
    const held = bytes.toString('latin1');
    return { mistakes, fits: (made) => made.bytes === held };
  });
}

function textTargets(string: string, right: ControlRecipe): Target[] {
  return [{ mistakes: [], fits: ({ text }) => text === string || text === string + right.key }];
}

const guesses: Readonly<Record<number, string>> = {
  ...{ 32: ': MD5?', 64: ': SHA-256?', 96: ': SHA-384?', 128: ': SHA-512?' },
};

/** What a checksum that nothing explains shows by itself. */
function lengthMistakes(control: string, { encoding }: ControlCase): Mistake[] {
  const isHex = /^[0-9a-f]*$/i.test(control);
  if (isHex ? control.length === 40 : readDigest(control, { encoding, what: 'checksum', lengths: [20] }).length > 0)
    return [];
  const due = encoding === 'base64' && !isHex ? '28 characters as Base64' : '40 hexadecimal digits';
  const has = `${[...control].length}${isHex ? (guesses[control.length] ?? '') : ' characters'}`;
  const fix = 'hash the values and the key with SHA-1, and send all of it';
  return [{ name: 'digest', variant: 'length', detail: `a SHA-1 has ${due}, this has ${has}`, fix }];
}

/** A text that begins with the right values has something else than the key behind them. */
function otherKey(string: string, { slots, key }: ControlRecipe): Mistake[] {
  const values = slots.map(({ value }) => value).join('');
  if (!string.startsWith(values) || values === '' || string.includes(key)) return [];
  const detail = 'the text after the values is not the control key';
  const fix = 'append the control key of this endpoint exactly as it was given';
  return [{ name: 'other-key', variant: 'unknown', detail, fix }];
}
