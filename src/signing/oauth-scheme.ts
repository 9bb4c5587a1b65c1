import type { Assume } from '../spec/index.js';
import type { Pair } from '../wire/form.js';
import { percentEncode } from '../wire/percent.js';
import { joinHeader } from './header.js';
import { hmacSha1, type OauthMethod, rsaSha256 } from './oauth-methods.js';
import { verifyOauth } from './oauth-verify.js';
import { type BaseString, buildBaseString, encodePairs, joinPairs } from './oauth1.js';
import { type Credentials, type Fresh, plainHeaders, type Scheme, type SignedRequest, type Unsigned } from './request.js';
import type { OauthStages, SourcedPair } from './stages.js';

export const hmacScheme = oauthScheme(hmacSha1);
export const rsaScheme = oauthScheme(rsaSha256);

function oauthScheme(method: OauthMethod): Scheme {
  return {
    sign(unsigned, credentials, assume, fresh) {
      const draft = draftOf(unsigned, method, credentials, fresh);
      return signed(draft, method.sign(draft.base.text, credentials, assume), { method, credentials, assume });
    },
    async signAside(unsigned, credentials, assume, fresh) {
      const draft = draftOf(unsigned, method, credentials, fresh);
      const signature = await (method.signAside?.(draft.base.text, credentials) ?? method.sign(draft.base.text, credentials, assume));
      return signed(draft, signature, { method, credentials, assume });
    },
    verify: (received, merchant, assume) => verifyOauth(method, received, merchant, assume),
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

function draftOf(unsigned: Unsigned, method: OauthMethod, credentials: Credentials, fresh: Fresh): Draft {
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
  return { unsigned, protocol, inHeader, inBody, base: buildBaseString('POST', unsigned.url, [...inHeader, ...inBody]) };
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
  const from = (source: SourcedPair['source'], pairs: readonly Pair[]) => pairs.map(([name, value]) => ({ source, name, value }));
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
