import type { OauthParts } from './oauth-parts.js';
import type { Mistake, OauthMistakeName } from './types.js';

/** A right base string that was signed wrongly. */
export interface SigningFault {
  readonly mistake: Mistake<OauthMistakeName>;
  /** Differs from the right one where another signature method is named in it. */
  readonly baseString: string;
  sign(): string | undefined;
  fits(signature: string): boolean;
}

export interface Signer {
  /** Undefined without the key that signs. */
  sign(baseString: string): string | undefined;
  /** Tells of base strings whether a signature, made rightly, belongs to them. */
  check(signature: string): (baseString: string) => boolean;
  faults(parts: OauthParts): Iterable<SigningFault>;
  /** Bytes of a signature; undefined without a key. */
  readonly length: number | undefined;
}
