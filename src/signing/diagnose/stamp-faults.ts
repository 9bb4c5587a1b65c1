import type { OauthParts, Wrong } from './oauth-parts.js';
import { replaced } from './protocol-values.js';

const zones = [...Array(14).keys()].map((at) => at + 1).concat([3.5, 4.5, 5.5, 5.75, 6.5, 9.5, 24]);
// The clock read twice, a moment apart.
const moments = [1, 2, 3, 4, 5];
const bothWays = (list: readonly number[]) => list.flatMap((each) => [-each, each]);

/** Nonce and timestamp otherwise in the base string than in the header. */
export function* stampFaults(parts: OauthParts): Generator<Wrong> {
  const { timestamp } = parts.given;
  yield wrong('timestamp-left-out', 'oauth_timestamp not signed', replaced(parts, 'oauth_timestamp', undefined));
  yield wrong('nonce-left-out', 'oauth_nonce not signed', replaced(parts, 'oauth_nonce', undefined));
  if (!/^\d{1,16}$/.test(timestamp)) return;
  const at = (value: string) => replaced(parts, 'oauth_timestamp', value);
  yield wrong('milliseconds', inMilliseconds, at(`${timestamp}000`));
  if (timestamp.length > 3)
    yield wrong('milliseconds', 'oauth_timestamp sent in milliseconds and signed in seconds', at(timestamp.slice(0, -3)));
  for (const off of bothWays(moments)) yield wrong('read-twice', `${signedOff(off, 's')}; read the clock once`, at(later(timestamp, off)));
  for (const hours of bothWays(zones))
    yield wrong('time-zone', `${signedOff(hours, 'h')}; it counts from 1970 in UTC`, at(later(timestamp, hours * 3600)));
}

const milliseconds = [...Array(1000).keys()].map((rest) => String(rest).padStart(3, '0'));
const tenMinutes = [...Array(600).keys()].map((at) => at + 1);
const dayInMinutes = [...Array(24 * 60).keys()].map((at) => (at + 1) * 60);

/** Any millisecond, second or minute near the timestamp: thousands of texts, for when nothing else explains it. */
export function* rareStamps({ given, elements }: OauthParts): Generator<Wrong> {
  const { timestamp } = given;
  const pair = `oauth_timestamp%3D${timestamp}`;
  const [before = '', behind = '', ...more] = elements.parameters.split(pair);
  if (!/^\d{1,13}$/.test(timestamp) || more.length > 0) return;
  const at = (value: string) => ({ parameters: `${before}oauth_timestamp%3D${value}${behind}` });
  for (const rest of milliseconds) yield wrong('milliseconds', inMilliseconds, at(timestamp + rest));
  for (const off of bothWays([...tenMinutes, ...dayInMinutes]))
    yield wrong('clock-off', `${signedOff(off, 's')}; read the clock once, for both`, at(later(timestamp, off)));
}

const inMilliseconds = 'oauth_timestamp signed in milliseconds; it is in seconds, ten digits';

function signedOff(off: number, unit: string): string {
  return `oauth_timestamp signed ${off} ${unit} off the one that is sent`;
}

function later(timestamp: string, seconds: number): string {
  return String(Number(timestamp) + seconds);
}

function wrong(variant: string, detail: string, elements: Wrong['elements']): Wrong {
  return { name: 'nonce-timestamp', variant, detail, elements };
}
