import { fail } from '../../errors/index.js';
import type { Pair } from '../../wire/form.js';
import { splitAuthorizationHeader } from '../schemes/authorization-header.js';
import { compareBaseStrings, decodedOnce, type ParameterRow, parametersIn } from './compare.js';
import { addressRows } from './oauth-address-rows.js';
import { encodingRows } from './oauth-encoding-rows.js';
import { keyRows } from './oauth-key-rows.js';
import { parameterRows } from './oauth-parameter-rows.js';
import { makeBaseString, makeSignature, type OauthCase, rightOauth } from './oauth-recipe.js';
import { sortRows } from './oauth-sort-rows.js';
import { clockRows, timeRows } from './oauth-time-rows.js';
import { explain, type Made, type Mistake, type Target } from './search.js';
import { signatureTargets, unreadMistakes } from './signature-targets.js';

/** What a comparison found. */
export interface Diagnosis {
  readonly match: boolean;
  /** What explains it likeliest, together; empty when it matches, and when nothing known does. */
  readonly mistakes: readonly Mistake[];
  /** The text that they signed, without a control key, where it is known. */
  readonly signed?: string;
  /** What is in it, beside what belongs in it. */
  readonly compare?: () => ParameterRow[];
}

/** What the other side shows of the same request. */
export type OauthTheirs =
  | { readonly signature: string }
  | { readonly baseString: string }
  | { readonly header: string };

const pairsOfOauth = 6000;

/** Names what went wrong on the other side, from as much as it shows. */
export function diagnoseOauth(given: OauthCase, theirs: OauthTheirs, maxPairs = pairsOfOauth): Diagnosis {
  if ('baseString' in theirs)
    return diagnoseBaseString(withTheirNonce(given, theirs.baseString), theirs.baseString, maxPairs);
  if ('signature' in theirs) return diagnoseSignature(given, theirs.signature, [], maxPairs);
  const read = readHeader(given, theirs.header);
  return diagnoseSignature(read.given, read.signature, read.mistakes, maxPairs);
}

function explainOauth(given: OauthCase, make: typeof makeSignature, targets: readonly Target[], maxPairs: number) {
  const right = rightOauth(given);
  const rows = () => [
    ...encodingRows,
    ...sortRows,
    ...timeRows(given),
    ...parameterRows(given, right.parameters),
    ...addressRows(given, right.address),
    ...keyRows(given),
    ...clockRows(given),
  ];
  return { ours: makeBaseString(right), found: explain({ right, rows, make, targets, maxPairs }) };
}

function diagnoseSignature(
  given: OauthCase,
  signature: string,
  before: readonly Mistake[],
  maxPairs: number,
): Diagnosis {
  const { ours, found } = explainOauth(given, makeSignature, signatureTargets(given, signature), maxPairs);
  const stamps = timestampMistakes(given);
  if (found === undefined)
    return { match: false, mistakes: ofEachName([...before, ...unreadMistakes(given, signature), ...stamps]) };
  const mistakes = ofEachName([...before, ...stamps], found.mistakes);
  const signed = found.made.text;
  return { match: mistakes.length === 0, mistakes, signed, compare: () => compareBaseStrings(ours, signed) };
}

function diagnoseBaseString(given: OauthCase, baseString: string, maxPairs: number): Diagnosis {
  const targets = [{ mistakes: [], fits: ({ text }: Made) => text === baseString }];
  const make: typeof makeSignature = (recipe) => ({ text: makeBaseString(recipe), bytes: '' });
  const { ours, found } = explainOauth(given, make, targets, maxPairs);
  const mistakes = ofEachName(timestampMistakes(given), found?.mistakes);
  const compare = () => compareBaseStrings(ours, baseString);
  return { match: found !== undefined && mistakes.length === 0, mistakes, signed: baseString, compare };
}

