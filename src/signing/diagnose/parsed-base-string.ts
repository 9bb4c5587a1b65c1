import type { Pair } from '../../wire/form.js';

/** Somebody's base string, read as far as it can be. */
export interface ParsedBaseString {
  /** The parameters, encoded as they stand in it, in their order. */
  readonly pairs: readonly Pair[];
  /** The value of a parameter, decoded once. */
  value(name: string): string | undefined;
}

export function parseBaseString(text: string): ParsedBaseString {
  const [, , ...rest] = text.split('&');
  const [parameters = ''] = rest;
  // More than one rest: the parameters were joined to it without being encoded once more.
  const joined = rest.length === 1 ? (decodedOnce(parameters) ?? parameters) : rest.join('&');
  const pairs = joined === '' ? [] : joined.split('&').map(pairOf);
  return { pairs, value: (name) => decodedOnce(pairs.find((pair) => pair[0] === name)?.[1]) };
}

/** Undefined for bad escapes, and for half a surrogate pair. */
export function decodedOnce(text: string | undefined): string | undefined {
  try {
    return text?.isWellFormed() === true ? decodeURIComponent(text) : undefined;
  } catch {
    return undefined;
  }
}

function pairOf(piece: string): Pair {
  const cut = piece.indexOf('=');
  return cut === -1 ? [piece, ''] : [piece.slice(0, cut), piece.slice(cut + 1)];
}
