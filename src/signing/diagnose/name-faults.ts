import type { Pair } from '../../wire/form.js';
import { encodePairs } from '../oauth1.js';
import type { Wrong } from './oauth-parts.js';
import { type OauthParts, parametersOf } from './oauth-parts.js';

/** What a program makes of several parameters that belong together, because it holds them as an object or an array. */
interface Folding {
  readonly variant: string;
  readonly detail: string;
  readonly fold: (name: string, values: readonly string[]) => readonly Pair[];
}

const foldings: readonly Folding[] = [
  { variant: 'first', detail: 'only the first', fold: (name, values) => [[name, values[0] ?? '']] },
  { variant: 'last', detail: 'only the last', fold: (name, values) => [[name, values.at(-1) ?? '']] },
  { variant: 'comma', detail: 'joined by commas', fold: (name, values) => [[name, values.join(',')]] },
  { variant: 'comma-blank', detail: 'joined by commas and blanks', fold: (name, values) => [[name, values.join(', ')]] },
  { variant: 'object', detail: 'signed as [object Object]', fold: (name) => [[name, '[object Object]']] },
  { variant: 'array', detail: 'signed as Array', fold: (name) => [[name, 'Array']] },
  { variant: 'json', detail: 'signed as JSON', fold: (name, values) => [[name, JSON.stringify(values)]] },
  { variant: 'brackets', detail: 'signed with [] after the name', fold: (name, values) => values.map((value) => [`${name}[]`, value]) },
  {
    variant: 'indices',
    detail: 'signed with [0], [1] after the name',
    fold: (name, values) => values.map((value, at) => [`${name}[${at}]`, value]),
  },
  { variant: 'bare', detail: 'signed without their brackets', fold: (name, values) => values.map((value) => [name, value]) },
  { variant: 'left-out', detail: 'left out', fold: () => [] },
];

/** 3.4.1.3.2: equal names are signed each, and a name with brackets is a name like any other. */
export function* nameFaults({ items }: OauthParts): Generator<Wrong> {
  const pairs = items.map(({ plain }) => plain);
  yield* folded(
    pairs,
    ([name]) => name,
    'parameters of one name',
    (members) => members.length > 1,
  );
  yield* folded(pairs, headOf, 'parameters with brackets in their names', (members) =>
    members.some(([name]) => headOf([name, '']) !== name),
  );
}

function* folded(
  pairs: readonly Pair[],
  keyOf: (pair: Pair) => string,
  what: string,
  isFolded: (members: readonly Pair[]) => boolean,
): Generator<Wrong> {
  const groups = new Map<string, Pair[]>();
  for (const pair of pairs) groups.set(keyOf(pair), [...(groups.get(keyOf(pair)) ?? []), pair]);
  if (![...groups.values()].some(isFolded)) return;
  for (const { variant, detail, fold } of foldings) {
    const changed = [...groups].flatMap(([name, members]) =>
      isFolded(members)
        ? fold(
            name,
            members.map(([, value]) => value),
          )
        : members,
    );
    yield {
      name: 'repeated-or-nested-names',
      variant,
      detail: `${what} ${detail}; each is signed as it is sent`,
      elements: { parameters: parametersOf(encodePairs(changed)) },
    };
  }
}

/** The part before the brackets. */
function headOf([name]: Pair): string {
  return /^([^[\]]+)(?:\[[^\]]*\])+$/.exec(name)?.[1] ?? name;
}
