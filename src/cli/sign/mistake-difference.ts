import {
  type ControlCase,
  controlHypotheses,
  type Diagnosis,
  type Difference,
  diffControl,
  diffOauth,
  type Mistake,
  type OauthCase,
  oauthHypotheses,
} from '../../signing/diagnose/index.js';

/**
 * Where the text signed under the likeliest mistake leaves ours, for a result that shows no text of its own. Undefined when that
 * mistake is not in the text, or when there is none.
 */
export function oauthMistakeDifference(given: OauthCase, { explanations, taken = [] }: Diagnosis): Difference | undefined {
  const [likeliest = []] = explanations;
  // What was taken over from a header is not in the case, so places would be off.
  if (likeliest.length !== 1 || taken.length > 0) return undefined;
  for (const { mistake, baseString } of oauthHypotheses(given))
    if (areSame([mistake], likeliest)) return diffOauth(given, { baseString }).difference;
  return undefined;
}

export function controlMistakeDifference(given: ControlCase, { explanations }: Diagnosis): Difference | undefined {
  const [likeliest] = explanations;
  if (likeliest === undefined) return undefined;
  for (const { mistakes, string } of controlHypotheses(given))
    if (areSame(mistakes, likeliest)) return diffControl(given, { string }).difference;
  return undefined;
}

function areSame(some: readonly Mistake[], others: readonly Mistake[]): boolean {
  return (
    some.length === others.length && some.every(({ name, variant }, at) => name === others[at]?.name && variant === others[at]?.variant)
  );
}
