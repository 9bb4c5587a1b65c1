import { makeBaseString, type OauthRecipe } from './oauth-recipe.js';
import { decodedOnce, parseBaseString } from './parsed-base-string.js';

/** One parameter as both sides signed it. What only one side has is null on the other. */
export interface ParameterRow {
  readonly name: string;
  readonly status: 'equal' | 'different' | 'missing' | 'added';
  readonly ours: string | null;
  readonly theirs: string | null;
}

type Signed = readonly [name: string, text: string];

/** Method, address and parameters of a base string of theirs beside ours; values as they are joined, encoded once. */
export function compareParameters(right: OauthRecipe, theirs: string): ParameterRow[] {
  return besides(partsOf(makeBaseString(right)), partsOf(theirs));
}

function partsOf(baseString: string): Signed[] {
  const [method = '', address = ''] = baseString.split('&');
  const pairs = parseBaseString(baseString).pairs.map(([name, value]): Signed => [decodedOnce(name) ?? name, value]);
  return [['(method)', method], ['(address)', address], ...pairs];
}

type Values = readonly { readonly wire: string; readonly value: string }[];

/** The values of a checksum of theirs beside those that belong into it. */
export function compareValues(ours: Values, theirs: Values): ParameterRow[] {
  const signed = (values: Values) => values.map(({ wire, value }): Signed => [wire, value]);
  return besides(signed(ours), signed(theirs));
}

/** Ours in their order, each beside the one of theirs with the same name; then what only they have. */
function besides(ours: readonly Signed[], theirs: readonly Signed[]): ParameterRow[] {
  const left = [...theirs];
  const take = (fits: (each: Signed) => boolean) => {
    const index = left.findIndex(fits);
    return index === -1 ? undefined : left.splice(index, 1)[0];
  };
  // An equal one first, so that of several with one name the right ones are put side by side.
  const equal = ours.map(([name, text]) => take((each) => each[0] === name && each[1] === text));
  const rows = ours.map(([name, text], at): ParameterRow => {
    const other = equal[at] ?? take((each) => each[0] === name);
    const status = equal[at] !== undefined ? 'equal' : other === undefined ? 'missing' : 'different';
    return { name, status, ours: text, theirs: other?.[1] ?? null };
  });
  return [...rows, ...left.map(([name, text]): ParameterRow => ({ name, status: 'added', ours: null, theirs: text }))];
}
