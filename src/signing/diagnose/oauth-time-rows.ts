import { type OauthCase, type OauthRow, withValue } from './oauth-recipe.js';
import { common, family } from './search.js';

const clock =
  'make nonce and timestamp once for each attempt, the timestamp in whole seconds since 1970 in UTC, and use them for header and base string alike';
const inMilliseconds = 'oauth_timestamp signed in milliseconds; in seconds it has ten digits';

const at = (value: string | number | undefined) => withValue('oauth_timestamp', value?.toString());
const timestampIn = ({ protocol }: OauthCase) => protocol.find(([name]) => name === 'oauth_timestamp')?.[1] ?? '';

/** Nonce and time. */
export function timeRows(given: OauthCase): OauthRow[] {
  const timestamp = timestampIn(given);
  return family('nonce-timestamp', clock, [
    ['timestamp-left-out', 'oauth_timestamp not signed', at(undefined), common],
    ['nonce-left-out', 'oauth_nonce not signed', withValue('oauth_nonce', undefined)],
    ['nonce-empty', 'an empty oauth_nonce signed', withValue('oauth_nonce', '')],
    ['milliseconds', inMilliseconds, at(`${timestamp}000`), common],
    ['milliseconds', 'oauth_timestamp sent in milliseconds and signed in seconds', at(timestamp.slice(0, 10))],
  ]);
}

const count = (to: number) => [...Array(to).keys()].map((each) => each + 1);
const zones = [...count(14), 3.5, 4.5, 5.5, 5.75, 6.5, 9.5];

/** The timestamp read twice: there are many of these, so they come last. */
export function clockRows(given: OauthCase): OauthRow[] {
  const timestamp = timestampIn(given);
  if (!/^\d{1,13}$/.test(timestamp)) return [];
  const seconds = Number(timestamp);
  const off = (variant: string, by: number, unit: string, factor: number) => {
    const detail = `oauth_timestamp signed ${by} ${unit} off the one that was sent; read the clock once, in UTC`;
    return [variant, detail, at(seconds + by * factor)] as const;
  };
  return family('nonce-timestamp', clock, [
    ...count(5).flatMap((by) => [off('read-twice', -by, 's', 1), off('read-twice', by, 's', 1)]),
    ...zones.flatMap((by) => [off('time-zone', -by, 'h', 3600), off('time-zone', by, 'h', 3600)]),
    ...count(999).map((by) => ['milliseconds', inMilliseconds, at(seconds * 1000 + by)] as const),
  ]);
}
