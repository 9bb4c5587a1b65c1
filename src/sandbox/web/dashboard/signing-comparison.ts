import { createPublicKey, type KeyObject } from 'node:crypto';
import { fail } from '../../../errors/index.js';
import {
  type Diagnosis,
  diffControl,
  diffOauth,
  type OauthCase,
  type OauthTheirs,
  type RemedyContext,
  remedyContext,
  signedBaseString,
  signedControl,
} from '../../../signing/diagnose/index.js';
import {
  parseAuthorizationHeader,
  readPrivateKey,
  readPublicKey,
  signatureBaseString,
} from '../../../signing/index.js';
import { type PastedRequest, readRequest, urlOf } from '../../../signing/requests/index.js';
import { type Assume, operations } from '../../../spec/index.js';
import { protectionOf } from '../../../wire/check-request.js';
import { decodeForm, type Pair } from '../../../wire/form.js';
import { hidden } from '../../../wire/mask.js';
import { controlCaseOf } from '../../audit/signature-cases.js';
import { minorIn } from '../../checks/fields.js';
import type { Route } from '../../checks/request.js';
import { merchantOf, type SandboxMerchant } from '../../ledger/merchants.js';
import type { Store } from '../../ledger/store.js';

/** A request somebody pasted, with its whole address. */
type WholeRequest = Pick<PastedRequest, 'method' | 'url' | 'headers' | 'body'>;

/** What was typed. Nothing of it is kept. */
export interface TypedSides {
  readonly theirs: string;
  readonly signature: string;
  readonly ours: string;
  /** A control key, or an RSA key as PEM; empty for the keys of the endpoint in this sandbox. */
  readonly key: string;
}

export interface SidesCompared {
  readonly operation: string | undefined;
  readonly what: 'signature' | 'control' | 'text';
  /** Undefined where nothing but texts was compared, or nothing could be. */
  readonly diagnosis: Diagnosis | undefined;
  /** What the advice depends on. */
  readonly remedy: RemedyContext;
  /** Whether what is to be compared came to the same. */
  readonly match: boolean;
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
  /** True when `theirs` is what they signed if the likeliest mistake is the right one, and not a text they gave. */
  readonly isSupposed: boolean;
}

type Side =
  | { readonly kind: 'none' }
  | { readonly kind: 'request'; readonly request: WholeRequest }
  | { readonly kind: 'base string' | 'header' | 'text'; readonly text: string };

interface Context {
  readonly store: Store;
  readonly assume: Assume;
  readonly key: string;
}

/** Compares what another program signed with what is right. Throws TEXT_INVALID, KEY_UNUSABLE or USAGE. */
export function compareSides(typed: TypedSides, store: Store, assume: Assume): SidesCompared {
  const theirs = sideOf(typed.theirs);
  const ours = sideOf(typed.ours);
  const context: Context = { store, assume, key: typed.key.trim() };
  const signature = typed.signature.trim();
  const basis = ours.kind === 'request' || ours.kind === 'base string' ? ours : theirs;
  if (basis.kind === 'request') return compareWithRequest(basis.request, theirs, signature, context);
  if (ours.kind === 'base string') return compareWithBaseString(ours.text, theirs, signature, context);
  if (theirs.kind === 'text' && ours.kind === 'text') return compareTexts(ours.text, theirs.text);
  throw fail('sidesNotComparable', { command: 'help signing' });
}

