import { isPaycliError } from '../errors/index.js';
import type { Assume } from '../spec/index.js';
import type { Pair } from '../wire/form.js';
import { parseAuthorizationHeader } from './header.js';
import type { OauthMethod } from './oauth-methods.js';
import { queryPairs, signatureBaseString } from './oauth1.js';
import { type Merchant, type Received, refused, type Verdict } from './request.js';

const required = [
  'oauth_consumer_key',
  'oauth_nonce',
  'oauth_signature',
  'oauth_signature_method',
  'oauth_timestamp',
  'oauth_version',
] as const;
type Protocol = Readonly<Record<(typeof required)[number], string>>;

/** RFC 5849 3.2, in the order that tells most: shape, parameters, method, version, consumer, signature. Hostile input never throws. */
export function verifyOauth(method: OauthMethod, received: Received, merchant: Merchant, assume: Assume): Verdict {
  if (received.authorization === undefined) return refused('oauth-missing', 'the Authorization header is missing');
  try {
    return judge(method, received, parseAuthorizationHeader(received.authorization).pairs, merchant, assume);
  } catch (error) {
    if (isPaycliError(error) && (error.code === 'TEXT_INVALID' || error.code === 'URL_INVALID'))
      return refused('oauth-malformed', error.message);
    throw error;
  }
}

function judge(method: OauthMethod, received: Received, header: readonly Pair[], merchant: Merchant, assume: Assume): Verdict {
  const flaw = flawOf(header, received);
  if (flaw !== undefined) return refused('oauth-parameters', flaw);
  const protocol = protocolOf(header);
  const mismatch = mismatchOf(protocol, method, merchant);
  if (mismatch !== undefined) return mismatch;
  // A07: what the body repeats counts once.
  const names = new Set(header.map(([name]) => name));
  const body = received.pairs.filter(([name]) => !(isProtocol(name) && names.has(name)));
  const text = signatureBaseString('POST', received.url, [...header, ...body]);
  const fits = method.verify(text, protocol.oauth_signature, merchant, assume);
  if (fits === undefined) return refused('oauth-key-missing', 'the merchant has no public key to verify with');
  if (!fits) return refused('oauth-signature', `oauth_signature is no ${method.name} signature of this request by this merchant's key`);
  return { ok: true, nonce: protocol.oauth_nonce, timestamp: protocol.oauth_timestamp };
}

/** What is wrong with the set of parameters, in words, or undefined. */
function flawOf(header: readonly Pair[], received: Received): string | undefined {
  const values = new Map(header);
  const twice = repeated(header);
  if (twice !== undefined) return `${twice} is there more than once in the header`;
  const missing = required.find((name) => (values.get(name) ?? '') === '');
  if (missing !== undefined) return `${missing} is missing`;
  if (!/^[1-9]\d*$/.test(values.get('oauth_timestamp') ?? '')) return 'oauth_timestamp is not a whole number of seconds';
  const inQuery = queryPairs(received.url).find(([name]) => isProtocol(name));
  if (inQuery !== undefined) return `${inQuery[0]} stands in the query; it belongs in the header`;
  const inBody = received.pairs.filter(([name]) => isProtocol(name));
  const twiceInBody = repeated(inBody);
  if (twiceInBody !== undefined) return `${twiceInBody} is there more than once in the body`;
  const other = inBody.find(([name, value]) => values.has(name) && values.get(name) !== value);
  return other === undefined ? undefined : `${other[0]} has another value in the body than in the header`;
}

function mismatchOf(protocol: Protocol, method: OauthMethod, merchant: Merchant): Verdict | undefined {
  if (protocol.oauth_signature_method !== method.name)
    return refused('oauth-method', `oauth_signature_method must be ${method.name} for this operation`);
  if (protocol.oauth_version !== '1.0') return refused('oauth-version', 'oauth_version must be 1.0');
  if (protocol.oauth_consumer_key !== merchant.login)
    return refused('oauth-consumer', 'oauth_consumer_key is not the login of the merchant of this endpoint');
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