/** What is certain whatever makes the bytes, of each name once, and what makes them, where that is another. */
function ofEachName(certain: readonly Mistake[], found: readonly Mistake[] = []): Mistake[] {
  const first = certain.filter((each, at) => certain.findIndex(({ name }) => name === each.name) === at);
  return [...first, ...found.filter(({ name }) => first.every((each) => each.name !== name))];
}

/**
 * The request with nonce and timestamp of their base string, which each attempt has anew; where only one of the two is
 * another, it was made or read twice.
 */
function withTheirNonce(given: OauthCase, baseString: string): OauthCase {
  const theirs = parametersIn(baseString);
  const theirValue = (name: string) => decodedOnce(theirs.find((pair) => pair[0] === name)?.[1]);
  const fresh = ['oauth_nonce', 'oauth_timestamp'];
  if (given.protocol.some(([name, value]) => fresh.includes(name) && theirValue(name) === value)) return given;
  const protocol = given.protocol.map(
    ([name, value]): Pair => [name, (fresh.includes(name) ? theirValue(name) : undefined) ?? value],
  );
  return { ...given, protocol };
}

/** Reads a header with its mistakes. Throws TEXT_INVALID for one that is none, or has no signature. */
function readHeader(given: OauthCase, header: string) {
  const { pairs, realm } = splitAuthorizationHeader(header.trim().replace(/^authorization:\s*/i, ''));
  // A signature always ends with =, which tells how often it was encoded.
  const isTwice = pairs.some(([name, value]) => name === 'oauth_signature' && /%25(?:2[BF]|3D)/i.test(value));
  const once = (value: string) => decodedOnce(value) ?? value;
  const read = (value: string) => (isTwice ? once(once(value)) : once(value));
  const sent = pairs.map(([name, value]): Pair => [read(name), read(value)]);
  const signature = sent.find(([name]) => name === 'oauth_signature')?.[1];
  if (signature === undefined)
    throw fail('TEXT_INVALID', { field: 'Authorization header', why: 'it has no oauth_signature' });
  const isRaw = pairs.some(([, value]) => !/^(?:[\w.~-]|%[0-9A-F]{2})*$/i.test(value));
  const method = sent.find(([name]) => name === 'oauth_signature_method')?.[1];
  const due = given.signatureMethod;
  const mistakes: Mistake[] = [];
  if (isTwice) mistakes.push(headerMistake('twice', 'values of the header percent-encoded twice, such as %252B'));
  if (isRaw) mistakes.push(headerMistake('raw', 'values of the header with + / = and the like left unencoded'));
  if (method !== due) {
    const detail = `the header names ${method === undefined ? 'no' : 'another'} oauth_signature_method; this request takes ${due}`;
    const fix = `send and sign oauth_signature_method=${due}`;
    mistakes.push({ name: 'rsa-key-or-method', variant: 'method', detail, fix });
  }
  const protocol = sent.filter(([name]) => name !== 'oauth_signature');
  return { given: { ...given, protocol, realm }, signature, mistakes };
}

function headerMistake(variant: string, detail: string): Mistake {
  const fix = 'percent-encode each value of the Authorization header once, the signature too';
  return { name: 'header-not-encoded', variant, detail, fix };
}

/** A timestamp that no gateway takes, whatever the signature. */
function timestampMistakes({ protocol }: OauthCase): Mistake[] {
  const sent = protocol.find(([name]) => name === 'oauth_timestamp')?.[1] ?? '';
  const fix = 'write oauth_timestamp in whole seconds since 1970, ten digits';
  const name = 'nonce-timestamp';
  if (/^\d+[.,]\d+$/.test(sent)) return [{ name, variant: 'fraction', detail: 'oauth_timestamp has a fraction', fix }];
  const detail = `oauth_timestamp has ${sent.length} digits, not ten`;
  return /^\d{12,}$/.test(sent) ? [{ name, variant: 'milliseconds', detail, fix }] : [];
}
