import { hidden } from '../../wire/mask.js';
import { joinRows } from './control-join-rows.js';
import { type ControlCase, type ControlRecipe, makeControl, rightControl } from './control-recipe.js';
import { valueRows } from './control-value-rows.js';
import { type Diagnosis, explained } from './oauth.js';
import { readDigest } from './readings.js';
import { explain, type Mistake, type Target } from './search.js';
import { compareValues, type ParameterRow } from './stages.js';

export interface ControlDiagnosis extends Diagnosis {
  /** The values they joined beside those that belong in it, where they are known. */
  readonly compare?: () => ParameterRow[];
  /** The text they joined, without the key, where it is known. */
  readonly signed?: string;
}

/** What the other side shows: its checksum, or the text it hashed with or without the key. */
export type ControlTheirs = { readonly control: string } | { readonly string: string };

/** Names what went wrong on the other side. Throws TEXT_INVALID for values that UTF-8 cannot carry. */
export function diagnoseControl(
  given: ControlCase,
  theirs: ControlTheirs,
  maxPairs = pairsOfControl,
): ControlDiagnosis {
  const right = rightControl(given);
  const rows = () => [...valueRows(given), ...joinRows(given)];
  const isText = 'string' in theirs;
  const targets = isText ? textTargets(theirs.string, right) : digestTargets(theirs.control, given);
  const explanations = explain({ right, rows, make: makeControl, targets, commonest, maxPairs });
  const [first] = explanations;
  if (first !== undefined)
    return {
      ...explained(explanations, []),
      compare: () => compareValues(given.slots, first.recipe.slots),
      signed: keyless(first.made.text, first.recipe.key),
    };
  if (!isText) return { match: false, mistakes: lengthMistakes(theirs.control, given), otherwise: [] };
  return { match: false, mistakes: behindValues(theirs.string, right), otherwise: [], signed: theirs.string };
}

const pairsOfControl = 40_000;

/** Name and variant of what is seen most. */
const commonest: ReadonlySet<string> = new Set([
  ...['as-sent', 'full', 'number', 'cut'].map((variant) => `decimal-amount ${variant}`),
  ...['original', 'left-out', 'kept', '0', 'null'].map((variant) => `amount-currency ${variant}`),
  ...['null', '0', 'left-out', 'client-order-id'].map((variant) => `orderid-text ${variant}`),
  ...['key-first', 'other-operation', 'separator-dash', 'separator-pipe'].map((variant) => `order ${variant}`),
  ...['line-feed', 'crlf', 'blank'].map((variant) => `key-whitespace ${variant}`),
  ...['other-key quotes', 'other-key profile', 'other-key none', 'upper-case key-lower', 'upper-case values'],
  ...['md5', 'sha256', 'hmac-sha1'].map((variant) => `digest ${variant}`),
  ...['missing-email left-out', 'endpoint-login exchanged', 'endpoint-group other', 'charset percent-encoded'],
]);

function keyless(text: string, key: string): string {
  return key !== '' && text.endsWith(key)
    ? text.slice(0, -key.length)
    : text.replaceAll(key === '' ? '\0' : key, hidden);
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

/** What the checksum shows by itself. */
function lengthMistakes(control: string, { encoding }: ControlCase): Mistake[] {
  const isHex = /^[0-9a-f]*$/i.test(control);
  if (isHex ? control.length === 40 : readDigest(control, { encoding, what: 'checksum', lengths: [20] }).length > 0)
    return [];
  const due = encoding === 'base64' ? '28 characters as Base64' : '40 hexadecimal digits';
  const detail = isHex
    ? `a SHA-1 has 40 hexadecimal digits, this has ${control.length}${guesses[control.length] ?? ''}`
    : `this is no SHA-1, which has ${due}; it has ${[...control].length} characters`;
  return [
    { name: 'digest', variant: 'length', detail, fix: 'hash the values and the key with SHA-1, and send all of it' },
  ];
}

/** A text that begins with the right values has something else than the key behind them. */
function behindValues(string: string, { slots, key }: ControlRecipe): Mistake[] {
  const values = slots.map(({ value }) => value).join('');
  if (!string.startsWith(values) || values === '') return [];
  const isKey = string.slice(values.length).trim() === key;
  return [
    {
      name: isKey ? 'key-whitespace' : 'other-key',
      variant: isKey ? 'other' : 'unknown',
      detail: isKey ? 'blanks or line breaks around the key' : 'the text after the values is not the control key',
      fix: 'append the control key of this endpoint exactly as it was given',
    },
  ];
}
