import { type Classified, isOrderUnknown } from '../gateway/classify.js';
import { type Evidence, isBeyondStatus } from '../gateway/evidence.js';
import { unansweredWords } from '../gateway/failure.js';
import { questionAbout } from '../gateway/moves.js';
import { jittered, unknownPauses } from '../gateway/pauses.js';
import type { Fields } from './present/meaning.js';
import type { Recording } from './recording.js';
import { askStatus, pauseOrStop, type Talk } from './talk.js';
import { showWaiting, type WaitingLine } from './waiting.js';

/** What asking came to. `fields` are those of the last status answer. */
export interface Settled {
  readonly evidence: Evidence;
  readonly fields?: Fields | undefined;
  /** The last answer, where it was no status of the order. */
  readonly failure?: Classified | undefined;
  readonly stopped: boolean;
}

/** Asks on the schedule, or once, until an answer proves something. */
export async function settleByAsking(talk: Talk, recording: Recording, isOnce: boolean): Promise<Settled> {
  if (isBeyondStatus(recording.intent.operation)) return { evidence: beyond, stopped: false };
  const { session, runtime } = talk;
  const pauses = isOnce ? [0] : unknownPauses(session.class);
  const line = showWaiting(recording.intent, talk);
  let last: Settled = { evidence: { proves: 'nothing', reason: 'nobody was asked' }, stopped: false };
  try {
    for (const pause of pauses) {
      const ms = jittered(pause, runtime.random);
      line.pausing(ms);
      if (await pauseOrStop(talk, ms)) return { ...last, stopped: true };
      last = await askOnce(talk, recording, line);
      if (last.evidence.proves !== 'nothing') return last;
    }
    return last;
  } finally {
    line.end();
  }
}

const beyond: Evidence = { proves: 'nothing', reason: 'status cannot tell the outcome of this operation' };

async function askOnce(talk: Talk, recording: Recording, line: WaitingLine, about = questionAbout(recording.intent)): Promise<Settled> {
  const answer = line.asked(await askStatus(talk, about));
  if (answer.class === 'accepted' && answer.fields !== undefined)
    return { evidence: recording.learn(answer.fields), fields: answer.fields, stopped: false };
  // The serial number of an error record may be one that status knows nothing of.
  if (answer.class === 'refused' && about.bySerial !== undefined) return askOnce(talk, recording, line, { ...about, bySerial: undefined });
  // Another refusal, of the signature for example, says nothing about the order.
  if (isOrderUnknown(answer)) recording.noRecord(answer.reason);
  return { evidence: { proves: 'nothing', reason: unansweredWords(answer) }, failure: answer, stopped: false };
}
