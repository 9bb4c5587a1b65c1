import { addressMistakes } from './address-mistakes.js';
import { constantMistake } from './constant-values.js';
import type { Explanation, Mistake, OauthMistakeName } from './diagnosis.js';
import { baseStringsOf, type MistakenBaseString, type MistakeSource } from './mistake-sources.js';
import { textWith } from './oauth-parts.js';
import { charactersOfATry } from './pair-search.js';
import { fewPrintedMistakes, manyPrintedMistakes } from './printed-mistakes.js';
import { findProduct } from './product-search.js';
import { byRank, Ranked } from './ranked.js';
import { eachOnce, type SignatureSearch } from './signature-search.js';
import type { Making } from './signer.js';
import { rareSortOrders } from './sort-orders.js';
import { rareTimestamps } from './timestamp-mistakes.js';
import { digestWritings } from './writings/digests.js';

// As in the search of pairs: no clock, so that the same request has the same answer.
const maxTries = 10_000;
const maxTriesOfTwoRare = 200_000;
const maxCommonPairs = 30_000;
const maxCommonTexts = 4000;
const likelyAddresses = 14;
const likelyKeys = 8;
const likelyRareKeys = 160;
const maxRareTexts = Math.floor(maxTries / (likelyAddresses + likelyKeys));
/** A signature is written badly in two ways at most. */
const maxWritings = 2;

/** What few programs do: one mistake out of the large tables, and then each with the likeliest others. */
export class RareSearch {
  readonly #search: SignatureSearch;
  readonly #texts: Ranked<MistakenBaseString>;
  /** Those of every field. */
  readonly #ofFields: Ranked<MistakenBaseString>;
  /** What right signatures over the texts so far hold. */
  readonly #signed: Set<string>;
  #makings: readonly Making[] = [];

  constructor(search: SignatureSearch) {
    this.#search = search;
    this.#signed = new Set([search.sign(search.parts.text)]);
    this.#ofFields = new Ranked(maxCommonTexts * search.effort);
    this.#texts = new Ranked(search.effort > 1 ? Number.POSITIVE_INFINITY : maxRareTexts);
  }

  /** One mistake, out of the tables with few texts each. */
  few(): Explanation | undefined {
    const { signature, signer, parts } = this.#search;
    const constant = constantMistake(signature);
    if (constant !== undefined) return [constant];
    const own = signer.sign(parts.text);
    const written = own === undefined ? undefined : rareWriting(signature, Buffer.from(own, 'base64'));
    if (written !== undefined) return [written];
    return this.#byMaking() ?? this.#byText([rareSortOrders, ...fewPrintedMistakes]);
  }

  /** One mistake, out of the tables with many texts each. */
  many(): Explanation | undefined {
    return this.#byText([rareTimestamps, ...manyPrintedMistakes]);
  }

