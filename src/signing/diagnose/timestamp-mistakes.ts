import type { Mistake, OauthCase, OauthMistakeName } from './diagnosis.js';
import type { BaseStringMistake, OauthParts } from './oauth-parts.js';
import { withProtocolValue } from './protocol-mistakes.js';

type TimestampMistake = Mistake<OauthMistakeName>;

const sentTimestamp = (variant: string, detail: string): TimestampMistake => ({
  name: 'nonce-timestamp',
  variant,
  detail,
});

/** A timestamp that no gateway takes, whatever the signature. */
export function malformedTimestamp({ timestamp }: OauthCase): TimestampMistake[] {
  if (/^\d{12,}$/.test(timestamp))
    return [
      sentTimestamp(
        'milliseconds',
        `oauth_timestamp has ${timestamp.length} digits; it must be in seconds, ten digits`,
      ),
    ];
  if (/^\d+[.,]\d+$/.test(timestamp))
    return [sentTimestamp('fraction', 'oauth_timestamp has a fraction; it must be a whole number of seconds')];
  return [];
}

const toleranceSeconds = 300;
// Beyond any time zone it is more likely an old request than a wrong clock.
const maxClockErrorSeconds = 15 * 3600;

/** A clock that is off, where everything else is right. */
export function clockMistakes({ timestamp, now }: OauthCase): TimestampMistake[] {
  const off = now === undefined || !/^\d{1,11}$/.test(timestamp) ? 0 : Math.round(Number(timestamp) - now);
  if (Math.abs(off) <= toleranceSeconds || Math.abs(off) > maxClockErrorSeconds) return [];
  return [
    sentTimestamp(
      'clock-off',
      `oauth_timestamp is ${Math.abs(off)} s ${off < 0 ? 'behind' : 'ahead of'} this machine's clock; servers allow a few minutes; it counts from 1970 in UTC`,
    ),
  ];
}

/** One attempt has one nonce and one timestamp: if only one of the two is another, it was made or read twice. */
export function changedNonceOrTimestamp(ours: OauthCase, theirs: OauthCase): TimestampMistake[] {
  const otherNonce = ours.nonce !== theirs.nonce;
  const otherTime = ours.timestamp !== theirs.timestamp;
  if (otherNonce === otherTime) return [];
  if (otherNonce)
    return [
      sentTimestamp(
        'other-nonce',
        'the base string has a different oauth_nonce from the request; generate it once for both',
      ),
    ];
  const off = Number(theirs.timestamp) - Number(ours.timestamp);
  return Number.isInteger(off) && off % 1800 === 0
    ? [
        sentTimestamp(
          'time-zone',
          `the base string has an oauth_timestamp ${off / 3600} h off the request's; it counts from 1970 in UTC`,
        ),
      ]
    : [
        sentTimestamp(
          'other-timestamp',
          'the base string has a different oauth_timestamp from the request; read the clock once for both',
        ),
      ];
}

const zones = [...Array(14).keys()].map((at) => at + 1).concat([3.5, 4.5, 5.5, 5.75, 6.5, 9.5, 24]);
// The clock read twice, a moment apart.
const moments = [1, 2, 3, 4, 5];
const bothWays = (list: readonly number[]) => list.flatMap((each) => [-each, each]);

/** Nonce and timestamp otherwise in the base string than in the header. */
export function* timestampMistakes(parts: OauthParts): Generator<BaseStringMistake> {
  const { timestamp } = parts.given;
  yield signedTimestamp(
    'timestamp-left-out',
    'oauth_timestamp not signed',
    withProtocolValue(parts, 'oauth_timestamp', undefined),
  );
  yield signedTimestamp('nonce-left-out', 'oauth_nonce not signed', withProtocolValue(parts, 'oauth_nonce', undefined));
  if (!/^\d{1,16}$/.test(timestamp)) return;
  const at = (value: string) => withProtocolValue(parts, 'oauth_timestamp', value);
  yield signedTimestamp('milliseconds', inMilliseconds, at(`${timestamp}000`));
  if (timestamp.length > 3)
    yield signedTimestamp(
      'milliseconds',
      'oauth_timestamp sent in milliseconds and signed in seconds',
      at(timestamp.slice(0, -3)),
    );
  for (const off of bothWays(moments))
    yield signedTimestamp('read-twice', `${signedOff(off, 's')}; read the clock once`, at(later(timestamp, off)));
  for (const hours of bothWays(zones))
    yield signedTimestamp(
      'time-zone',
      `${signedOff(hours, 'h')}; it counts from 1970 in UTC`,
      at(later(timestamp, hours * 3600)),
    );
}

const milliseconds = [...Array(1000).keys()].map((rest) => String(rest).padStart(3, '0'));
const tenMinutes = [...Array(600).keys()].map((at) => at + 1);
const dayInMinutes = [...Array(24 * 60).keys()].map((at) => (at + 1) * 60);

/** Any millisecond, second or minute near the timestamp: thousands of texts, for when nothing else explains it. */
export function* nearTimestamps({ given, elements }: OauthParts): Generator<BaseStringMistake> {
  const { timestamp } = given;
  const pair = `oauth_timestamp%3D${timestamp}`;
  const [before = '', behind = '', ...more] = elements.parameters.split(pair);
  if (!/^\d{1,13}$/.test(timestamp) || more.length > 0) return;
  const at = (value: string) => ({ parameters: `${before}oauth_timestamp%3D${value}${behind}` });
  for (const rest of milliseconds) yield signedTimestamp('milliseconds', inMilliseconds, at(timestamp + rest));
  for (const off of bothWays([...tenMinutes, ...dayInMinutes]))
    yield signedTimestamp(
      'clock-off',
      `${signedOff(off, 's')}; read the clock once, for both`,
      at(later(timestamp, off)),
    );
}

const inMilliseconds = 'oauth_timestamp signed in milliseconds; it must be in seconds, ten digits';

function signedOff(off: number, unit: string): string {
  return `oauth_timestamp signed ${off} ${unit} off the one that was sent`;
}

function later(timestamp: string, seconds: number): string {
  return String(Number(timestamp) + seconds);
}

function signedTimestamp(variant: string, detail: string, elements: BaseStringMistake['elements']): BaseStringMistake {
  return { name: 'nonce-timestamp', variant, detail, elements };
}
