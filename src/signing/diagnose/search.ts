/** One thing done wrongly. `detail` and `fix` are for people and hold no secret and no card data. */
export interface Mistake {
  readonly name: string;
  /** Which way of doing it; one word, stable. */
  readonly variant: string;
  readonly detail: string;
  /** What to do instead. */
  readonly fix: string;
}

/** A mistake, and what a signature made with it does otherwise. */
export interface Row<Recipe> extends Mistake {
  /** Gets the recipe as other mistakes have left it; undefined where there is nothing to do wrongly. */
  readonly change: (recipe: Recipe) => Partial<Recipe> | undefined;
  /** Seen often: its pairs are tried first. */
  readonly isCommon: boolean;
}

/** What comes out of a recipe: the text that is signed, and the bytes that a signature holds. */
export interface Made {
  readonly text: string;
  /** As Latin-1; empty where only the text counts. */
  readonly bytes: string;
}

/** A way to read what the other side shows. */
export interface Target {
  /** Of its writing. */
  readonly mistakes: readonly Mistake[];
  readonly fits: (made: Made) => boolean;
}

export interface Explanation<Recipe> {
  /** None: it is right. */
  readonly mistakes: readonly Mistake[];
  readonly recipe: Recipe;
  readonly made: Made;
}

interface Search<Recipe> {
  readonly right: Recipe;
  /** Likeliest first; asked for only where something is wrong. */
  readonly rows: () => readonly Row<Recipe>[];
  readonly make: (recipe: Recipe) => Made;
  readonly targets: readonly Target[];
  /** How many pairs are tried: about a second of work on a request of thirty fields. */
  readonly maxPairs: number;
}

/**
 * The likeliest that makes the bytes of the other side: nothing wrong, one mistake, two of them. It reproduces the
 * bytes. Pairs end after a fixed number of tries, so the same request has the same answer.
 */
export function explain<Recipe extends object>(search: Search<Recipe>): Explanation<Recipe> | undefined {
  const { right, make, targets } = search;
  if (targets.length === 0) return undefined;
  const made = make(right);
  const fitting = explained([], right, made, targets);
  if (fitting !== undefined) return fitting;
  const [common, others]: [Row<Recipe>[], Row<Recipe>[]] = [[], []];
  const seen = new Set([idOf(made)]);
  for (const row of search.rows()) {
    const recipe = changed(right, row);
    if (recipe === undefined) continue;
    const one = make(recipe);
    const isNew = !seen.has(idOf(one));
    // Those that show together with another only are worth a pair where they are common.
    if (row.isCommon) common.push(row);
    else if (isNew) others.push(row);
    if (!isNew) continue;
    seen.add(idOf(one));
    const found = explained([row], recipe, one, targets);
    if (found !== undefined) return found;
  }
  return firstPair([...common, ...others], search);
}

/** Pairs by the sum of their ranks. */
function firstPair<Recipe extends object>(
  ranked: readonly Row<Recipe>[],
  { right, make, targets, maxPairs }: Search<Recipe>,
): Explanation<Recipe> | undefined {
  let tries = 0;
  for (let sum = 1; sum < 2 * ranked.length; sum += 1)
    for (let at = Math.max(0, sum - ranked.length + 1); 2 * at < sum; at += 1) {
      const rows = [...ranked.slice(at, at + 1), ...ranked.slice(sum - at, sum - at + 1)];
      for (const recipe of combined(right, rows)) {
        tries += 1;
        if (tries > maxPairs) return undefined;
        const found = explained(rows, recipe, make(recipe), targets);
        if (found !== undefined) return found;
      }
    }
  return undefined;
}

/** Both mistakes, and the other way round where the order matters. */
function combined<Recipe extends object>(right: Recipe, [one, other]: readonly Row<Recipe>[]): Recipe[] {
  if (one === undefined || other === undefined) return [];
  const steps = (row: Row<Recipe>) => Object.keys(row.change(right) ?? {});
  const isShared = steps(one).some((step) => steps(other).includes(step));
  const orders = isShared ? [[one, other] as const, [other, one] as const] : [[one, other] as const];
  return orders.flatMap(([first, second]) => {
    const half = changed(right, first);
    return (half && changed(half, second)) ?? [];
  });
}

function changed<Recipe extends object>(recipe: Recipe, row: Row<Recipe>): Recipe | undefined {
  const steps = row.change(recipe);
  return steps === undefined ? undefined : { ...recipe, ...steps };
}

function explained<Recipe>(
  rows: readonly Row<Recipe>[],
  recipe: Recipe,
  made: Made,
  targets: readonly Target[],
): Explanation<Recipe> | undefined {
  const target = targets.find(({ fits }) => fits(made));
  if (target === undefined) return undefined;
  const named = rows.map(({ name, variant, detail, fix }): Mistake => ({ name, variant, detail, fix }));
  return { mistakes: [...target.mistakes, ...named], recipe, made };
}

function idOf({ text, bytes }: Made): string {
  return bytes === '' ? text : bytes;
}

/** Marks a row as one that is seen often. */
export const common = 'common';

type Line<Recipe> = readonly [
  variant: string,
  detail: string,
  change: Row<Recipe>['change'],
  mark?: typeof common | undefined,
];

/** Rows of one name with one advice. */
export function family<Recipe>(name: string, fix: string, lines: readonly Line<Recipe>[]): Row<Recipe>[] {
  return lines.map(([variant, detail, change, mark]) => ({
    ...{ name, variant, detail, fix, change },
    isCommon: mark === common,
  }));
}

/** Every order of a list, the given one first. */
export function permutations<Item>(list: readonly Item[]): Item[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((first, at) => permutations(list.toSpliced(at, 1)).map((others) => [first, ...others]));
}
