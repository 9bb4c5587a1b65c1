import type { Pair } from '../../wire/form.js';
import { percentEncode } from '../../wire/percent.js';
import { joinPairs, sortPairs } from '../oauth1.js';
import type { OauthParts, Wrong } from './oauth-parts.js';

/** 3.4.1.3: empty values count, and what is not sent does not. */
export function* valueFaults({ sorted, items, given }: OauthParts): Generator<Wrong> {
  const wrong = (variant: string, detail: string, parameters: string): Wrong => ({
    name: 'empty-values',
    variant,
    detail,
    elements: { parameters: percentEncode(parameters) },
  });
  const normalised = (pairs: readonly Pair[]) => joinPairs(sortPairs(pairs));
  if (given.token === undefined)
    yield wrong('token-added', 'an empty oauth_token signed that is not sent', normalised([...sorted, ['oauth_token', '']]));
  yield wrong(
    'signature-added',
    'an empty oauth_signature signed; it is no part of what is signed',
    normalised([...sorted, ['oauth_signature', '']]),
  );
  if (!sorted.some(([, value]) => value === '')) return;
  yield wrong(
    'dropped',
    'fields with an empty value left out; they are signed as name=',
    normalised(sorted.filter(([, value]) => value !== '')),
  );
  const bodyOnly = items.filter(({ from, plain }) => from !== 'body' || plain[1] !== '').map(({ encoded }) => encoded);
  yield wrong('dropped-from-body', 'fields of the body with an empty value left out; they are signed as name=', normalised(bodyOnly));
  const bare = sorted.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('&');
  yield wrong('without-equals', 'the = of an empty value left out', bare);
  for (const word of ['null', 'undefined', 'None', 'nil', 'false', '0'])
    yield wrong(
      word,
      `an empty value signed as ${word}`,
      normalised(sorted.map(([name, value]): Pair => [name, value === '' ? word : value])),
    );
}
