import {
  type ControlCase,
  controlHypotheses,
  type Mistake,
  type OauthCase,
  type OauthHypothesis,
  oauthHypotheses,
} from '../../signing/diagnose/index.js';

/** What comes out under one mistake, by the mistake's name. */
export interface Neighbour {
  readonly name: string;
  readonly variant: string;
  readonly result: string;
}

export function controlNeighbours(given: ControlCase, right: string): readonly Neighbour[] {
  const made: Neighbour[] = [];
  for (const { mistakes, control } of controlHypotheses(given)) {
    const [mistake] = mistakes;
    if (mistakes.length === 1 && mistake !== undefined) made.push(neighbour(mistake, control));
  }
  return distinct(made, right);
}

export function oauthNeighbours(given: OauthCase, right: string): readonly Neighbour[] {
  const made: Neighbour[] = [];
  for (const hypothesis of oauthHypotheses(given)) {
    const result = repeatable(hypothesis);
    if (result !== undefined) made.push(neighbour(hypothesis.mistake, result));
  }
  return distinct(made, right);
}

/** A padding with chance in it gives another signature each time, which is no vector. */
function repeatable(hypothesis: OauthHypothesis): string | undefined {
  const result = hypothesis.sign();
  return hypothesis.mistake.name === 'rsa-key-or-method' && hypothesis.sign() !== result ? undefined : result;
}

function neighbour({ name, variant }: Mistake, result: string): Neighbour {
  return { name, variant, result };
}

/** One of each kind, and nothing that happens to be right. */
function distinct(made: readonly Neighbour[], right: string): readonly Neighbour[] {
  const seen = new Set<string>();
  return made.filter(({ name, variant, result }) => {
    const kind = `${name} ${variant}`;
    if (result === right || seen.has(kind)) return false;
    seen.add(kind);
    return true;
  });
}
