/** How long a search may take. */
export interface SearchOptions {
  /** Also looks for pairs of which both mistakes are rare. */
  readonly deep?: boolean | undefined;
}

/**
 * What `deep` multiplies: how many tries each bounded search of pairs has, and how many mistakes of a step are paired.
 * Half a minute or so on one core at most.
 */
const deepEffort = 40;

export function effortOf({ deep }: SearchOptions): number {
  return deep === true ? deepEffort : 1;
}
