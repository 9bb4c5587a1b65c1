import { fail, isPaycliError } from '../../errors/index.js';
import type { Assume } from '../../spec/index.js';
import { type Pair, percentEncode } from '../../wire/form.js';
import { keyFingerprint, type PrivateKey } from '../keys/rsa-keys.js';
import { joinHeader, parseAuthorizationHeader } from './authorization-header.js';
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
  type NonceAndTimestamp,
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

const hmacSha1: OauthMethod = {
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
};

const rsaSha256: OauthMethod = {
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
};

function controlKey(credentials: Credentials): string {
  if (credentials.controlKey !== undefined) return credentials.controlKey.open();
  throw controlKeyMissing();
}

function privateKey({ privateKey: key }: Credentials): PrivateKey {
  if (key !== undefined) return key;
  throw fail('PROFILE_INCOMPLETE', {
    name: 'in use',
    lacking: 'a private key',
    how: 'private-key in the profile',
  });
}

// A51
function keyForm(assume: Assume): HmacKeyForm {
  return assume['hmac-key-encoding'] === 'raw' ? 'raw' : 'encoded';
}

export const hmacScheme = oauthScheme(hmacSha1);
export const rsaScheme = oauthScheme(rsaSha256);

function oauthScheme(method: OauthMethod): Scheme {
  return {
    sign(unsigned, credentials, assume, fresh) {
      const draft = draftOf(unsigned, method, credentials, fresh);
      return signed(draft, method.sign(draft.base.text, credentials, assume), { method, credentials, assume });
    },
    async signAsync(unsigned, credentials, assume, fresh) {
      const draft = draftOf(unsigned, method, credentials, fresh);
      const signature = await (method.signAsync?.(draft.base.text, credentials) ??
        method.sign(draft.base.text, credentials, assume));
      return signed(draft, signature, { method, credentials, assume });
    },
    verify: (received, merchant, assume) =>
      verifyOauth(
        { method: 'POST', url: received.url, pairs: received.pairs, authorization: received.authorization },
        {
          name: method.name,
          login: merchant.login,
          fits: (text, signature) => method.verify(text, signature, merchant, assume),
        },
      ),
  };
}

/** A request and its base string. */
interface Draft {
  readonly unsigned: Unsigned;
  readonly protocol: readonly Pair[];
  readonly inHeader: readonly Pair[];
  readonly inBody: readonly Pair[];
  readonly base: BaseString;
}

function draftOf(unsigned: Unsigned, method: OauthMethod, credentials: Credentials, fresh: NonceAndTimestamp): Draft {
  const protocol: readonly Pair[] = [
    ['oauth_consumer_key', credentials.login],
    ['oauth_nonce', fresh.nonce],
    ['oauth_signature_method', method.name],
    ['oauth_timestamp', fresh.timestamp],
    ['oauth_version', '1.0'],
  ];
  // Encoded once, for the base string, the header and the body alike.
  const inHeader = encodePairs(protocol);
  const inBody = encodePairs(unsigned.pairs);
  return {
    unsigned,
    protocol,
    inHeader,
    inBody,
    base: buildBaseString('POST', unsigned.url, [...inHeader, ...inBody]),
  };
}

interface Signer {
  readonly method: OauthMethod;
  readonly credentials: Credentials;
  readonly assume: Assume;
}

function signed(draft: Draft, signature: string, { method, credentials, assume }: Signer): SignedRequest {
  const { unsigned, protocol, inHeader, inBody, base } = draft;
  const header = `OAuth ${joinHeader([...inHeader, ['oauth_signature', percentEncode(signature)]])}`;
  // A07: the body may repeat oauth_*, which the base string holds once all the same.
  const repeats = method.repeatsInBody(assume);
  return {
    url: unsigned.url,
    pairs: repeats ? [...unsigned.pairs, ...protocol] : unsigned.pairs,
    headers: { ...plainHeaders, Authorization: header },
    body: joinPairs(repeats ? [...inBody, ...inHeader] : inBody),
    stages: {
      ...stagesOf(base),
      scheme: method.scheme,
      pairs: sourced(protocol, unsigned.pairs, base),
      key: method.key(credentials, assume),
      signature,
      header,
    },
  };
}

function sourced(protocol: readonly Pair[], body: readonly Pair[], base: BaseString): OauthStages['pairs'] {
  const from = (source: SourcedPair['source'], pairs: readonly Pair[]) =>
    pairs.map(([name, value]) => ({ source, name, value }));
  return [...from('oauth', protocol), ...from('body', body), ...from('query', base.query)];
}

