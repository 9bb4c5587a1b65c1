export type OauthMistakeName =
  | 'reserved-characters'
  | 'space-plus'
  | 'encoded-twice-or-once'
  | 'body-left-out'
  | 'sort-order'
  | 'query-left-out'
  | 'signing-key'
  | 'scheme-host-port'
  | 'header-not-encoded'
  | 'empty-values'
  | 'not-utf8'
  | 'repeated-or-nested-names'
  | 'nonce-timestamp'
  | 'rsa-key-or-method'
  | 'realm'
  | 'method'
  | 'digest';

export type ControlMistakeName =
  | 'order'
  | 'decimal-amount'
  | 'missing-email'
  | 'endpoint-login'
  | 'orderid-text'
  | 'amount-currency'
  | 'key-whitespace'
  | 'other-key'
  | 'upper-case'
  | 'base64'
  | 'charset'
  | 'endpoint-group'
  | 'digest';

export type MistakeName = OauthMistakeName | ControlMistakeName;

/** One thing done wrongly. `detail` and `fix` are for people and hold no secret and no card data. */
export interface Mistake {
  readonly name: MistakeName;
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
  /** One of thousands, such as a clock a second off: never tried together with another. */
  readonly alone?: boolean;
}

/** What comes out of a recipe: the text that is signed, and the bytes that a signature holds. */
export interface Made {
  readonly text: string;
  /** As Latin-1. */
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
  /** Name and variant of those whose pairs are tried first, whether they show alone or not. */
  readonly commonest: ReadonlySet<string>;
  /** How many pairs are tried: about a second of work on a request of thirty fields. */
  readonly maxPairs: number;
}

/**
 * What makes the bytes that the other side shows, likeliest first: nothing wrong, each mistake, each pair of them. Every
 * explanation reproduces the bytes. Pairs end after a fixed number of tries, so the same request has the same answer.
 */
export function explain<Recipe extends object>(search: Search<Recipe>): Explanation<Recipe>[] {
  const { right, make } = search;
  const made = make(right);
  const fitting = explanationsBy([], right, made, search);
  if (fitting.length > 0) return fitting.slice(0, 1);
  const rows = search.rows();
  const pool: Row<Recipe>[] = [];
  const seen = new Set([idOf(made)]);
  const tryRow = (row: Row<Recipe>) => {
    const recipe = changed(right, row);
    if (recipe === undefined) return [];
    const one = make(recipe);
    if (isCommon(row, search) || !seen.has(idOf(one))) pool.push(row);
    if (idOf(one) === idOf(made)) return [];
    seen.add(idOf(one));
    return explanationsBy([row], recipe, one, search);
  };
  const found = distinct(rows.filter(({ alone }) => alone !== true).flatMap(tryRow));
  if (found.length > 0) return found;
  const pair = firstPair([...pool], search);
  return pair.length > 0 ? pair : distinct(rows.filter(({ alone }) => alone === true).flatMap(tryRow));
}

/** Of those that come to the same names the first is kept. */
function distinct<Recipe>(found: readonly Explanation<Recipe>[]): Explanation<Recipe>[] {
  const least = Math.min(...found.map(({ mistakes }) => mistakes.length));
  const names = new Set<string>();
  return found.filter(({ mistakes }) => {
    const key = mistakes.map(({ name }) => name).join();
    if (mistakes.length > least || names.has(key)) return false;
    names.add(key);
    return true;
  });
}

/** Pairs by the sum of their ranks, those of the commonest first. */
function firstPair<Recipe extends object>(pool: readonly Row<Recipe>[], search: Search<Recipe>): Explanation<Recipe>[] {
  const ranked = [...pool.filter((row) => isCommon(row, search)), ...pool.filter((row) => !isCommon(row, search))];
  let tries = 0;
  for (let sum = 1; sum < 2 * ranked.length; sum += 1)
    for (let at = Math.max(0, sum - ranked.length + 1); 2 * at < sum; at += 1) {
      const pair = [ranked[at], ranked[sum - at]] as const;
      for (const recipe of combined(search.right, pair)) {
        tries += 1;
        if (tries > search.maxPairs) return [];
        const rows = pair.filter((row) => row !== undefined);
        const found = explanationsBy(rows, recipe, search.make(recipe), search);
        if (found.length > 0) return found.slice(0, 1);
      }
    }
  return [];
}

function isCommon<Recipe>({ name, variant }: Mistake, { commonest }: Search<Recipe>): boolean {
  return commonest.has(`${name} ${variant}`);
}

type Pair<Recipe> = readonly [Row<Recipe> | undefined, Row<Recipe> | undefined];

/** Both mistakes, and the other way round where the order matters. */
function combined<Recipe extends object>(right: Recipe, [one, other]: Pair<Recipe>): Recipe[] {
  if (one === undefined || other === undefined) return [];
  const steps = (row: Row<Recipe>) => Object.keys(row.change(right) ?? {});
  const isShared = steps(one).some((step) => steps(other).includes(step));
  const orders = isShared ? [[one, other] as const, [other, one] as const] : [[one, other] as const];
  return orders.flatMap(([first, second]) => {
    const half = changed(right, first) ?? right;
    const whole = changed(half, second);
    return whole === undefined || half === right ? [] : [whole];
  });
}

function changed<Recipe extends object>(recipe: Recipe, row: Row<Recipe>): Recipe | undefined {
  const steps = row.change(recipe);
  return steps === undefined ? undefined : { ...recipe, ...steps };
}

function explanationsBy<Recipe>(
  rows: readonly Row<Recipe>[],
  recipe: Recipe,
  made: Made,
  { targets }: Search<Recipe>,
): Explanation<Recipe>[] {
  return targets
    .filter(({ fits }) => fits(made))
    .map(({ mistakes }) => ({ mistakes: [...mistakes, ...rows.map(named)], recipe, made }));
}

function named({ name, variant, detail, fix }: Mistake): Mistake {
  return { name, variant, detail, fix };
}

function idOf({ text, bytes }: Made): string {
  return `${bytes}\n${text}`;
}

type Line<Recipe> = readonly [
  variant: string,
  detail: string,
  change: Row<Recipe>['change'],
  /** Where it differs from that of the family. */
  fix?: string,
];

/** Rows of one name with one advice. */
export function family<Recipe>(name: MistakeName, fix: string, lines: readonly Line<Recipe>[]): Row<Recipe>[] {
  return lines.map(([variant, detail, change, own = fix]) => ({ name, variant, detail, fix: own, change }));
}

/** Every order of a list, the given one first. */
export function permutations<Item>(list: readonly Item[]): Item[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((first, at) => permutations(list.toSpliced(at, 1)).map((others) => [first, ...others]));
}
