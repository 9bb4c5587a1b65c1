/** A stretch of two texts: the same in both, or what one has where the other has something else. */
export interface Stretch {
  readonly ours: string;
  readonly theirs: string;
  readonly isSame: boolean;
}

// Longer texts are compared as a whole between what they share at both ends.
const maxCells = 4_000_000;

/**
 * Both texts from beginning to end, by their longest common subsequence of characters and escapes; an escape such as
 * %2B is never taken apart. Between two differences, what is the same and shorter than `shortestSame` counts as
 * different: so few characters happen to be equal.
 */
export function compareTexts(ours: string, theirs: string, shortestSame = 1): readonly Stretch[] {
  const [own, other] = [unitsOf(ours), unitsOf(theirs)];
  const start = commonStart(own, other, Math.min(own.length, other.length));
  const end = commonStart([...own].reverse(), [...other].reverse(), Math.min(own.length, other.length) - start);
  const [a, b] = [own.slice(start, own.length - end), other.slice(start, other.length - end)];
  const joined = new Joined();
  joined.addSame(own.slice(0, start));
  let [i, j] = [0, 0];
  for (const { at, theirsAt, length } of a.length * b.length > maxCells ? [] : commonRuns(a, b)) {
    if (length < shortestSame) continue;
    joined.addApart(a.slice(i, at), b.slice(j, theirsAt));
    joined.addSame(a.slice(at, at + length));
    [i, j] = [at + length, theirsAt + length];
  }
  joined.addApart(a.slice(i), b.slice(j));
  joined.addSame(own.slice(own.length - end));
  return joined.stretches;
}

function unitsOf(text: string): readonly string[] {
  return text.match(/%(?:25)*[0-9A-Fa-f]{2}|[\s\S]/gu) ?? [];
}

function commonStart(one: readonly string[], other: readonly string[], max: number): number {
  let at = 0;
  while (at < max && one[at] === other[at]) at += 1;
  return at;
}

class Joined {
  readonly stretches: Stretch[] = [];

  addSame(units: readonly string[]): void {
    const text = units.join('');
    if (text !== '') this.stretches.push({ ours: text, theirs: text, isSame: true });
  }

  addApart(ours: readonly string[], theirs: readonly string[]): void {
    if (ours.length + theirs.length === 0) return;
    this.stretches.push({ ours: ours.join(''), theirs: theirs.join(''), isSame: false });
  }
}

interface Run {
  readonly at: number;
  readonly theirsAt: number;
  readonly length: number;
}

/** The longest common subsequence, as the runs of neighbours in it. */
function commonRuns(a: readonly string[], b: readonly string[]): readonly Run[] {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        a[i] === b[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
  const runs: Run[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    const [at, theirsAt] = [i, j];
    while (i < a.length && j < b.length && a[i] === b[j]) {
      i += 1;
      j += 1;
    }
    if (i > at) runs.push({ at, theirsAt, length: i - at });
    else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1;
    else j += 1;
  }
  return runs;
}
