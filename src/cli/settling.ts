import type { Classified } from '../gateway/classify.js';
import { type Evidence, isBeyondStatus } from '../gateway/evidence.js';
import type { Intent } from '../journal/index.js';
import type { Fields } from './present/meaning.js';
import type { Recording } from './recording.js';
import { askStatus, pauseOrStop, type StatusOf, type Talk } from './talk.js';

/** Milliseconds before each question about an unknown outcome, each a fifth more or less. */
const schedule: readonly number[] = [0, 2000, 5000, 15_000, 60_000, 300_000];
const sandboxSchedule: readonly number[] = [0, 100, 400];

/** What asking came to. `fields` are those of the last status answer. */
export interface Settled {
  readonly evidence: Evidence;
  readonly fields?: Fields | undefined;
  readonly stopped: boolean;
}

/** Asks on the schedule, or once, until an answer proves something. */
export async function settleByAsking(talk: Talk, recording: Recording, isOnce: boolean): Promise<Settled> {
  if (isBeyondStatus(recording.intent.operation)) return { evidence: beyond, stopped: false };
  const { session, runtime } = talk;
  const pauses = isOnce ? [0] : session.class === 'sandbox' ? sandboxSchedule : schedule;
  let last: Settled = { evidence: { proves: 'nothing', reason: 'nobody was asked' }, stopped: false };
  for (const pause of pauses) {
    const jittered = pause === 0 ? 0 : Math.floor(pause * 0.8) + runtime.random.below(Math.floor(pause * 0.4) + 1);
    if (await pauseOrStop(talk, jittered)) return { ...last, stopped: true };
    last = await askOnce(talk, recording);
    if (last.evidence.proves !== 'nothing') return last;
  }
  return last;
}

const beyond: Evidence = { proves: 'nothing', reason: 'status cannot tell the outcome of this operation' };

async function askOnce(talk: Talk, recording: Recording, about = questionAbout(recording.intent)): Promise<Settled> {
  const answer = await askStatus(talk, about);
  if (answer.class === 'accepted' && answer.fields !== undefined)
    return { evidence: recording.learn(answer.fields), fields: answer.fields, stopped: false };
  // The serial number of an error record may be one that status knows nothing of.
  if (answer.class === 'refused' && about.bySerial !== undefined) return askOnce(talk, recording, { ...about, bySerial: undefined });
  if (answer.class === 'refused') recording.noRecord(answer.reason);
  return { evidence: { proves: 'nothing', reason: reasonOf(answer) }, stopped: false };
}

function reasonOf({ class: kind, reason }: Classified): string {
  return kind === 'refused' ? `the gateway knows no such order (${reason})` : `status could not be asked: ${reason}`;
}

/**
 * An order that may not be there is asked for by our own id alone. Anything else is asked about by the serial number of its own
 * reply, if there was one: status speaks of the newest transaction of the order otherwise (A42).
 */
export function questionAbout({ kind, state, endpointId, orderId, clientOrderId, outcome }: Intent): StatusOf {
  const bySerial = kind === 'opening' && state !== 'accepted' ? undefined : outcome['serial-number'];
  return { endpointId, orderId, clientOrderId, bySerial };
}
