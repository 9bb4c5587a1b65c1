import type { Pair } from '../../wire/form.js';
import { splitAuthorizationHeader } from '../schemes/authorization-header.js';
import type { OauthCase, TextDifference } from './diagnosis.js';
import { explainOauthParameters, type ParameterRow } from './explain-parameters.js';
import { decomposeRequest } from './oauth-parts.js';
import { oddCharacters } from './odd-characters.js';
import { decodedOnce, parseBaseString } from './parsed-base-string.js';

/**
 * Everything in which their base string is not ours: method, address, each parameter, and the order. Where it has not
 * the form of a base string, the stretches of text that differ.
 */
export function baseStringDifferences(given: OauthCase, theirs: string): TextDifference[] {
  const parts = decomposeRequest(given);
  if (parts.text === theirs) return [];
  const { elements } = parseBaseString(theirs);
  if (elements === undefined) return textDifferences(parts.text, theirs);
  const own = parts.elements;
  const rows = explainOauthParameters(given, theirs);
  const found = [
    ...elementDifference('method', own.method, elements.method, 0, 0),
    ...elementDifference('address', own.uri, elements.uri, own.method.length + 1, elements.method.length + 1),
    ...rows.flatMap(rowDifference),
    ...orderDifference(rows),
  ];
  return found.length > 0 ? found : textDifferences(parts.text, theirs);
}

function elementDifference(
  of: 'method' | 'address',
  ours: string,
  theirs: string,
  at: number,
  theirsAt: number,
): TextDifference[] {
  if (ours === theirs) return [];
  const odd = oddCharacters(decodedOnce(theirs) ?? theirs);
  return [{ of, at, theirsAt, ours, theirs, oddInOurs: [], oddInTheirs: odd }];
}

function rowDifference({ name, status, ours, theirs }: ParameterRow): TextDifference[] {
  if (status === 'equal') return [];
  return [
    {
      of: 'parameter',
      name,
      at: ours?.at,
      theirsAt: theirs?.at,
      ours: ours?.signed,
      theirs: theirs?.signed,
      oddInOurs: ours?.odd ?? [],
      oddInTheirs: theirs?.odd ?? [],
    },
  ];
}

/** Parameters of both sides that stand in another order; those that only one side has do not count. */
function orderDifference(rows: readonly ParameterRow[]): TextDifference[] {
  const both = rows.flatMap(({ name, ours, theirs }) =>
    ours === undefined || theirs === undefined ? [] : [{ name, at: ours.at, theirsAt: theirs.at }],
  );
  const sorted = [...both].sort((one, other) => one.theirsAt - other.theirsAt);
  const first = both.findIndex(({ at }, place) => at !== sorted[place]?.at);
  const [own, other] = [both[first], sorted[first]];
  if (own === undefined || other === undefined) return [];
  const names = (list: typeof both) => list.map(({ name }) => name).join(', ');
  return [
    {
      ...{ of: 'order', at: own.at, theirsAt: other.theirsAt, ours: names(both), theirs: names(sorted) },
      ...{ oddInOurs: [], oddInTheirs: [] },
    },
  ];
}

/** The parameters of two Authorization headers that differ; undefined texts are not there. */
export function headerDifferences(ours: string, theirs: string): TextDifference[] {
  const [own, other] = [placedIn(ours), placedIn(theirs)];
  const names = [...new Set([...own.keys(), ...other.keys()])];
  return names.flatMap((name): TextDifference[] => {
    const [one, two] = [own.get(name), other.get(name)];
    if (one?.text === two?.text) return [];
    const odd = oddCharacters(decodedOnce(two?.text) ?? two?.text ?? '');
    return [
      {
        ...{ of: 'header', name, at: one?.at, theirsAt: two?.at, ours: one?.text, theirs: two?.text },
        ...{ oddInOurs: [], oddInTheirs: odd },
      },
    ];
  });
}

function placedIn(header: string): ReadonlyMap<string, { readonly text: string; readonly at: number }> {
  const { pairs, realm } = splitAuthorizationHeader(header);
  const all: readonly Pair[] = realm === undefined ? pairs : [['realm', realm], ...pairs];
  return new Map(
    all.map(([name, text]) => {
      const at = header.toLowerCase().indexOf(`${name.toLowerCase()}=`);
      return [name, { text, at: Buffer.byteLength(header.slice(0, Math.max(0, at))) }];
    }),
  );
}

// Longer texts are compared as a whole between what they share at both ends.
const maxCells = 4_000_000;

/** The stretches in which two texts differ, found by their longest common subsequence of characters and escapes. */
export function textDifferences(ours: string, theirs: string): TextDifference[] {
  const [own, other] = [tokensOf(ours), tokensOf(theirs)];
  let start = 0;
  while (start < own.length && start < other.length && own[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(own.length, other.length) - start && own.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [a, b] = [own.slice(start, own.length - end), other.slice(start, other.length - end)];
  if (a.length === 0 && b.length === 0) return [];
  const before = Buffer.byteLength(own.slice(0, start).join(''));
  const stretches = a.length * b.length > maxCells ? [{ ours: a, theirs: b, from: 0, theirsFrom: 0 }] : apart(a, b);
  return stretches.map((each) => {
    const [mine, yours] = [each.ours.join(''), each.theirs.join('')];
    return {
      of: 'text',
      at: before + Buffer.byteLength(a.slice(0, each.from).join('')),
      theirsAt: before + Buffer.byteLength(b.slice(0, each.theirsFrom).join('')),
      ours: mine,
      theirs: yours,
      oddInOurs: oddCharacters(decodedOnce(mine) ?? mine),
      oddInTheirs: oddCharacters(decodedOnce(yours) ?? yours),
    };
  });
}

/** A letter and the mark behind it stay together, as do the bytes of an escape. */
function tokensOf(text: string): string[] {
  return text.match(/%(?:25)*[0-9A-Fa-f]{2}|[\s\S]/gu) ?? [];
}

interface Stretch {
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
  readonly from: number;
  readonly theirsFrom: number;
}

function apart(a: readonly string[], b: readonly string[]): Stretch[] {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        a[i] === b[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
  const found: Stretch[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [from, theirsFrom] = [i, j];
    while ((i < a.length || j < b.length) && !(i < a.length && a[i] === b[j])) {
      if (j >= b.length || (i < a.length && lengthAt(i + 1, j) >= lengthAt(i, j + 1))) i += 1;
      else j += 1;
    }
    if (i > from || j > theirsFrom)
      found.push({ ours: a.slice(from, i), theirs: b.slice(theirsFrom, j), from, theirsFrom });
    while (i < a.length && j < b.length && a[i] === b[j]) {
      i += 1;
      j += 1;
    }
  }
  return found;
}