  /**
   * A rare text with another address or a likely key, and a rare key with a likely text; with more than the usual
   * effort both may be rare.
   */
  pair(): Explanation | undefined {
    if (!this.#search.isPlain) return undefined;
    const texts = this.#texts.list();
    return (
      this.#withCommon() ??
      this.#rareText() ??
      this.#rareKey() ??
      findProduct(this.#search, texts, 1) ??
      (this.#search.effort > 1
        ? (this.#rareTextAndKey() ?? findProduct(this.#search, texts, this.#search.effort))
        : undefined)
    );
  }

  #byMaking(): Explanation | undefined {
    if (this.#search.targets.length === 0) return undefined;
    this.#makings = [...this.#search.signer.rareMakings()];
    for (const { mistake, bytesOf } of this.#makings) {
      const found = this.#search.held(bytesOf(this.#search.parts.text), maxWritings);
      if (found !== undefined) return [...found.mistakes, ...(mistake === undefined ? [] : [mistake])];
    }
    return undefined;
  }

  #byText(sources: readonly MistakeSource[]): Explanation | undefined {
    if (this.#search.targets.length === 0) return undefined;
    for (const made of baseStringsOf(this.#search.parts, sources)) {
      const bytes = this.#search.sign(made.text);
      if (this.#signed.has(bytes)) continue;
      this.#signed.add(bytes);
      const found = this.#search.held(bytes, maxWritings);
      if (found !== undefined) return [...found.mistakes, made.mistake];
      if (made.source === rareSortOrders || made.source === rareTimestamps) continue;
      this.#texts.add(made, kindOf(made));
      this.#ofFields.add(made, `${kindOf(made)} ${made.mistake.detail.split(' ', 1).join('')}`);
    }
    return undefined;
  }

  /** Many texts, each beside the few mistakes that are made most. */
  #withCommon(): Explanation | undefined {
    const { parts, makings, effort } = this.#search;
    const keys = makings.filter(({ mistake }) => mistake !== undefined && common.test(mistake.variant)).slice(0, 6);
    const others = this.#search.likely.filter(({ mistake }) => commonTexts.test(mistake.variant));
    const addresses = others.filter(({ source, elements }) => source === addressMistakes && elements.uri !== undefined);
    const [behind] = this.#search.likely.filter(({ mistake }) => mistake.variant === 'text-line-feed');
    let left = maxCommonPairs * effort;
    for (const one of this.#ofFields.list()) {
      left -= keys.length + addresses.length + (1 + one.text.length / charactersOfATry);
      if (left < 0) return undefined;
      if (behind !== undefined && this.#isHeld(this.#search.sign(`${one.text}\n`)))
        return [behind.mistake, one.mistake];
      for (const { mistake, bytesOf } of keys)
        if (mistake !== undefined && this.#isHeld(bytesOf(one.text))) return [mistake, one.mistake];
      if (one.elements.uri !== undefined) continue;
      for (const { mistake, elements } of addresses)
        if (this.#isHeld(this.#search.sign(textWith(parts, one.elements, elements)))) return [mistake, one.mistake];
    }
    return undefined;
  }

  #rareText(): Explanation | undefined {
    const { parts, makings, effort } = this.#search;
    // Methods among them.
    const addresses = byRank(
      eachOnce(this.#search.likely.filter(({ source }) => source === addressMistakes)),
      ({ mistake }) => mistake.name,
    ).slice(0, likelyAddresses);
    const keys = makings.slice(1, 1 + likelyKeys);
    for (const one of this.#texts.list().slice(0, maxRareTexts * effort)) {
      for (const { mistake, bytesOf } of keys)
        if (mistake !== undefined && this.#isHeld(bytesOf(one.text))) return [mistake, one.mistake];
      if (one.elements.uri !== undefined) continue;
      for (const address of addresses) {
        const text = textWith(parts, one.elements, address.elements);
        if (this.#isHeld(this.#search.sign(text))) return [address.mistake, one.mistake];
      }
    }
    return undefined;
  }

  #rareKey(): Explanation | undefined {
    const rare = byRank(this.#makings, kindOf).slice(0, likelyRareKeys);
    const texts = byRank(eachOnce(this.#search.likely), ({ mistake }) => mistake.name);
    for (const { mistake: other, text } of texts.slice(0, Math.floor(maxTries / likelyRareKeys)))
      for (const { mistake, bytesOf } of rare)
        if (mistake !== undefined && this.#isHeld(bytesOf(text))) return [mistake, other];
    return undefined;
  }

  /** Every key with every text, as long as the tries last. */
  #rareTextAndKey(): Explanation | undefined {
    const keys = byRank([...this.#search.makings, ...this.#makings], kindOf);
    const texts = byRank([...eachOnce(this.#search.likely), ...this.#texts.list()], kindOf);
    let left = maxTriesOfTwoRare * this.#search.effort;
    for (const { mistake: other, text } of texts)
      for (const { mistake, bytesOf } of keys) {
        if (left < 0) return undefined;
        left -= 1 + text.length / charactersOfATry;
        if (mistake !== undefined && this.#isHeld(bytesOf(text))) return [mistake, other];
      }
    return undefined;
  }

  #isHeld(bytes: string): boolean {
    return this.#search.held(bytes) !== undefined;
  }
}

const common = /^(?:no-ampersand|not-encoded|line-feed|sha256|sha1|sha512)$/;
const commonTexts = /^(?:https?-for-https?|port-lost|slash-added|default-port)$/;

function kindOf({ mistake }: { readonly mistake: Mistake | undefined }): string {
  return `${mistake?.name} ${mistake?.variant}`;
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
