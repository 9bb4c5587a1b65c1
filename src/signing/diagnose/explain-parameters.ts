import type { Pair } from '../../wire/form.js';
import type { ControlCase, OauthCase } from './diagnosis.js';
import { decomposeRequest, type OauthParts } from './oauth-parts.js';
import { type OddCharacter, oddCharacters } from './odd-characters.js';
import { decodedOnce, parseBaseString } from './parsed-base-string.js';

/** A parameter as one side signed it. */
export interface SignedParameterValue {
  /** Decoded. */
  readonly value: string;
  /** `name=value` as it stands in the text that was signed; for a checksum the value alone. */
  readonly signed: string;
  /** Where that begins, in bytes. */
  readonly at: number;
  /** Characters of the decoded value that an eye does not tell from others. */
  readonly odd: readonly OddCharacter[];
}

/** One parameter of both sides. What only one side has is missing on the other. */
export interface ParameterRow {
  readonly name: string;
  /** Where it stands in our request: `slot` in a checksum. Undefined for what only they have. */
  readonly source: 'oauth' | 'body' | 'query' | 'slot' | undefined;
  readonly status: 'equal' | 'different' | 'missing' | 'added';
  readonly ours: SignedParameterValue | undefined;
  readonly theirs: SignedParameterValue | undefined;
}

interface Placed {
  readonly name: string;
  readonly source: ParameterRow['source'];
  readonly side: SignedParameterValue;
}

/**
 * The parameters of a base string of theirs beside those that belong into it, in the order of ours. Nonce and timestamp
 * are to be theirs already. Throws TEXT_INVALID and URL_INVALID for a request that cannot be signed.
 */
export function explainOauthParameters(given: OauthCase, theirBaseString: string): ParameterRow[] {
  const parts = decomposeRequest(given);
  return besides(ourParameters(parts), theirParameters(theirBaseString));
}

function ourParameters(parts: OauthParts): Placed[] {
  const left = [...parts.items];
  return placedIn(parts.text).map(({ pair, element, at }): Placed => {
    const index = left.findIndex(({ encoded }) => encoded[0] === pair[0] && encoded[1] === pair[1]);
    const [item] = index === -1 ? [] : left.splice(index, 1);
    const [name, value] = item?.plain ?? [decodedOnce(pair[0]) ?? pair[0], decodedOnce(pair[1]) ?? pair[1]];
    return { name, source: item?.from, side: { value, signed: element, at, odd: oddCharacters(value) } };
  });
}

function theirParameters(baseString: string): Placed[] {
  return placedIn(baseString).map(({ pair, element, at }): Placed => {
    const value = decodedOnce(pair[1]) ?? pair[1];
    return {
      name: decodedOnce(pair[0]) ?? pair[0],
      source: undefined,
      side: { value, signed: element, at, odd: oddCharacters(value) },
    };
  });
}

interface PlacedElement {
  readonly pair: Pair;
  /** As it stands in the base string. */
  readonly element: string;
  readonly at: number;
}

/** The parameters of a base string, each with its place in bytes. */
function placedIn(baseString: string): PlacedElement[] {
  const { pairs, elements } = parseBaseString(baseString);
  const [method = '', uri = ''] = baseString.split('&');
  const rest = baseString.slice(method.length + uri.length + 2);
  if (rest === '') return [];
  const mark = elements === undefined || !/%26|%3D/i.test(rest) ? '&' : /%26/i;
  let at = Buffer.byteLength(baseString) - Buffer.byteLength(rest);
  return rest.split(mark).map((element, place): PlacedElement => {
    const placed = { pair: pairs[place] ?? [element, ''], element, at };
    at += Buffer.byteLength(element) + (mark === '&' ? 1 : 3);
    return placed;
  });
}

/** Ours in their order, each beside the one of theirs with the same name; then what only they have. */
function besides(ours: readonly Placed[], theirs: readonly Placed[]): ParameterRow[] {
  const left = [...theirs];
  const take = (fits: (each: Placed) => boolean) => {
    const index = left.findIndex(fits);
    return index === -1 ? undefined : left.splice(index, 1)[0];
  };
  // An equal one first, so that of several with one name the right ones are put side by side.
  const equal = ours.map((own) => take((each) => each.name === own.name && each.side.signed === own.side.signed));
  const rows = ours.map((own, at): ParameterRow => {
    const other = equal[at] ?? take((each) => each.name === own.name);
    const status = equal[at] !== undefined ? 'equal' : other === undefined ? 'missing' : 'different';
    return { name: own.name, source: own.source, status, ours: own.side, theirs: other?.side };
  });
  return [
    ...rows,
    ...left.map(
      ({ name, side }): ParameterRow => ({ name, source: undefined, status: 'added', ours: undefined, theirs: side }),
    ),
  ];
}

/**
 * The values of a checksum of theirs beside those that belong into it; theirs are undefined when they are not known.
 */
export function explainControlValues(
  given: ControlCase,
  theirs: readonly { readonly name: string; readonly wire: string; readonly value: string }[],
): ParameterRow[] {
  return besides(placedSlots(given.slots), placedSlots(theirs));
}

function placedSlots(slots: ControlCase['slots']): Placed[] {
  let at = 0;
  return slots.map(({ wire, value }): Placed => {
    const side = { value, signed: value, at, odd: oddCharacters(value) };
    at += Buffer.byteLength(value);
    return { name: wire, source: 'slot', side };
  });
}
