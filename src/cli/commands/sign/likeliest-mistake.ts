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
  oauthStagesOf,
} from '../../../signing/diagnose/index.js';

/**
 * Where the base string made with the likeliest mistake differs from the right one. For comparisons with a bare
 * signature, which shows no base string: the one behind it follows from the mistake. Undefined when that mistake leaves
 * the base string as it is, or when none explains the signature.
 */
export function oauthMistakeDifference(
  given: OauthCase,
  { explanations, taken = [] }: Diagnosis,
): Difference | undefined {
  const [likeliest = []] = explanations;
  // The case lacks what was taken over from a header, such as its nonce, so the offsets would be wrong.
  if (likeliest.length !== 1 || taken.length > 0) return undefined;
  for (const { mistake, baseString } of oauthHypotheses(given))
    if (areSame([mistake], likeliest)) return diffOauth(given, { baseString }).difference;
  return undefined;
}

/**
 * The base string they signed: the one that, made with the likeliest mistake, gives their signature. Undefined where no
 * single mistake explains it.
 */
export function baseStringBehind(theirs: OauthCase, { match, explanations }: Diagnosis): string | undefined {
  const [likeliest = []] = explanations;
  const [mistake] = likeliest;
  // The signature in a header that is not percent-encoded is one of the right base string.
  if (match || (likeliest.length === 1 && mistake?.name === 'header-not-encoded'))
    return oauthStagesOf(theirs).baseString;
  if (likeliest.length !== 1) return undefined;
  for (const { mistake: each, baseString } of oauthHypotheses(theirs))
    if (areSame([each], likeliest)) return baseString;
  return undefined;
}

/** The same for a checksum: the values they joined, in their order. */
export function slotsBehind(given: ControlCase, { match, explanations }: Diagnosis): ControlCase['slots'] | undefined {
  const [likeliest] = explanations;
  if (match || likeliest === undefined) return match ? given.slots : undefined;
  for (const { mistakes, slots } of controlHypotheses(given)) if (areSame(mistakes, likeliest)) return slots;
  return undefined;
}

/** Where the string behind a checksum, made with the likeliest mistake, differs from the right one. */
export function controlMistakeDifference(given: ControlCase, { explanations }: Diagnosis): Difference | undefined {
  const [likeliest] = explanations;
  if (likeliest === undefined) return undefined;
  for (const { mistakes, string } of controlHypotheses(given))
    if (areSame(mistakes, likeliest)) return diffControl(given, { string }).difference;
  return undefined;
}

function areSame(some: readonly Mistake[], others: readonly Mistake[]): boolean {
  return (
    some.length === others.length &&
    some.every(
      ({ name, variant, detail }, at) =>
        name === others[at]?.name && variant === others[at]?.variant && detail === others[at]?.detail,
    )
  );
}
