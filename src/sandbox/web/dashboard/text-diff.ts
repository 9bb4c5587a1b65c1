/** A stretch of a text: the same on both sides, or not. */
export interface Stretch {
  readonly text: string;
  readonly isSame: boolean;
}

export interface ComparedTexts {
  readonly ours: readonly Stretch[];
  readonly theirs: readonly Stretch[];
}

// Beyond, what is between the first and the last difference counts as one.
const maxSteps = 4_000_000;
/** Characters that happen to be equal between two differences tell nothing. */
const shortestSame = 3;

/** Marks everything in which two texts differ. An escape such as %2B is never taken apart. */
export function compareTexts(ours: string, theirs: string): ComparedTexts {
  const own = unitsOf(ours);
  const other = unitsOf(theirs);
  const start = commonStart(own, other);
  const end = commonStart(own.slice(start).toReversed(), other.slice(start).toReversed());
  const middle = { own: own.slice(start, own.length - end), other: other.slice(start, other.length - end) };
  const pairs = matchedUnits(middle.own, middle.other);
  const side = (units: readonly string[], between: readonly string[], matched: readonly number[]) =>
    stretches([
      ...units.slice(0, start).map((text) => ({ text, isSame: true })),
      ...between.map((text, at) => ({ text, isSame: matched.includes(at) })),
      ...units.slice(units.length - end).map((text) => ({ text, isSame: true })),
    ]);
  return {
    ours: side(
      own,
      middle.own,
      pairs.map(([one]) => one),
    ),
    theirs: side(
      other,
      middle.other,
      pairs.map(([, one]) => one),
    ),
  };
}

function unitsOf(text: string): readonly string[] {
  return text.match(/(?:%(?:25)*[\dA-F]{2})|./gisu) ?? [];
}

function commonStart(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((unit, place) => unit !== other[place]);
  return at === -1 ? one.length : at;
}

/** The longest common sequence, without runs too short to mean anything. */
function matchedUnits(own: readonly string[], other: readonly string[]): readonly (readonly [number, number])[] {
  if (own.length * other.length > maxSteps) return [];
  const width = other.length + 1;
  const lengths = new Uint16Array((own.length + 1) * width);
  const lengthAt = (one: number, two: number) => lengths[one * width + two] ?? 0;
  for (let one = own.length - 1; one >= 0; one -= 1)
    for (let two = other.length - 1; two >= 0; two -= 1)
      lengths[one * width + two] =
        own[one] === other[two]
          ? lengthAt(one + 1, two + 1) + 1
          : Math.max(lengthAt(one + 1, two), lengthAt(one, two + 1));
  const runs: [number, number][][] = [[]];
  let [one, two] = [0, 0];
  while (one < own.length && two < other.length)
    if (own[one] === other[two]) {
      runs.at(-1)?.push([one, two]);
      one += 1;
      two += 1;
    } else {
      if (lengthAt(one + 1, two) >= lengthAt(one, two + 1)) one += 1;
      else two += 1;
      if (runs.at(-1)?.length !== 0) runs.push([]);
    }
  return runs.filter(({ length }) => length >= shortestSame).flat();
}

function stretches(units: readonly Stretch[]): readonly Stretch[] {
  const joined: Stretch[] = [];
  for (const { text, isSame } of units) {
    const last = joined.at(-1);
    if (last?.isSame === isSame) joined[joined.length - 1] = { text: last.text + text, isSame };
    else joined.push({ text, isSame });
  }
  return joined;
}