function stagesOf({
  encoded,
  sorted,
  uri,
  parameters,
  text,
}: BaseString): Pick<OauthStages, 'method' | 'encoded' | 'sorted' | 'parts' | 'baseString'> {
  return { method: 'POST', encoded, sorted, parts: { method: 'POST', url: uri, parameters }, baseString: text };
}

const required = [
  'oauth_consumer_key',
  'oauth_nonce',
  'oauth_signature',
  'oauth_signature_method',
  'oauth_timestamp',
  'oauth_version',
] as const;
type Protocol = Readonly<Record<(typeof required)[number], string>>;

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
 * never throws: `verifyOauth({ method: 'POST', url, pairs: [], authorization: undefined }, expected)` is refused with
 * `oauth-missing`. Throws KEY_UNUSABLE where `fits` does.
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
  const flaw = parameterProblem(header, received);
  if (flaw !== undefined) return refused('oauth-parameters', flaw);
  const protocol = protocolOf(header);
  const mismatch = mismatchOf(protocol, expected);
  if (mismatch !== undefined) return mismatch;
  // A07: what the body repeats counts once.
  const names = new Set(header.map(([name]) => name));
  const body = received.pairs.filter(([name]) => !(isProtocol(name) && names.has(name)));
  const text = signatureBaseString(received.method, received.url, [...header, ...body]);
  const fits = expected.fits(text, protocol.oauth_signature);
  if (fits === undefined) return refused('oauth-key-missing', 'the merchant has no public key to verify with');
  if (!fits)
    return refused(
      'oauth-signature',
      `oauth_signature is not a valid ${expected.name} signature of this request by this merchant's key`,
    );
  return { ok: true, nonce: protocol.oauth_nonce, timestamp: protocol.oauth_timestamp };
}

/** What is wrong with the set of parameters, in words, or undefined. */
function parameterProblem(header: readonly Pair[], received: ReceivedOauth): string | undefined {
  const values = new Map(header);
  const twice = repeated(header);
  if (twice !== undefined) return `${twice} was sent more than once in the header`;
  const missing = required.find((name) => (values.get(name) ?? '') === '');
  if (missing !== undefined) return `${missing} is missing`;
  if (!/^[1-9]\d*$/.test(values.get('oauth_timestamp') ?? ''))
    return 'oauth_timestamp is not a whole number of seconds';
  const inQuery = queryPairs(received.url).find(([name]) => isProtocol(name));
  if (inQuery !== undefined) return `${inQuery[0]} is in the query; it belongs in the header`;
  const inBody = received.pairs.filter(([name]) => isProtocol(name));
  const twiceInBody = repeated(inBody);
  if (twiceInBody !== undefined) return `${twiceInBody} was sent more than once in the body`;
  const other = inBody.find(([name, value]) => values.has(name) && values.get(name) !== value);
  return other === undefined ? undefined : `${other[0]} has different values in the body and in the header`;
}

function mismatchOf(protocol: Protocol, expected: ExpectedOauth): Verdict | undefined {
  if (protocol.oauth_signature_method !== expected.name)
    return refused('oauth-method', `oauth_signature_method must be ${expected.name} for this operation`);
  if (protocol.oauth_version !== '1.0') return refused('oauth-version', 'oauth_version must be 1.0');
  if (protocol.oauth_consumer_key !== expected.login)
    return refused('oauth-consumer', 'oauth_consumer_key is not the merchant login of this endpoint');
  return undefined;
}

function protocolOf(pairs: readonly Pair[]): Protocol {
  const values = new Map(pairs);
  const of = (name: (typeof required)[number]) => values.get(name) ?? '';
  return {
    oauth_consumer_key: of('oauth_consumer_key'),
    oauth_nonce: of('oauth_nonce'),
    oauth_signature: of('oauth_signature'),
    oauth_signature_method: of('oauth_signature_method'),
    oauth_timestamp: of('oauth_timestamp'),
    oauth_version: of('oauth_version'),
  };
}

function repeated(pairs: readonly Pair[]): string | undefined {
  const names = pairs.map(([name]) => name);
  return names.find((name, index) => names.indexOf(name) !== index);
}

function isProtocol(name: string): boolean {
  return name.startsWith('oauth_');
}
