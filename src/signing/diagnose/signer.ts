import type { Mistake, OauthMistakeName } from './diagnosis.js';
import type { OauthParts } from './oauth-parts.js';

/**
 * What the diagnosis of a wrong signature needs of a signature method, HMAC-SHA1 or RSA-SHA256, with the keys of one
 * case. It signs base strings rightly and wrongly, and reads the signature to explain: "theirs", from another program.
 *
 * Bytes are texts here in which each character is one byte (Latin-1): these are made and compared in a third of the
 * time of buffers, and a search compares many thousand.
 */
export interface Signer {
  /** The right signature as text; undefined without the key that signs. */
  sign(baseString: string): string | undefined;
  /** The ways to sign the right base string wrongly. */
  mistakes(parts: OauthParts): Iterable<SigningMistake>;
  /** The ways to make the bytes of a signature, the right one first, for a search beside wrong base strings. */
  makings(): readonly Making[];
  /** The ways with two mistakes, for the right base string alone; neither mistake is in how the bytes are written. */
  makingsOfTwo(): Iterable<Making & { readonly second: Mistake<OauthMistakeName> }>;
  /** What theirs may hold, one for each way to read it: as Base64, and as what mistakes in writing it lead to. */
  targets(signature: string): readonly SignatureTarget[];
  /** How many bytes a signature has; undefined without a key. */
  readonly length: number | undefined;
}

/** A right base string that was signed wrongly. */
export interface SigningMistake {
  readonly mistake: Mistake<OauthMistakeName>;
  /** Differs from the right one where another signature method is named in it. */
  readonly baseString: string;
  /** The wrong signature as text; undefined without the key that it takes. */
  sign(): string | undefined;
  /** Whether theirs was made with this mistake. */
  fits(signature: string): boolean;
}

/** One reading of theirs, with the mistakes in writing it that the reading undid; none where it was written rightly. */
export interface SignatureTarget {
  readonly mistakes: readonly Mistake<OauthMistakeName>[];
  /** Whether theirs, read so, has these bytes. */
  holds(bytes: string): boolean;
}

/** A way to make the bytes of a signature over any base string: rightly, or with one mistake in its key or hash. */
export interface Making {
  /** Undefined for the right way. */
  readonly mistake: Mistake<OauthMistakeName> | undefined;
  bytesOf(baseString: string): string;
}
