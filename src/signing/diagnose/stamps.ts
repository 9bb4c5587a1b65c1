import type { Mistake, OauthCase, OauthMistakeName } from './types.js';

type Stamp = Mistake<OauthMistakeName>;

const stamp = (variant: string, detail: string): Stamp => ({ name: 'nonce-timestamp', variant, detail });

/** A timestamp that no gateway takes, whatever the signature. */
export function stampMistakes({ timestamp }: OauthCase): Stamp[] {
  if (/^\d{12,}$/.test(timestamp))
    return [stamp('milliseconds', `oauth_timestamp has ${timestamp.length} digits; it is in seconds, ten digits`)];
  if (/^\d+[.,]\d+$/.test(timestamp)) return [stamp('fraction', 'oauth_timestamp has a fraction; it is a whole number of seconds')];
  return [];
}

const tolerated = 300;
// Beyond any time zone it is more likely an old request than a wrong clock.
const plausible = 15 * 3600;

/** A clock that is off, where everything else is right. */
export function clockMistakes({ timestamp, now }: OauthCase): Stamp[] {
  const off = now === undefined || !/^\d{1,11}$/.test(timestamp) ? 0 : Math.round(Number(timestamp) - now);
  if (Math.abs(off) <= tolerated || Math.abs(off) > plausible) return [];
  return [
    stamp(
      'clock-off',
      `oauth_timestamp is ${Math.abs(off)} s ${off < 0 ? 'behind' : 'ahead of'} this machine's clock; servers allow some minutes, counted from 1970 in UTC`,
    ),
  ];
}

/** One attempt has one nonce and one timestamp: if only one of the two is another, it was made or read twice. */
export function changedStamps(ours: OauthCase, theirs: OauthCase): Stamp[] {
  const otherNonce = ours.nonce !== theirs.nonce;
  const otherTime = ours.timestamp !== theirs.timestamp;
  if (otherNonce === otherTime) return [];
  if (otherNonce) return [stamp('other-nonce', 'the base string has another oauth_nonce than the request; make it once for both')];
  const off = Number(theirs.timestamp) - Number(ours.timestamp);
  return Number.isInteger(off) && off % 1800 === 0
    ? [stamp('time-zone', `the base string has an oauth_timestamp ${off / 3600} h off that of the request; it counts from 1970 in UTC`)]
    : [stamp('other-timestamp', 'the base string has another oauth_timestamp than the request; read the clock once for both')];
}
