import type { Forwarded, StoredCallback, Verified } from '../../callbacks/store.js';
import { timeText } from '../present/time.js';
import { eventOf, joined, type TimelineEvent } from './event.js';

const checked: Readonly<Record<Verified, string>> = {
  fits: 'the checksum fits',
  wrong: 'the checksum is WRONG, so it proves nothing',
  'no-order': 'the checksum fits, but does not prove the ids',
  'no-key': 'no key to check it with',
};

/** A callback, and all that was done about it. */
export function eventsOfCallback(callback: StoredCallback): TimelineEvent[] {
  const { id, at, status, type, verified, why, asked, conflicts, forwards } = callback;
  const number = String(id);
  const event = (given: Pick<TimelineEvent, 'at' | 'kind' | 'title'>, detail: Readonly<Record<string, string | undefined>>) =>
    eventOf({ ...given, source: 'callbacks' }, { callback: number, ...detail });
  const what = `${status === '' ? 'no status' : status}${type === '' ? '' : ` (${type})`}`;
  const title = joined(`callback: ${what}`, checked[verified], againWords(callback));
  return [
    event({ at, kind: 'callback', title }, { status, type, verified, why, method: callback.raw?.method }),
    ...conflicts.map((conflict) => event({ at, kind: 'conflict', title: conflict }, { conflict })),
    ...(asked === undefined
      ? []
      : [
          event(
            { at: asked.at, kind: 'poll', title: `status asked because of it: ${asked.says}` },
            { status: asked.status, says: asked.says },
          ),
        ]),
    ...forwards.map((forward) => event({ at: forward.at, kind: 'forward', title: forwardWords(forward) }, forwardFacts(forward))),
  ];
}

function againWords({ repeats, lastAt, repeatOf }: StoredCallback): string {
  const times = repeats === 1 ? 'once more' : `${repeats} times more, the last time`;
  return joined(
    repeatOf === undefined ? undefined : `like callback ${repeatOf}, with other content`,
    repeats === 0 ? undefined : `the same came ${times} at ${timeText(lastAt)}`,
  );
}

function forwardWords({ url, status, reason, ms }: Forwarded): string {
  const came = status === undefined ? 'no answer' : `HTTP ${status} in ${ms} ms`;
  return joined(`handed to ${withoutQuery(url)}: ${came}`, reason);
}

function forwardFacts({ url, status, reason, ms }: Forwarded): Readonly<Record<string, string | undefined>> {
  return { url: withoutQuery(url), status: status === undefined ? undefined : String(status), reason, ms: String(ms) };
}

/** A query may hold a word that opens the handler. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}