const requestStart = /^\s*(?:[$>#%]\s*)?(?:curl|wget|https?|xh|fetch|await|POST|GET|PUT|Invoke-|[{[:@#])/i;

function sideOf(given: string): Side {
  // A text area ends its lines in CRLF, and a pasted line brings one more.
  const text = given.replaceAll('\r\n', '\n').replace(/\n+$/, '');
  if (text.trim() === '') return { kind: 'none' };
  if (/^\s*[a-z]+&https?%3a%2f%2f/i.test(text)) return { kind: 'base string', text: text.trim() };
  if (/^\s*(?:authorization:\s*)?oauth\s/i.test(text)) return { kind: 'header', text };
  if (text.includes('\n') || requestStart.test(text)) {
    const pasted = readRequest(text, {}, 'the pasted request');
    return { kind: 'request', request: { ...pasted, url: urlOf(pasted) } };
  }
  return { kind: 'text', text };
}

function routeOf(url: string): Route | undefined {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  const cut = path.lastIndexOf('/');
  const row = operations.find((candidate) => path.slice(0, cut).endsWith(candidate.path));
  return row === undefined ? undefined : { id: row.id, row, endpointId: path.slice(cut + 1) };
}

function compareWithRequest(request: WholeRequest, theirs: Side, signature: string, context: Context): SidesCompared {
  const place = routeOf(request.url);
  const scheme = place === undefined ? undefined : protectionOf(place.row, context.assume).scheme;
  const operation = place?.row.command;
  if (place !== undefined && scheme === 'control')
    return { ...compareControl(request, place, theirs, signature, context), operation };
  const header = headerIn(theirs.kind === 'request' ? theirs.request : request);
  const method = scheme === undefined ? methodIn(header) : scheme === 'rsa-sha256' ? 'RSA-SHA256' : 'HMAC-SHA1';
  const given = oauthCaseOf(request, method, place, header, context);
  return { ...compareOauth(given, oauthEvidence(theirs, header, signature)), operation };
}

function headerIn({ headers }: WholeRequest): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
}

function methodIn(header: string | undefined): OauthCase['signatureMethod'] {
  return /oauth_signature_method\s*=\s*"RSA/i.test(header ?? '') ? 'RSA-SHA256' : 'HMAC-SHA1';
}

function oauthCaseOf(
  { method, url, body }: WholeRequest,
  signatureMethod: OauthCase['signatureMethod'],
  place: Route | undefined,
  header: string | undefined,
  context: Context,
): OauthCase {
  const values = new Map(header === undefined ? [] : pairsIn(header));
  const value = (name: string) => values.get(name) ?? '';
  return {
    method,
    url,
    body: decodeForm(body).filter(([name]) => !name.startsWith('oauth_')),
    signatureMethod,
    consumerKey: value('oauth_consumer_key'),
    nonce: value('oauth_nonce'),
    timestamp: value('oauth_timestamp'),
    hasVersion: header === undefined || values.has('oauth_version'),
    token: values.get('oauth_token'),
    ...keysFor(signatureMethod, place, context),
  };
}

function pairsIn(header: string): readonly Pair[] {
  try {
    return parseAuthorizationHeader(header.replace(/^\s*authorization:\s*/i, '')).pairs;
  } catch {
    // A header that cannot be parsed: the diagnosis reads of it what it can.
    return [];
  }
}

/** The key that was typed, or that of the merchant who owns the endpoint here. Throws KEY_UNUSABLE. */
function keysFor(
  method: OauthCase['signatureMethod'],
  place: Route | undefined,
  { store, assume, key }: Context,
): Partial<OauthCase> {
  const own = place === undefined ? undefined : merchantOf(store, place.endpointId);
  if (method === 'HMAC-SHA1')
    return {
      secret: key === '' ? own?.controlKey : key,
      tokenSecret: '',
      keyForm: assume['hmac-key-encoding'] === 'raw' ? 'raw' : 'encoded',
    };
  if (key !== '') return { publicKey: publicKeyIn(key) };
  return own?.publicKeyPem === undefined ? {} : { publicKey: readPublicKey(own.publicKeyPem).keyObject };
}

function publicKeyIn(pem: string): KeyObject {
  return pem.includes('PRIVATE KEY')
    ? createPublicKey(readPrivateKey(pem, undefined, 'typed').keyObject)
    : readPublicKey(pem, 'typed').keyObject;
}

function oauthEvidence(theirs: Side, header: string | undefined, signature: string): OauthTheirs | undefined {
  if (theirs.kind === 'base string') return { baseString: theirs.text };
  if (theirs.kind === 'header') return { header: theirs.text };
  if (signature !== '') return { signature };
  return header === undefined ? undefined : { header };
}

function compareOauth(given: OauthCase, theirs: OauthTheirs | undefined): SidesCompared {
  if (theirs === undefined) throw fail('sidesWithoutSignature', { command: 'help signing' });
  if (!('baseString' in theirs) && given.secret === undefined && given.publicKey === undefined)
    throw fail('sidesWithoutKey', { command: 'help signing' });
  const diagnosis = diffOauth(given, theirs);
  const adopted = withTheirNonce(given, theirs);
  const ours = baseStringOf(adopted);
  const supposed = signedBaseString(adopted, theirs, diagnosis);
  return {
    operation: undefined,
    what: 'baseString' in theirs ? 'text' : 'signature',
    diagnosis,
    remedy: { scheme: given.signatureMethod, keyForm: given.keyForm },
    match: diagnosis.match,
    ours,
    theirs: 'baseString' in theirs ? theirs.baseString : supposed,
    isSupposed: supposed !== undefined,
  };
}

/** Our side with their nonce and timestamp, which differ in every attempt, so that only mistakes remain. */
function withTheirNonce(given: OauthCase, theirs: OauthTheirs): OauthCase {
  const pairs =
    'header' in theirs ? pairsIn(theirs.header) : 'baseString' in theirs ? pairsOfBaseString(theirs.baseString) : [];
  const value = (name: string) => pairs.find((pair) => pair[0] === name)?.[1];
  return {
    ...given,
    consumerKey: given.consumerKey === '' ? (value('oauth_consumer_key') ?? '') : given.consumerKey,
    nonce: value('oauth_nonce') ?? given.nonce,
    timestamp: value('oauth_timestamp') ?? given.timestamp,
  };
}

function pairsOfBaseString(text: string): readonly Pair[] {
  const parameters = text.split('&').slice(2).join('&');
  try {
    return decodeForm(decodeURIComponent(parameters));
  } catch {
    return [];
  }
}

function baseStringOf(given: OauthCase): string {
  const { method, url, body, consumerKey, nonce, timestamp, signatureMethod, token, hasVersion } = given;
  return signatureBaseString(method, url, [
    ['oauth_consumer_key', consumerKey],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', signatureMethod],
    ['oauth_timestamp', timestamp],
    ...(token === undefined ? [] : [['oauth_token', token] as const]),
    ...(hasVersion ? [['oauth_version', '1.0'] as const] : []),
    ...body,
  ]);
}

function compareControl(
  request: WholeRequest,
  route: Route,
  theirs: Side,
  signature: string,
  { store, assume, key }: Context,
): SidesCompared {
  const { row, endpointId } = route;
  const own = merchantOf(store, endpointId);
  if (own === undefined && key === '') throw fail('sidesWithoutKey', { command: 'help signing' });
  const pairs = decodeForm(request.body);
  const login = pairs.find(([name]) => name === 'login')?.[1] ?? own?.login ?? '';
  const merchant: SandboxMerchant = {
    ...(own ?? { login, endpoints: [], publicKeyPem: undefined }),
    controlKey: key === '' ? (own?.controlKey ?? '') : key,
  };
  const minor = minorIn(pairs, route, assume);
  const received = { row, url: request.url, protection: protectionOf(row, assume), endpointId, pairs };
  const given = controlCaseOf(minor === undefined ? received : { ...received, minor }, merchant, store, assume);
  const control = signature !== '' ? signature : (controlIn(theirs) ?? controlIn({ kind: 'request', request }));
  const evidence = theirs.kind === 'text' ? { string: theirs.text } : control === undefined ? undefined : { control };
  const theirText = theirs.kind === 'text' ? theirs.text : undefined;
  if (evidence === undefined) throw fail('sidesWithoutSignature', { command: 'help signing' });
  const diagnosis = diffControl(given, evidence);
  const supposed =
    control === undefined || theirText !== undefined ? undefined : signedControl(given, control, diagnosis)?.string;
  return {
    operation: row.command,
    what: theirText === undefined ? 'control' : 'text',
    diagnosis,
    remedy: remedyContext('control', assume),
    match: diagnosis.match,
    ours: given.slots.map(({ value }) => value).join(''),
    // Their text may hold the key behind its values.
    theirs: theirText?.replaceAll(given.key, hidden) ?? supposed,
    isSupposed: supposed !== undefined,
  };
}

function controlIn(side: Side): string | undefined {
  return side.kind === 'request' ? decodeForm(side.request.body).find(([name]) => name === 'control')?.[1] : undefined;
}

/** A base string holds all that is needed to make it again. */
function compareWithBaseString(text: string, theirs: Side, signature: string, context: Context): SidesCompared {
  const [method = '', address = ''] = text.split('&');
  const pairs = pairsOfBaseString(text);
  const value = (name: string) => pairs.find((pair) => pair[0] === name)?.[1];
  const signatureMethod = value('oauth_signature_method') === 'RSA-SHA256' ? 'RSA-SHA256' : 'HMAC-SHA1';
  const url = decodeURIComponent(address);
  const given: OauthCase = {
    method,
    url,
    body: pairs.filter(
      ([name]) => !/^oauth_(?:consumer_key|nonce|signature_method|timestamp|version|token)$/.test(name),
    ),
    signatureMethod,
    consumerKey: value('oauth_consumer_key') ?? '',
    nonce: value('oauth_nonce') ?? '',
    timestamp: value('oauth_timestamp') ?? '',
    hasVersion: value('oauth_version') !== undefined,
    token: value('oauth_token'),
    ...keysFor(signatureMethod, routeOf(url), context),
  };
  const header = theirs.kind === 'request' ? headerIn(theirs.request) : undefined;
  return { ...compareOauth(given, oauthEvidence(theirs, header, signature)), ours: text };
}

function compareTexts(ours: string, theirs: string): SidesCompared {
  return {
    operation: undefined,
    what: 'text',
    diagnosis: undefined,
    remedy: {},
    match: ours === theirs,
    ours,
    theirs,
    isSupposed: false,
  };
}
