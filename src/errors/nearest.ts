/**
 * The candidate a mistyped word most likely meant; undefined when none is close enough.
 * Only for suggestions: nothing may act on the answer. Case and the kind of dash make no difference.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const typed = plain(word);
  if (typed === '' || typed.length > 64) return undefined;
  let found: string | undefined;
  // A word of one or two letters is near to everything.
  let least = typed.length < 3 ? 1 : Math.min(3, Math.floor(typed.length / 3)) + 1;
  for (const candidate of candidates) {
    const other = plain(candidate);
    if (Math.abs(other.length - typed.length) >= least) continue;
    const edits = distance(typed, other);
    if (edits < least) {
      least = edits;
      found = candidate;
    }
  }
  return found;
}

/** What follows a complaint about a word nobody knows: the candidate it most likely meant, else `otherwise`. */
export function suggest(word: string, candidates: Iterable<string>, otherwise = ''): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? otherwise : `; did you mean ${meant}?`;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll('_', '-');
}

/** Letters added, dropped, changed, or swapped with their neighbour. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const changed = at(above, column - 1) + (same ? 0 : 1);
      const edits = Math.min(at(above, column) + 1, at(line, column - 1) + 1, changed);
      line.push(swapped ? Math.min(edits, at(before, column - 2) + 1) : edits);
    }
    before = above;
    above = line;
  }
  return at(above, b.length);
}

function at(line: readonly number[], index: number): number {
  return line[index] ?? Number.POSITIVE_INFINITY;
}
