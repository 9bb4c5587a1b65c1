import type { Diagnosis, Difference, Mistake } from './types.js';

export type Explanation = readonly Mistake[];

/** Explanations side by side; of several that come to the same names the first is kept. */
export function diagnosed(explanations: readonly Explanation[], difference?: Difference, taken?: Diagnosis['taken']): Diagnosis {
  const distinct = unique(
    explanations.filter((mistakes) => mistakes.length > 0),
    (mistakes) => mistakes.map(({ name }) => name).join(),
  );
  return {
    match: false,
    mistakes: unique(distinct.flat(), ({ name }) => name),
    explanations: distinct,
    ...(difference === undefined ? {} : { difference }),
    ...(taken === undefined || taken.length === 0 ? {} : { taken }),
  };
}

export function matched(taken?: Diagnosis['taken']): Diagnosis {
  return { match: true, mistakes: [], explanations: [], ...(taken === undefined || taken.length === 0 ? {} : { taken }) };
}

function unique<Member>(list: readonly Member[], keyOf: (member: Member) => string): Member[] {
  const keys = list.map(keyOf);
  return list.filter((_, at) => keys.indexOf(keys[at] ?? '') === at);
}
