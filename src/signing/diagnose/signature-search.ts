import type { Explanation } from './diagnosis.js';
import { baseStringsOf, type MistakenBaseString, mistakenBaseStrings } from './mistake-sources.js';
import type { OauthParts } from './oauth-parts.js';
import type { Making, SignatureTarget, Signer } from './signer.js';
import { nearTimestamps } from './timestamp-mistakes.js';

/** A faulty base string, and the bytes of a right signature over it. */
export interface SignedBaseString extends MistakenBaseString {
  readonly bytes: string;
}

/** One search for what explains a signature. Its steps share what it is made of: each text is made and signed once. */
export class SignatureSearch {
  readonly parts: OauthParts;
  readonly signer: Signer;
  readonly signature: string;
  readonly targets: readonly SignatureTarget[];
  /** The right one first. */
  readonly makings: readonly Making[];
  readonly #right: Making;
  #likely: readonly SignedBaseString[] | undefined;

  constructor(parts: OauthParts, signer: Signer, signature: string) {
    this.parts = parts;
    this.signer = signer;
    this.signature = signature;
    this.targets = signer.targets(signature);
    const [right = { mistake: undefined, bytesOf: () => '' }, ...others] = signer.makings();
    this.#right = right;
    this.makings = [right, ...others];
  }

  /** What a right signature over a text holds. */
  sign(text: string): string {
    return this.#right.bytesOf(text);
  }

  /** Whether theirs holds these bytes as it is; with `most` a writing of it that was undone may, too. */
  held(bytes: string, most = 0): SignatureTarget | undefined {
    return this.targets.find(({ mistakes, holds }) => mistakes.length <= most && holds(bytes));
  }

  /** Whether theirs can be read as bytes without undoing anything. */
  get isPlain(): boolean {
    return this.targets.some(({ mistakes }) => mistakes.length === 0);
  }

  /** Likeliest first; of one mistake each text once. */
  get likely(): readonly SignedBaseString[] {
    this.#likely ??= [...mistakenBaseStrings(this.parts)].map((made) => ({ ...made, bytes: this.sign(made.text) }));
    return this.#likely;
  }

  /** The base strings that theirs was made over, rightly. */
  overBaseStrings(): Explanation[] {
    if (!this.isPlain) return [];
    return this.likely.filter(({ bytes }) => this.held(bytes) !== undefined).map(({ mistake }) => [mistake]);
  }

  /** Each second and millisecond nearby, which are many. */
  overNearTimestamps(): Explanation | undefined {
    if (!this.isPlain) return undefined;
    for (const { mistake, text } of baseStringsOf(this.parts, [nearTimestamps]))
      if (this.held(this.sign(text)) !== undefined) return [mistake];
    return undefined;
  }

  /** A signature that was written or carried badly, by itself or over a base string made badly. */
  writtenOtherwise(): Explanation[] {
    const written = this.targets.filter(({ mistakes }) => mistakes.length > 0);
    if (written.length === 0) return [];
    const right = this.sign(this.parts.text);
    const alone = written.filter(({ holds }) => holds(right)).map(({ mistakes }) => mistakes);
    if (alone.length > 0) return alone;
    return this.likely.flatMap(({ mistake, bytes }) =>
      written
        .filter(({ mistakes, holds }) => mistakes.length === 1 && holds(bytes))
        .map(({ mistakes }) => [...mistakes, mistake]),
    );
  }
}

/** Of those that come to the same text, the first. */
export function eachOnce(list: readonly SignedBaseString[]): SignedBaseString[] {
  const seen = new Set<string>();
  return list.filter(({ bytes }) => {
    if (seen.has(bytes)) return false;
    seen.add(bytes);
    return true;
  });
}
