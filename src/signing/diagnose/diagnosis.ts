import type { KeyObject } from 'node:crypto';
import type { Pair } from '../../wire/form.js';
import type { ControlEncoding } from '../schemes/control-checksum.js';
import type { HmacKeyForm } from '../schemes/oauth1.js';
import type { OddCharacter } from './odd-characters.js';

/** Words that name a stage, in the order of the stages. */
export const stageNames = [
  'parameters',
  'address',
  'base-string',
  'string',
  'signature',
  'control',
  'authorization',
] as const;

export type StageName = (typeof stageNames)[number];

export type OauthMistakeName =
  | 'reserved-characters'
  | 'space-plus'
  | 'encoded-twice-or-once'
  | 'body-left-out'
  | 'sort-order'
  | 'query-left-out'
  | 'signing-key'
  | 'scheme-host-port'
  | 'header-not-encoded'
  | 'empty-values'
  | 'not-utf8'
  | 'repeated-or-nested-names'
  | 'nonce-timestamp'
  | 'rsa-key-or-method'
  | 'realm'
  | 'method'
  | 'digest';

export type ControlMistakeName =
  | 'order'
  | 'decimal-amount'
  | 'missing-email'
  | 'endpoint-login'
  | 'orderid-text'
  | 'amount-currency'
  | 'key-whitespace'
  | 'other-key'
  | 'upper-case'
  | 'base64'
  | 'charset'
  | 'endpoint-group'
  | 'digest';

/** One thing done wrongly. `detail` is for people and names no secret and no value of a field. */
export interface Mistake<Name extends string = OauthMistakeName | ControlMistakeName> {
  readonly name: Name;
  /** Which way of doing it; one word, stable. */
  readonly variant: string;
  readonly detail: string;
}

/**
 * Where theirs leaves ours. Offsets in bytes of UTF-8. These texts are as they were signed: whoever shows them masks
 * them first.
 */
export interface Difference {
  readonly of: 'base string' | 'control string' | 'header';
  readonly at: number;
  /** A stretch of text around that byte. */
  readonly ours: string;
  readonly theirs: string;
  /** The first parameter that differs, encoded as in the base string. */
  readonly pair?: { readonly ours?: Pair | undefined; readonly theirs?: Pair | undefined } | undefined;
}

/** One of all the differences between two texts. Offsets in bytes of UTF-8; undefined on the side that has nothing. */
export interface TextDifference {
  readonly of: 'method' | 'address' | 'parameter' | 'order' | 'header' | 'text';
  /** Of a parameter, decoded. */
  readonly name?: string | undefined;
  readonly at: number | undefined;
  readonly theirsAt: number | undefined;
  /** As it stands in the text. */
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
  /** Characters, decoded, that an eye does not tell from others. */
  readonly oddInOurs: readonly OddCharacter[];
  readonly oddInTheirs: readonly OddCharacter[];
}

export interface Diagnosis {
  readonly match: boolean;
  /** Likeliest first; empty when it matches, and when nothing known explains the difference. */
  readonly mistakes: readonly Mistake[];
  /**
   * The same, grouped: the mistakes of one entry were made together, and each entry explains the difference by itself.
   */
  readonly explanations: readonly (readonly Mistake[])[];
  readonly difference?: Difference | undefined;
  /** Every difference between texts that both sides show. */
  readonly differences?: readonly TextDifference[] | undefined;
  /** What was taken over from theirs before comparing, since each attempt has its own. */
  readonly taken?: readonly ('nonce' | 'timestamp' | 'consumer key' | 'version' | 'token' | 'realm')[] | undefined;
}

export interface OauthCase {
  readonly method: string;
  /** With its query, as it is sent. */
  readonly url: string;
  /** The pairs of the body only, decoded. */
  readonly body: readonly Pair[];
  readonly signatureMethod: 'HMAC-SHA1' | 'RSA-SHA256';
  readonly consumerKey: string;
  readonly nonce: string;
  readonly timestamp: string;
  /** Whether oauth_version=1.0 is there. */
  readonly hasVersion: boolean;
  readonly token?: string | undefined;
  readonly realm?: string | undefined;
  /** For HMAC-SHA1. */
  readonly secret?: string | undefined;
  readonly tokenSecret?: string | undefined;
  /** A51; percent-encoded when left out. */
  readonly keyForm?: HmacKeyForm | undefined;
  /** For RSA-SHA256. The private half signs, either half checks. */
  readonly privateKey?: KeyObject | undefined;
  readonly publicKey?: KeyObject | undefined;
  /** When the request was sent, in seconds. Left out, a clock is never blamed. */
  readonly now?: number | undefined;
}

export interface RawSignature {
  readonly baseString: string;
  readonly signature: string;
  readonly authorization: string;
  /** Encoded and sorted. */
  readonly parameters: readonly Pair[];
}

