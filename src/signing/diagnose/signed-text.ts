import { signatureIn } from './compare-header.js';
import { controlHypotheses } from './control-diagnosis.js';
import type { ControlCase, Diagnosis, Mistake, OauthCase, OauthTheirs } from './diagnosis.js';
import { oauthHypotheses, signerOf } from './oauth-mistakes.js';
import { decomposeRequest } from './oauth-parts.js';

/**
 * The base string behind their signature, where a single mistake explains it. A mistake may be made in several ways
 * under one name, so it is the text that their signature is over; undefined where none of those is.
 */
export function signedBaseString(
  given: OauthCase,
  theirs: OauthTheirs,
  { explanations }: Diagnosis,
): string | undefined {
  const [[mistake, ...others] = []] = explanations;
  const signature =
    'signature' in theirs ? theirs.signature : 'header' in theirs ? signatureIn(theirs.header) : undefined;
  if (mistake === undefined || others.length > 0 || signature === undefined) return undefined;
  const signer = signerOf(given);
  const [right] = signer.makings();
  const plain = signer.targets(signature).filter(({ mistakes }) => mistakes.length === 0);
  const { text } = decomposeRequest(given);
  for (const made of oauthHypotheses(given)) {
    if (!areSame([made.mistake], [mistake])) continue;
    // A mistake with the key or the hash leaves the text as it is.
    if (made.baseString === text) return text;
    const bytes = right?.bytesOf(made.baseString);
    if (bytes !== undefined && plain.some(({ holds }) => holds(bytes))) return made.baseString;
  }
  return undefined;
}

/** What a client joined for a checksum. */
interface SignedControl {
  readonly slots: ControlCase['slots'];
  /** The text in front of the key; undefined where the key does not end it. */
  readonly string: string | undefined;
}

/** The same for a checksum, with the mistakes of the likeliest explanation. */
export function signedControl(
  given: ControlCase,
  control: string,
  { explanations }: Diagnosis,
): SignedControl | undefined {
  const [likeliest] = explanations;
  if (likeliest === undefined) return undefined;
  for (const { mistakes, slots, text, control: made } of controlHypotheses(given))
    if (made === control && areSame(mistakes, likeliest))
      return { slots, string: text.endsWith(given.key) ? text.slice(0, -given.key.length) : undefined };
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
