import { fail, isPaycliError } from '../../errors/index.js';
import type { Assume } from '../../spec/index.js';
import { type Pair, percentEncode } from '../../wire/form.js';
import { keyFingerprint, type PrivateKey } from '../keys/rsa-keys.js';
import { joinHeader, parseAuthorizationHeader, realmText } from './authorization-header.js';
import { controlKeyMissing } from './control-scheme.js';
import {
  type BaseString,
  buildBaseString,
  encodePairs,
  type HmacKeyForm,
  joinPairs,
  queryPairs,
  signatureBaseString,
  signHmacSha1,
  signRsaSha256,
  signRsaSha256Async,
  verifyHmacSha1,
  verifyRsaSha256,
} from './oauth1.js';
import {
  type Credentials,
  type Merchant,
  type OauthStages,
  plainHeaders,
  refused,
  type Scheme,
  type SignedRequest,
  type SourcedPair,
  type Unsigned,
  type Verdict,
} from './request.js';

/** All that differs between the two signature methods of scheme 2. */
interface OauthMethod {
  readonly scheme: OauthStages['scheme'];
  /** oauth_signature_method on the wire. */
  readonly name: 'HMAC-SHA1' | 'RSA-SHA256';
  sign(baseString: string, credentials: Credentials, assume: Assume): string;
  /** The same on another thread, where it takes its time. */
  signAsync?(baseString: string, credentials: Credentials): Promise<string>;
  /** Undefined when the merchant has no key to verify with. */
  verify(baseString: string, signature: string, merchant: Merchant, assume: Assume): boolean | undefined;
  key(credentials: Credentials, assume: Assume): OauthStages['key'];
  /** A07: whether oauth_* stand in the body, too. */
  repeatsInBody(assume: Assume): boolean;
}

export const hmacScheme = oauthScheme({
  scheme: 'hmac-sha1',
  name: 'HMAC-SHA1',
  sign: (text, credentials, assume) => signHmacSha1(text, controlKey(credentials), '', keyForm(assume)),
  verify: (text, signature, merchant, assume) =>
    verifyHmacSha1(text, signature, merchant.controlKey.open(), '', keyForm(assume)),
  key: (credentials, assume) => ({
    form: `${keyForm(assume) === 'raw' ? 'control key' : 'percent-encoded control key'}, "&", empty token secret`,
    fingerprint: keyFingerprint(controlKey(credentials)),
  }),
  repeatsInBody: (assume) => assume['oauth-in-body'] === 'hmac',
});

export const rsaScheme = oauthScheme({
  scheme: 'rsa-sha256',
  name: 'RSA-SHA256',
  sign: (text, credentials) => signRsaSha256(text, privateKey(credentials).keyObject),
  signAsync: async (text, credentials) => signRsaSha256Async(text, privateKey(credentials).keyObject),
  verify: (text, signature, { publicKey }) =>
    publicKey === undefined ? undefined : verifyRsaSha256(text, signature, publicKey),
  key: (credentials) => {
    const { form, bits, fingerprint } = privateKey(credentials);
    return { form: `RSA private key of ${bits} bits, ${form}`, fingerprint };
  },
  repeatsInBody: () => false,
});

function controlKey(credentials: Credentials): string {
  if (credentials.controlKey !== undefined) return credentials.controlKey.open();
  throw controlKeyMissing();
}

function privateKey({ privateKey: key }: Credentials): PrivateKey {
  if (key !== undefined) return key;
  const facts = { name: 'in use', lacking: 'a private key', how: 'private-key in the profile' };
  throw fail('PROFILE_INCOMPLETE', facts);
}

// A51
function keyForm(assume: Assume): HmacKeyForm {
  return assume['hmac-key-encoding'] === 'raw' ? 'raw' : 'encoded';
}