export type OauthTheirs =
  | { readonly signature: string }
  | { readonly baseString: string }
  | { readonly header: string };

/** A request signed under one mistake. */
export interface OauthHypothesis {
  readonly mistake: Mistake<OauthMistakeName>;
  readonly baseString: string;
  /** What then stands in oauth_signature, before its encoding; undefined without the key that makes it. */
  sign(): string | undefined;
}

export interface ControlCase {
  /** In the order of the recipe; the amount in minor units. */
  readonly slots: readonly { readonly name: string; readonly wire: string; readonly value: string }[];
  readonly key: string;
  readonly encoding: ControlEncoding;
  /** The decimal text of the body, when there is an amount. */
  readonly amountText?: string | undefined;
  readonly currency?: string | undefined;
  readonly email?: string | undefined;
  readonly login: string;
  readonly endpointId: string;
  /** In the order it is sent, as far as it is known. */
  readonly body?: readonly Pair[] | undefined;
  /** Other endpoint ids or groups. */
  readonly otherEndpoints?: readonly string[] | undefined;
  /** Of other profiles or merchants. */
  readonly otherKeys?: readonly { readonly name: string; readonly key: string }[] | undefined;
}

export type ControlTheirs = { readonly control: string } | { readonly string: string };

export type Explanation = readonly Mistake[];

/** Explanations side by side; of several that come to the same names the first is kept. */
export function diagnosed(
  explanations: readonly Explanation[],
  difference?: Difference,
  taken?: Diagnosis['taken'],
): Diagnosis {
  const distinct = unique(
    explanations.filter((mistakes) => mistakes.length > 0),
    (mistakes) => mistakes.map(({ name }) => name).join(),
  );
  return {
    match: false,
    mistakes: unique(distinct.flat(), ({ name }) => name),
    explanations: distinct,
    ...(difference === undefined ? {} : { difference }),
    ...(taken === undefined || taken.length === 0 ? {} : { taken }),
  };
}

export function matched(taken?: Diagnosis['taken']): Diagnosis {
  return {
    match: true,
    mistakes: [],
    explanations: [],
    ...(taken === undefined || taken.length === 0 ? {} : { taken }),
  };
}

function unique<Member>(list: readonly Member[], keyOf: (member: Member) => string): Member[] {
  const keys = list.map(keyOf);
  return list.filter((_, at) => keys.indexOf(keys[at] ?? '') === at);
}

const excerptLength = 24;

/** Both stretches begin at the same place, so that what they share comes first. Undefined for equal texts. */
export function firstDifference(
  of: Difference['of'],
  ours: string,
  theirs: string,
  pair?: Difference['pair'],
): Difference | undefined {
  if (ours === theirs) return undefined;
  const at = firstDifferentIndex(ours, theirs);
  const stretch = (text: string) => text.slice(Math.max(0, at - excerptLength), at + excerptLength).toWellFormed();
  return {
    of,
    at: Buffer.byteLength(ours.slice(0, at), 'utf8'),
    ours: stretch(ours),
    theirs: stretch(theirs),
    ...(pair === undefined ? {} : { pair }),
  };
}

function firstDifferentIndex(ours: string, theirs: string): number {
  const shortest = Math.min(ours.length, theirs.length);
  let at = 0;
  while (at < shortest && ours.charCodeAt(at) === theirs.charCodeAt(at)) at += 1;
  // Not between the halves of a surrogate pair.
  return /[\uD800-\uDBFF]$/.test(ours.slice(0, at)) ? at - 1 : at;
}

/** The first place where two lists of parameters differ; a pair that only one of them has stands alone. */
export function firstDifferentPair(ours: readonly Pair[], theirs: readonly Pair[]): Difference['pair'] {
  const at = ours.findIndex((pair, place) => !samePair(pair, theirs[place]));
  const place = at === -1 ? ours.length : at;
  const [own, other] = [ours[place], theirs[place]];
  if (own === undefined && other === undefined) return undefined;
  if (own !== undefined && other !== undefined && own[0] !== other[0]) {
    if (!has(ours, other[0])) return { theirs: other };
    if (!has(theirs, own[0])) return { ours: own };
  }
  return { ours: own, theirs: other };
}

function samePair(one: Pair, other: Pair | undefined): boolean {
  return other !== undefined && one[0] === other[0] && one[1] === other[1];
}

function has(pairs: readonly Pair[], name: string): boolean {
  return pairs.some((pair) => pair[0] === name);
}

/** Every order of a list, the given one first. */
export function permutations<Item>(list: readonly Item[]): Item[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((first, at) => permutations(list.toSpliced(at, 1)).map((others) => [first, ...others]));
}
