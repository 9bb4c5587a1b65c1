import { type Pair, percentEncode } from '../../wire/form.js';
import { encodePairs } from '../schemes/oauth1.js';
import { type BaseStringMistake, type Elements, type OauthParts, parametersOf, textWith } from './oauth-parts.js';

/** The signature method and the realm (3.4.1.3.1). */
export function* protocolMistakes(parts: OauthParts): Generator<BaseStringMistake> {
  yield* methods(parts);
  yield* realms(parts);
}

const otherMethods: Readonly<Record<'HMAC-SHA1' | 'RSA-SHA256', readonly string[]>> = {
  'HMAC-SHA1': ['HMAC-SHA256', 'RSA-SHA1', 'RSA-SHA256', 'PLAINTEXT', 'hmac-sha1', 'HmacSHA1', 'SHA1', ''],
  'RSA-SHA256': ['RSA-SHA1', 'HMAC-SHA1', 'HMAC-SHA256', 'rsa-sha256', 'SHA256withRSA', 'RS256', 'SHA256', ''],
};

function* methods(parts: OauthParts): Generator<BaseStringMistake> {
  const own = parts.given.signatureMethod;
  for (const name of otherMethods[own])
    yield {
      name: 'rsa-key-or-method',
      variant: name === '' ? 'method-empty' : `method-${name}`,
      detail: `oauth_signature_method=${name} signed; it must be ${own}`,
      elements: withProtocolValue(parts, 'oauth_signature_method', name),
    };
  yield {
    name: 'rsa-key-or-method',
    variant: 'method-left-out',
    detail: 'oauth_signature_method not signed',
    elements: withProtocolValue(parts, 'oauth_signature_method', undefined),
  };
}

function* realms({ sorted, items, given }: OauthParts): Generator<BaseStringMistake> {
  const wrong = (variant: string, detail: string, pairs: readonly Pair[]): BaseStringMistake => ({
    name: 'realm',
    variant,
    detail,
    elements: { parameters: parametersOf(pairs) },
  });
  const words = given.realm === undefined ? [''] : [given.realm, ''];
  for (const realm of words)
    for (const name of ['realm', 'OAuth realm'])
      yield wrong('signed', 'the realm signed; it belongs only in the header', [
        ...sorted,
        ...encodePairs([[name, realm]]),
      ]);
  const withoutField = items.filter(({ plain }) => plain[0] !== 'realm').map(({ encoded }) => encoded);
  yield wrong('field-left-out', 'a field named realm left out; in a body it is a field like any other', withoutField);
}

/** The base string of a request that names another signature method. */
export function baseStringDeclaring(parts: OauthParts, method: string): string {
  return textWith(parts, withProtocolValue(parts, 'oauth_signature_method', method));
}

/** Another value of an oauth_ parameter; none at all when undefined. */
export function withProtocolValue(
  { ordered }: OauthParts,
  name: string,
  value: string | undefined,
): Pick<Elements, 'parameters'> {
  const encoded = ordered.flatMap((item): readonly Pair[] => {
    if (item.from !== 'oauth' || item.plain[0] !== name) return [item.encoded];
    return value === undefined ? [] : [[name, percentEncode(value)]];
  });
  return { parameters: parametersOf(encoded) };
}