function oauthScheme(method: OauthMethod): Scheme {
  return {
    sign(unsigned, credentials, assume, fresh) {
      const prepared = prepareOauth({ ...unsigned, ...fresh, name: method.name, login: credentials.login });
      return signed(unsigned, prepared, method.sign(prepared.base.text, credentials, assume), {
        ...{ method, credentials, assume },
      });
    },
    async signAsync(unsigned, credentials, assume, fresh) {
      const prepared = prepareOauth({ ...unsigned, ...fresh, name: method.name, login: credentials.login });
      const { text } = prepared.base;
      const signature = await (method.signAsync?.(text, credentials) ?? method.sign(text, credentials, assume));
      return signed(unsigned, prepared, signature, { method, credentials, assume });
    },
    verify: ({ url, pairs, authorization }, merchant, assume) =>
      verifyOauth(
        { method: 'POST', url, pairs, authorization },
        {
          name: method.name,
          login: merchant.login,
          fits: (text, signature) => method.verify(text, signature, merchant, assume),
        },
      ),
  };
}

/** What is signed by scheme 2. */
export interface OauthRequest {
  readonly url: string;
  /** The body without oauth_*. */
  readonly pairs: readonly Pair[];
  readonly name: OauthMethod['name'];
  readonly login: string;
  readonly nonce: string;
  readonly timestamp: string;
}

/** A request on its way to its signature: encoded once, for the base string, the header and the body alike. */
export interface PreparedOauth {
  readonly protocol: readonly Pair[];
  readonly inHeader: readonly Pair[];
  readonly inBody: readonly Pair[];
  readonly base: BaseString;
}

/** The oauth_* of a request that has not been sent, in the order they are sent. */
export function protocolPairs({ login, nonce, timestamp, name }: Omit<OauthRequest, 'url' | 'pairs'>): Pair[] {
  return [
    ['oauth_consumer_key', login],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', name],
    ['oauth_timestamp', timestamp],
    ['oauth_version', '1.0'],
  ];
}

/** The base string of a request, and what it is made of. */
export function prepareOauth({ url, pairs, ...own }: OauthRequest): PreparedOauth {
  const protocol = protocolPairs(own);
  const [inHeader, inBody] = [encodePairs(protocol), encodePairs(pairs)];
  return { protocol, inHeader, inBody, base: buildBaseString('POST', url, [...inHeader, ...inBody]) };
}

/** Its Authorization header. */
export function signedHeader({ inHeader }: PreparedOauth, signature: string, realm?: string): string {
  return `OAuth ${realmText(realm)}${joinHeader([...inHeader, ['oauth_signature', percentEncode(signature)]])}`;
}

interface Signer {
  readonly method: OauthMethod;
  readonly credentials: Credentials;
  readonly assume: Assume;
}

function signed(unsigned: Unsigned, prepared: PreparedOauth, signature: string, signer: Signer): SignedRequest {
  const { protocol, inHeader, inBody, base } = prepared;
  const { method, credentials, assume } = signer;
  const header = signedHeader(prepared, signature);
  // A07: the body may repeat oauth_*, which the base string holds once all the same.
  const repeats = method.repeatsInBody(assume);
  const from = (source: SourcedPair['source'], pairs: readonly Pair[]) =>
    pairs.map(([name, value]) => ({ source, name, value }));
  return {
    url: unsigned.url,
    pairs: repeats ? [...unsigned.pairs, ...protocol] : unsigned.pairs,
    headers: { ...plainHeaders, Authorization: header },
    body: joinPairs(repeats ? [...inBody, ...inHeader] : inBody),
    stages: {
      scheme: method.scheme,
      method: 'POST',
      pairs: [...from('oauth', protocol), ...from('body', unsigned.pairs), ...from('query', base.query)],
      encoded: base.encoded,
      sorted: base.sorted,
      parts: { method: 'POST', url: base.uri, parameters: base.parameters },
      baseString: base.text,
      key: method.key(credentials, assume),
      signature,
      header,
    },
  };
}

/** What a signature of scheme 2 is verified against: the request as it came in. */
export interface ReceivedOauth {
  readonly method: string;
  readonly url: string;
  /** The decoded body, any oauth_* included. */
  readonly pairs: readonly Pair[];
  /** The text of the header; undefined when it was not sent. */
  readonly authorization: string | undefined;
}

