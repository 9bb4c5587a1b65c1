import type { Pair } from '../../wire/form.js';
import { splitAuthorizationHeader } from '../schemes/authorization-header.js';
import { compareTexts } from './compare-texts.js';
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

/** The stretches in which two texts differ, with the bytes where they begin. */
export function textDifferences(ours: string, theirs: string): TextDifference[] {
  const found: TextDifference[] = [];
  let [at, theirsAt] = [0, 0];
  for (const stretch of compareTexts(ours, theirs)) {
    const { ours: mine, theirs: yours } = stretch;
    if (!stretch.isSame)
      found.push({
        ...{ of: 'text', at, theirsAt, ours: mine, theirs: yours },
        oddInOurs: oddCharacters(decodedOnce(mine) ?? mine),
        oddInTheirs: oddCharacters(decodedOnce(yours) ?? yours),
      });
    at += Buffer.byteLength(mine);
    theirsAt += Buffer.byteLength(yours);
  }
  return found;
}
