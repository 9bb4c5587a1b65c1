import { addressMistakes } from './address-mistakes.js';
import { byRank } from './computed-control.js';
import { constantMistake } from './constant-values.js';
import type { Explanation, Mistake, OauthMistakeName } from './diagnosis.js';
import { baseStringSources, type MistakeSource } from './mistake-sources.js';
import {
  type Elements,
  joinText,
  type Making,
  type OauthParts,
  type SignatureTarget,
  type Signer,
} from './oauth-parts.js';
import { charactersOfATry } from './pair-search.js';
import { printedMistakes } from './printed-mistakes.js';
import { digestWritings } from './writings/digests.js';

// As in the search of pairs: no clock, so that the same request has the same answer.
const maxTries = 10_000;
const maxTriesOfTwoRare = 200_000;
const likelyAddresses = 14;
const likelyKeys = 8;
const likelyRareKeys = 160;

/** What few programs do: the search in the large tables, of one mistake and then of each with the likeliest others. */
export class RareSearch {
  readonly #parts: OauthParts;
  readonly #signer: Signer;
  readonly #targets: readonly SignatureTarget[];
  readonly #makings: readonly Making[];
  readonly #singles: readonly Single[];
  readonly #effort: number;

  constructor(parts: OauthParts, signer: Signer, targets: readonly SignatureTarget[], effort: number) {
    this.#effort = effort;
    this.#parts = parts;
    this.#signer = signer;
    this.#targets = targets;
    this.#makings = targets.length === 0 ? [] : [...signer.rareMakings()];
    this.#singles = targets.length === 0 ? [] : [...distinct(parts, printedMistakes)];
  }

  single(signature: string): Explanation | undefined {
    const constant = constantMistake(signature);
    if (constant !== undefined) return [constant];
    const own = this.#signer.sign(this.#parts.text);
    const written = own === undefined ? undefined : rareWriting(signature, Buffer.from(own, 'base64'));
    if (written !== undefined) return [written];
    const [right] = this.#signer.makings();
    for (const { mistake, bytesOf } of this.#makings) {
      const found = this.#held(bytesOf(this.#parts.text));
      if (found !== undefined) return [...found.mistakes, ...(mistake === undefined ? [] : [mistake])];
    }
    for (const { mistake, text } of right === undefined ? [] : this.#singles) {
      const found = right === undefined ? undefined : this.#held(right.bytesOf(text));
      if (found !== undefined) return [...found.mistakes, mistake];
    }
    return undefined;
  }

  /**
   * A rare text with another address or a likely key, and a rare key with a likely text; with more than the usual
   * effort both may be rare.
   */
  pair(): Explanation | undefined {
    if (!this.#targets.some(({ mistakes }) => mistakes.length === 0)) return undefined;
    return this.#rareText() ?? this.#rareKey() ?? (this.#effort > 1 ? this.#rareTextAndKey() : undefined);
  }

  #held(bytes: Buffer): SignatureTarget | undefined {
    return this.#targets.find((target) => target.holds(bytes));
  }

  #isHeld(bytes: Buffer): boolean {
    return this.#targets.some(({ mistakes, holds }) => mistakes.length === 0 && holds(bytes));
  }

  #rareText(): Explanation | undefined {
    const [right, ...others] = this.#signer.makings();
    if (right === undefined) return undefined;
    const addresses = [...distinct(this.#parts, [addressMistakes])].slice(0, likelyAddresses);
    const keys = others.slice(0, likelyKeys);
    const max = Math.floor((maxTries * this.#effort) / (likelyAddresses + likelyKeys));
    for (const one of byRank(this.#singles, kindOf).slice(0, max)) {
      for (const { mistake, bytesOf } of keys)
        if (mistake !== undefined && this.#isHeld(bytesOf(one.text))) return [mistake, one.mistake];
      if (one.elements.uri !== undefined) continue;
      for (const address of addresses) {
        const text = withElements(this.#parts, { ...one.elements, ...address.elements });
        if (this.#isHeld(right.bytesOf(text))) return [address.mistake, one.mistake];
      }
    }
    return undefined;
  }

  #rareKey(): Explanation | undefined {
    const rare = byRank(this.#makings, kindOf).slice(0, likelyRareKeys);
    const likely = [...distinct(this.#parts, baseStringSources)];
    const texts = byRank(likely, ({ mistake }) => mistake.name).slice(0, Math.floor(maxTries / likelyRareKeys));
    for (const { mistake: other, text } of texts)
      for (const { mistake, bytesOf } of rare)
        if (mistake !== undefined && this.#isHeld(bytesOf(text))) return [mistake, other];
    return undefined;
  }

  /** Every key with every text, as long as the tries last. */
  #rareTextAndKey(): Explanation | undefined {
    const keys = byRank([...this.#signer.makings(), ...this.#makings], kindOf);
    const texts = byRank([...distinct(this.#parts, baseStringSources), ...this.#singles], kindOf);
    let left = maxTriesOfTwoRare * this.#effort;
    for (const { mistake: other, text } of texts)
      for (const { mistake, bytesOf } of keys) {
        if (left < 0) return undefined;
        left -= 1 + text.length / charactersOfATry;
        if (mistake !== undefined && this.#isHeld(bytesOf(text))) return [mistake, other];
      }
    return undefined;
  }
}

interface Single {
  readonly mistake: Mistake<OauthMistakeName>;
  readonly elements: Partial<Elements>;
  readonly text: string;
}

function kindOf({ mistake }: { readonly mistake: Mistake | undefined }): string {
  return `${mistake?.name} ${mistake?.variant}`;
}

function withElements(parts: OauthParts, elements: Partial<Elements>): string {
  return joinText({ ...parts.elements, ...elements });
}

function* distinct(parts: OauthParts, sources: readonly MistakeSource[]): Generator<Single> {
  const seen = new Set([parts.text]);
  for (const source of sources)
    for (const { name, variant, detail, elements, text = withElements(parts, elements) } of source(parts)) {
      if (seen.has(text)) continue;
      seen.add(text);
      yield { mistake: { name, variant, detail }, elements, text };
    }
}

function rareWriting(signature: string, bytes: Buffer): Mistake<OauthMistakeName> | undefined {
  for (const { variant, detail, write } of digestWritings())
    if (write(bytes) === signature)
      return {
        name: 'digest',
        variant: `written-${variant}`,
        detail: `the signature written ${detail}; it must be plain Base64`,
      };
  return undefined;
}