/** What must hold of such a request. */
export interface ExpectedOauth {
  readonly name: OauthMethod['name'];
  /** The consumer key that the merchant's requests carry. */
  readonly login: string;
  /** Undefined when there is no key to verify with. */
  fits(baseString: string, signature: string): boolean | undefined;
}

/**
 * RFC 5849 3.2, in the order that tells most: shape, parameters, method, version, consumer, signature. Hostile input
 * never throws. Throws KEY_UNUSABLE where `fits` does.
 */
export function verifyOauth(received: ReceivedOauth, expected: ExpectedOauth): Verdict {
  if (received.authorization === undefined) return refused('oauth-missing', 'the Authorization header is missing');
  try {
    return verifyHeader(received, parseAuthorizationHeader(received.authorization).pairs, expected);
  } catch (error) {
    if (isPaycliError(error) && (error.code === 'TEXT_INVALID' || error.code === 'URL_INVALID'))
      return refused('oauth-malformed', error.message);
    throw error;
  }
}

function verifyHeader(received: ReceivedOauth, header: readonly Pair[], expected: ExpectedOauth): Verdict {
  const values = new Map(header);
  const value = (name: string) => values.get(name) ?? '';
  const flaw = parameterProblem(header, values, received);
  if (flaw !== undefined) return refused('oauth-parameters', flaw);
  if (value('oauth_signature_method') !== expected.name)
    return refused('oauth-method', `oauth_signature_method must be ${expected.name} for this operation`);
  if (value('oauth_version') !== '1.0') return refused('oauth-version', 'oauth_version must be 1.0');
  if (value('oauth_consumer_key') !== expected.login)
    return refused('oauth-consumer', 'oauth_consumer_key is not the merchant login of this endpoint');
  // A07: what the body repeats counts once.
  const body = received.pairs.filter(([name]) => !(isProtocol(name) && values.has(name)));
  const text = signatureBaseString(received.method, received.url, [...header, ...body]);
  const fits = expected.fits(text, value('oauth_signature'));
  if (fits === true) return { ok: true, nonce: value('oauth_nonce'), timestamp: value('oauth_timestamp') };
  if (fits === undefined) return refused('oauth-key-missing', 'the merchant has no public key to verify with');
  const detail = `oauth_signature is not a valid ${expected.name} signature of this request by this merchant's key`;
  return refused('oauth-signature', detail);
}

const required = ['consumer_key', 'nonce', 'signature', 'signature_method', 'timestamp', 'version'].map(
  (name) => `oauth_${name}`,
);

/** What is wrong with the set of parameters, in words, or undefined. */
function parameterProblem(
  header: readonly Pair[],
  values: ReadonlyMap<string, string>,
  received: ReceivedOauth,
): string | undefined {
  const twice = repeatedName(header);
  if (twice !== undefined) return `${twice} was sent more than once in the header`;
  const missing = required.find((name) => (values.get(name) ?? '') === '');
  if (missing !== undefined) return `${missing} is missing`;
  if (!/^[1-9]\d*$/.test(values.get('oauth_timestamp') ?? ''))
    return 'oauth_timestamp is not a whole number of seconds';
  const inQuery = queryPairs(received.url).find(([name]) => isProtocol(name));
  if (inQuery !== undefined) return `${inQuery[0]} is in the query; it belongs in the header`;
  const inBody = received.pairs.filter(([name]) => isProtocol(name));
  const twiceInBody = repeatedName(inBody);
  if (twiceInBody !== undefined) return `${twiceInBody} was sent more than once in the body`;
  const other = inBody.find(([name, value]) => values.has(name) && values.get(name) !== value);
  return other === undefined ? undefined : `${other[0]} has different values in the body and in the header`;
}

function repeatedName(pairs: readonly Pair[]): string | undefined {
  const names = pairs.map(([name]) => name);
  return names.find((name, index) => names.indexOf(name) !== index);
}

function isProtocol(name: string): boolean {
  return name.startsWith('oauth_');
}
