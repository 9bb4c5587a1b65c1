import type { Pair } from '../../wire/form.js';

/** One parameter as both sides signed it. What only one side has is null on the other. */
export interface ParameterRow {
  readonly name: string;
  readonly status: 'equal' | 'different' | 'missing' | 'added';
  readonly ours: string | null;
  readonly theirs: string | null;
}

/** Method, address and parameters of two base strings, side by side; values as they are joined, encoded once. */
export function compareBaseStrings(ours: string, theirs: string): ParameterRow[] {
  return comparePairs(partsOf(ours), partsOf(theirs));
}

function partsOf(baseString: string): Pair[] {
  const [method = '', address = ''] = baseString.split('&');
  const pairs = parametersIn(baseString).map(([name, value]): Pair => [decodedOnce(name) ?? name, value]);
  return [['(method)', method], ['(address)', address], ...pairs];
}

/** The parameters of somebody's base string as far as it can be read, encoded as they stand in it, in their order. */
export function parametersIn(baseString: string): Pair[] {
  const [, , ...rest] = baseString.split('&');
  const [parameters = ''] = rest;
  // More than one rest: the parameters were joined to it without being encoded once more.
  const joined = rest.length === 1 ? (decodedOnce(parameters) ?? parameters) : rest.join('&');
  if (joined === '') return [];
  return joined.split('&').map((piece): Pair => {
    const [name = '', ...value] = piece.split('=');
    return [name, value.join('=')];
  });
}

/** Undefined for bad escapes, and for half a surrogate pair. */
export function decodedOnce(text: string | undefined): string | undefined {
  try {
    return text?.isWellFormed() === true ? decodeURIComponent(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Ours in their order, each beside the one of theirs with the same name; then what only they have. */
export function comparePairs(ours: readonly Pair[], theirs: readonly Pair[]): ParameterRow[] {
  const left = [...theirs];
  const take = (fits: (each: Pair) => boolean) => {
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
