/** Every order of a list, the given one first. */
export function permutations<Item>(list: readonly Item[]): Item[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((first, at) => permutations(list.toSpliced(at, 1)).map((others) => [first, ...others]));
}
