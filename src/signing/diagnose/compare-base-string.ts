import { type Pair, percentEncode } from '../../wire/form.js';
import { baseStringDifferences } from './all-differences.js';
import {
  type Diagnosis,
  diagnosed,
  type Explanation,
  firstDifference,
  firstDifferentPair,
  type Mistake,
  matched,
  type OauthCase,
  type OauthMistakeName,
} from './diagnosis.js';
import { charsetMutations } from './encoding-mistakes.js';
import { mutatedEncodings } from './encoding-mutations.js';
import { type MistakenBaseString, mistakenBaseStrings } from './mistake-sources.js';
import { decomposeRequest, type Elements, type OauthParts, type SignedParameter } from './oauth-parts.js';
import { type ParsedBaseString, parseBaseString } from './parsed-base-string.js';
import { changedNonceOrTimestamp, clockMistakes, malformedTimestamp } from './timestamp-mistakes.js';

/** Holds their base string against every faulty one, then reads it piece by piece. */
export function diffBaseString(given: OauthCase, baseString: string): Diagnosis {
  const theirs = parseBaseString(baseString);
  const { adopted, taken } = adoptNonceAndTimestamp(given, theirs);
  const parts = decomposeRequest(adopted);
  const stamps = [...malformedTimestamp(adopted), ...changedNonceOrTimestamp(given, adopted)].slice(0, 1);
  if (theirs.text === parts.text) {
    const late = [...stamps, ...clockMistakes(adopted)];
    if (late.length === 0) return matched(taken);
    return {
      ...diagnosed([late], differenceOf(taken.length === 0 ? parts : decomposeRequest(given), theirs), taken),
      differences: baseStringDifferences(given, baseString),
    };
  }
  const explanations = explain(parts, theirs);
  const known = explanations.length === 0 ? [[]] : explanations;
  const found = diagnosed(
    known.map((mistakes) => [...mistakes, ...stamps]),
    differenceOf(parts, theirs),
    taken,
  );
  return { ...found, differences: baseStringDifferences(stamps.length === 0 ? adopted : given, baseString) };
}

function explain(parts: OauthParts, theirs: ParsedBaseString): readonly Explanation[] {
  const faults = [...mistakenBaseStrings(parts)];
  const exact = faults.filter(({ text }) => text === theirs.text);
  if (exact.length > 0) return exact.map(({ mistake }) => [mistake]);
  const { elements } = theirs;
  if (elements !== undefined) {
    const apart = byElement(parts, elements, faults);
    if (apart !== undefined) return [apart];
  }
  return [partialExplanation(parts, theirs, faults)];
}

const elementNames = ['method', 'uri', 'parameters'] as const;

/** Several mistakes at once, each in an element of its own. */
function byElement(
  parts: OauthParts,
  theirs: Elements,
  faults: readonly MistakenBaseString[],
): Explanation | undefined {
  let open = elementNames.filter((place) => theirs[place] !== parts.elements[place]);
  const found: MistakenBaseString[] = [];
  while (open.length > 0) {
    const behind = faults.filter((fault) => isBehind(fault, parts, theirs, open));
    // One mistake in two elements is likelier than two.
    const next = behind.find((fault) => changedElements(fault, parts).length > 1) ?? behind[0];
    if (next === undefined) return undefined;
    found.push(next);
    open = open.filter((place) => !changedElements(next, parts).includes(place));
  }
  return found.map(({ mistake }) => mistake);
}

function isBehind(
  fault: MistakenBaseString,
  parts: OauthParts,
  theirs: Elements,
  open: readonly (keyof Elements)[],
): boolean {
  const changed = changedElements(fault, parts);
  return (
    changed.length > 0 && changed.every((place) => open.includes(place) && fault.elements[place] === theirs[place])
  );
}

function changedElements({ elements: changed }: MistakenBaseString, { elements }: OauthParts): (keyof Elements)[] {
  return elementNames.filter((place) => changed[place] !== undefined && changed[place] !== elements[place]);
}

/** What can be told for certain, although nothing known gives the whole of it. */
function partialExplanation(
  parts: OauthParts,
  theirs: ParsedBaseString,
  faults: readonly MistakenBaseString[],
): Explanation {
  const { elements } = theirs;
  const address =
    elements === undefined
      ? []
      : (['method', 'uri'] as const).flatMap((place) => {
          const fault = faults.find((each) => isBehind(each, parts, elements, [place]));
          return elements[place] === parts.elements[place] || fault === undefined ? [] : [fault.mistake];
        });
  const joined =
    elements === undefined && theirs.text.split('&').length > 3
      ? [
          {
            name: 'encoded-twice-or-once',
            variant: 'element-raw',
            detail: 'raw & or = in the third element: the joined parameters were not encoded again',
          } as const,
        ]
      : [];
  return [...joined, ...address, ...pairMistakes(parts, theirs.pairs)];
}

