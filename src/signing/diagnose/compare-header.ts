import { fail } from '../../errors/index.js';
import type { Pair } from '../../wire/form.js';
import { splitAuthorizationHeader } from '../schemes/authorization-header.js';
import { headerDifferences } from './all-differences.js';
import { diffBaseString } from './compare-base-string.js';
import {
  type Diagnosis,
  type Difference,
  diagnosed,
  type Explanation,
  firstDifference,
  type Mistake,
  matched,
  type OauthCase,
  type OauthMistakeName,
  type OauthTheirs,
} from './diagnosis.js';
import { findOauthMistakes, headerOf, signerOf } from './oauth-mistakes.js';
import { decomposeRequest } from './oauth-parts.js';
import { decodedOnce } from './parsed-base-string.js';

/** Names what went wrong on the other side, from as much as it shows. */
export function diffOauth(given: OauthCase, theirs: OauthTheirs): Diagnosis {
  if ('signature' in theirs) return findOauthMistakes(given, theirs.signature);
  return 'header' in theirs ? diffHeader(given, theirs.header) : diffBaseString(given, theirs.baseString);
}

type Found = Mistake<OauthMistakeName>;

/** The request with what their header has of its own: consumer key, nonce, timestamp, version, token. */
export function caseOfHeader(given: OauthCase, header: string): OauthCase {
  const { value, realm } = readHeader(header);
  return asTheirs(given, value, realm);
}

/** Theirs, decoded; undefined where the header has none. */
export function signatureIn(header: string): string | undefined {
  return readHeader(header).value('oauth_signature');
}

function readHeader(header: string) {
  const text = header.trim().replace(/^authorization:\s*/i, '');
  const { pairs, realm } = splitAuthorizationHeader(text);
  const twice = isTwice(pairs);
  const value = (name: string) => decoded(pairs.find((pair) => pair[0] === name)?.[1], twice);
  return { text, pairs, realm, twice, value };
}

/** Reads their header, takes over what each attempt has of its own, and looks for the mistake behind its signature. */
function diffHeader(given: OauthCase, header: string): Diagnosis {
  const { text, pairs, realm, twice, value } = readHeader(header);
  const signature = value('oauth_signature');
  if (signature === undefined)
    throw fail('TEXT_INVALID', { field: 'Authorization header', why: 'it has no oauth_signature' });
  const theirs = asTheirs(given, value, realm);
  const wrong = [...writingMistakes(pairs, twice), ...methodMistakes(given, value('oauth_signature_method'))];
  const found = findOauthMistakes(theirs, signature);
  const taken = takenFrom(given, theirs);
  const difference = differenceOf(theirs, text);
  const own = headerOfOurs(theirs);
  const all = own === undefined ? {} : { differences: headerDifferences(own, text) };
  if (wrong.length === 0)
    return found.match ? matched(taken) : { ...diagnosed(found.explanations, difference, taken), ...all };
  const explanations: readonly Explanation[] = found.explanations.length === 0 ? [[]] : found.explanations;
  const together = explanations.map((explanation) => [
    ...wrong,
    ...explanation.filter(({ name }) => wrong.every((mistake) => mistake.name !== name)),
  ]);
  return { ...diagnosed(together, difference, taken), ...all };
}

/** 3.5.1: percent-encoded once. A signature always ends with =, which tells how often it was. */
function isTwice(pairs: readonly Pair[]): boolean {
  return pairs.some(([name, value]) => name === 'oauth_signature' && /%25(?:2[BF]|3D)/i.test(value));
}

function writingMistakes(pairs: readonly Pair[], twice: boolean): Found[] {
  const name = 'header-not-encoded';
  if (twice)
    return [
      { name, variant: 'twice', detail: 'values percent-encoded twice, such as %252B; they must be encoded once' },
    ];
  const raw = pairs.filter(([, value]) => !/^(?:[\w.~-]|%[0-9A-F]{2})*$/i.test(value)).map(([each]) => each);
  const chars = 'characters such as + / = left unencoded; each must be percent-encoded';
  return raw.length === 0
    ? []
    : [
        {
          name,
          variant: 'raw',
          detail: `${raw.filter((each) => /^oauth_\w+$/.test(each)).join(', ') || 'a value'}: ${chars}`,
        },
      ];
}

function methodMistakes({ signatureMethod }: OauthCase, theirs: string | undefined): Found[] {
  if (theirs === signatureMethod) return [];
  const named = theirs === undefined ? 'no oauth_signature_method' : 'a different oauth_signature_method';
  return [
    {
      name: 'rsa-key-or-method',
      variant: 'method',
      detail: `the header names ${named}; this request requires ${signatureMethod}`,
    },
  ];
}

function decoded(value: string | undefined, twice: boolean): string | undefined {
  const once = decodedOnce(value) ?? value;
  return twice ? (decodedOnce(once) ?? once) : once;
}

function asTheirs(given: OauthCase, value: (name: string) => string | undefined, realm: string | undefined): OauthCase {
  return {
    ...given,
    consumerKey: value('oauth_consumer_key') ?? given.consumerKey,
    nonce: value('oauth_nonce') ?? given.nonce,
    timestamp: value('oauth_timestamp') ?? given.timestamp,
    hasVersion: value('oauth_version') !== undefined,
    token: value('oauth_token'),
    realm,
  };
}

function takenFrom(ours: OauthCase, theirs: OauthCase): NonNullable<Diagnosis['taken']> {
  const rows = [
    ['consumer key', ours.consumerKey === theirs.consumerKey],
    ['nonce', ours.nonce === theirs.nonce],
    ['timestamp', ours.timestamp === theirs.timestamp],
    ['version', ours.hasVersion === theirs.hasVersion],
    ['token', ours.token === theirs.token],
    ['realm', ours.realm === theirs.realm],
  ] as const;
  return rows.filter(([, isSame]) => !isSame).map(([what]) => what);
}

/** Undefined without the key that signs. */
function differenceOf(theirs: OauthCase, text: string): Difference | undefined {
  const own = headerOfOurs(theirs);
  return own === undefined ? undefined : firstDifference('header', own, text);
}

function headerOfOurs(theirs: OauthCase): string | undefined {
  const signature = signerOf(theirs).sign(decomposeRequest(theirs).text);
  return signature === undefined ? undefined : headerOf(theirs, signature);
}
