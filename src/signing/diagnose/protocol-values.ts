import type { Pair } from '../../wire/form.js';
import { percentEncode } from '../../wire/percent.js';
import { type Elements, joinText, type OauthParts, parametersOf } from './oauth-parts.js';

/** The base string of a request that names another signature method. */
export function declaring(parts: OauthParts, method: string): string {
  return joinText({ ...parts.elements, ...replaced(parts, 'oauth_signature_method', method) });
}

/** Another value of an oauth_ parameter; none at all when undefined. */
export function replaced({ items }: OauthParts, name: string, value: string | undefined): Pick<Elements, 'parameters'> {
  const encoded = items.flatMap((item): readonly Pair[] => {
    if (item.from !== 'oauth' || item.plain[0] !== name) return [item.encoded];
    return value === undefined ? [] : [[name, percentEncode(value)]];
  });
  return { parameters: parametersOf(encoded) };
}
