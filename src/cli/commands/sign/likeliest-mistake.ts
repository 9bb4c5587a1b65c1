import {
  type ControlCase,
  type Diagnosis,
  type Difference,
  diffControl,
  diffOauth,
  type OauthCase,
  type OauthTheirs,
  oauthStagesOf,
  signedBaseString,
  signedControl,
} from '../../../signing/diagnose/index.js';

/**
 * Where the base string made with the likeliest mistake differs from the right one. For comparisons with a bare
 * signature, which shows no base string: the one behind it follows from the mistake. Undefined when that mistake leaves
 * the base string as it is, or when none explains the signature.
 */
export function oauthMistakeDifference(
  given: OauthCase,
  theirs: OauthTheirs,
  found: Diagnosis,
): Difference | undefined {
  // The case lacks what was taken over from a header, such as its nonce, so the offsets would be wrong.
  if ((found.taken ?? []).length > 0) return undefined;
  const baseString = signedBaseString(given, theirs, found);
  return baseString === undefined ? undefined : diffOauth(given, { baseString }).difference;
}

/** The base string they signed. Undefined where no single mistake explains their signature. */
export function baseStringBehind(given: OauthCase, theirs: OauthTheirs, found: Diagnosis): string | undefined {
  const [[mistake, ...others] = []] = found.explanations;
  // The signature in a header that is not percent-encoded is one of the right base string.
  if (found.match || (others.length === 0 && mistake?.name === 'header-not-encoded'))
    return oauthStagesOf(given).baseString;
  return signedBaseString(given, theirs, found);
}

/** The same for a checksum: the values they joined, in their order. */
export function slotsBehind(given: ControlCase, control: string, found: Diagnosis): ControlCase['slots'] | undefined {
  return found.match ? given.slots : signedControl(given, control, found)?.slots;
}

/** Where the string behind a checksum, made with the likeliest mistake, differs from the right one. */
export function controlMistakeDifference(
  given: ControlCase,
  control: string,
  found: Diagnosis,
): Difference | undefined {
  const string = signedControl(given, control, found)?.string;
  return string === undefined ? undefined : diffControl(given, { string }).difference;
}