/**
 * Nonce and timestamp are new in each attempt, so theirs are taken, unless ours only look different through their
 * encoding.
 */
function adoptNonceAndTimestamp(
  given: OauthCase,
  theirs: ParsedBaseString,
): { readonly adopted: OauthCase; readonly taken: ('nonce' | 'timestamp')[] } {
  const taking = (name: 'nonce' | 'timestamp') => {
    const value = theirs.value(`oauth_${name}`);
    return value === undefined || value === percentEncode(given[name]) ? given[name] : value;
  };
  const adopted = { ...given, nonce: taking('nonce'), timestamp: taking('timestamp') };
  return { adopted, taken: (['nonce', 'timestamp'] as const).filter((name) => adopted[name] !== given[name]) };
}

function differenceOf(parts: OauthParts, theirs: ParsedBaseString) {
  const pair = firstDifferentPair(parts.sorted, theirs.pairs);
  return firstDifference('base string', parts.text, theirs.text, pair);
}

type Found = Mistake<OauthMistakeName>;

/**
 * Compares two lists of parameters pair by pair, for when several things went wrong at once. Each mistake gives at
 * least one pair.
 */
function pairMistakes({ items, sorted }: OauthParts, theirs: readonly Pair[]): Found[] {
  const missing = lacking(items, ({ encoded }) => joined(encoded), theirs.map(joined));
  const extra = lacking(theirs, joined, sorted.map(joined));
  if (missing.length === 0 && extra.length === 0)
    return isSame(sorted, theirs)
      ? []
      : [
          {
            name: 'sort-order',
            variant: 'other',
            detail:
              'the same parameters in a different order; they must be sorted by encoded name, then by encoded value, byte by byte',
          },
        ];
  const changed = missing.flatMap((item) => {
    const other = extra.find(([name]) => name === item.encoded[0]);
    const mistake = other === undefined ? undefined : valueMistake(item, other[1]);
    return mistake === undefined ? [] : [mistake];
  });
  const gone = missing.filter(({ encoded }) => !theirs.some(([name]) => name === encoded[0]));
  return [...changed, ...goneMistakes(gone), ...extra.flatMap(extraMistakes)];
}

function valueMistake({ plain, encoded }: SignedParameter, theirs: string): Found | undefined {
  const ways = [...mutatedEncodings({ plain: plain[1], encoded: encoded[1] }), ...charsetMutations(plain[1])];
  const way = ways.find(({ text }) => text === theirs && text !== encoded[1]);
  return way === undefined ? undefined : { name: way.name, variant: way.variant, detail: way.detail };
}

function goneMistakes(gone: readonly SignedParameter[]): Found[] {
  const some = (isOne: (item: SignedParameter) => boolean, name: OauthMistakeName, detail: string): Found[] =>
    gone.some(isOne) ? [{ name, variant: 'some', detail }] : [];
  const isEmpty = ({ plain }: SignedParameter) => plain[1] === '';
  return [
    ...some(isEmpty, 'empty-values', 'a field with an empty value left out; it must be signed as name='),
    ...some((item) => !isEmpty(item) && item.from === 'body', 'body-left-out', 'some fields of the body not signed'),
    ...some(
      (item) => !isEmpty(item) && item.from === 'query',
      'query-left-out',
      'some parameters of the query not signed',
    ),
  ];
}

function extraMistakes([name, value]: Pair): Found[] {
  if (name === 'realm')
    return [{ name: 'realm', variant: 'signed', detail: 'the realm signed; it belongs only in the header' }];
  if (name === 'oauth_token' && value === '')
    return [
      { name: 'empty-values', variant: 'token-added', detail: 'an empty oauth_token signed, although it is not sent' },
    ];
  return [];
}

/** Members whose key is not among these; equal ones are counted. */
function lacking<Member>(
  list: readonly Member[],
  keyOf: (member: Member) => string,
  keys: readonly string[],
): Member[] {
  const left = new Map<string, number>();
  for (const key of keys) left.set(key, (left.get(key) ?? 0) + 1);
  return list.filter((member) => {
    const key = keyOf(member);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}

function joined([name, value]: Pair): string {
  return `${name}=${value}`;
}

function isSame(one: readonly Pair[], other: readonly Pair[]): boolean {
  return one.map(joined).join('&') === other.map(joined).join('&');
}
