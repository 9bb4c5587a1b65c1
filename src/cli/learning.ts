import { isPaycliError } from '../errors/index.js';
import { type Intent, type Journal, unsettledStates, type Waiting, wordsOf } from '../journal/index.js';
import { replyField } from '../spec/index.js';
import { isRunning, journalPath, withJournal } from './journal.js';
import type { Fields } from './present/meaning.js';
import { Recording } from './recording.js';
import type { Session } from './session.js';
import type { Talk } from './talk.js';

/** What the journal knows of an order once a status answer was read. */
export interface Learned {
  /** What the order waits for its payer to do. */
  readonly waiting: Waiting | undefined;
  /** A request on it is in conflict, now or since earlier. */
  readonly isInConflict: boolean;
}

export const nothingLearned: Learned = { waiting: undefined, isInConflict: false };

/**
 * Lets the journal know what a status answer says about the requests on that order: those whose outcome is open, and settled ones
 * that it contradicts, which is told. `endpointId` is where status was asked: another order may have the same client order id at another
 * endpoint. `journal` is the one that is open already, if any. Never fails: the answer is what was asked for.
 */
export async function learnOfOrder(talk: Talk, fields: Fields, endpointId: string, journal?: Journal): Promise<Learned> {
  const { runtime, report } = talk;
  const ids = [replyField(fields, 'orderId'), replyField(fields, 'clientOrderId')].filter((id) => id !== undefined);
  if (ids.length === 0 || !runtime.files.exists(journalPath(runtime))) return nothingLearned;
  try {
    const learn = async (used: Journal): Promise<Learned> => {
      const known = entriesOf(ids, endpointId, used, talk).map((intent) => learnOf(intent, fields, used, talk));
      return {
        waiting: known.map((intent) => used.waiting(intent)).find((waiting) => waiting !== undefined),
        isInConflict: known.some(({ state }) => state === 'conflict'),
      };
    };
    return await (journal === undefined ? withJournal(runtime, learn) : learn(journal));
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    report.warn([`the journal could not be brought up to date: ${error.message}`]);
    return nothingLearned;
  }
}

/** Those that are open first: what comes of them says more about the others. */
function entriesOf(ids: readonly string[], endpointId: string, journal: Journal, { session }: Talk): Intent[] {
  const found = new Map(ids.flatMap((order) => journal.list({ base: session.place, order })).map((intent) => [intent.id, intent]));
  const isOpen = ({ state }: Intent): boolean => unsettledStates.includes(state);
  const isAmbiguous = new Set([...found.values()].map((intent) => intent.endpointId)).size > 1;
  const all = [...found.values()].filter((intent) => !isAmbiguous || intent.endpointId === endpointId);
  return [...all.filter(isOpen), ...all.filter((intent) => intent.state !== 'planned' && !isOpen(intent))];
}

function learnOf(intent: Intent, fields: Fields, journal: Journal, talk: Talk): Intent {
  const { session, runtime } = talk;
  if (intent.state === 'sending' && isRunning(intent.sender, runtime)) return intent;
  const recording = new Recording(journal, intent, session.assume['minor-digits']);
  if (recording.evidence(fields).proves !== 'nothing') {
    if (intent.state === 'sending') recording.abandon();
    recording.learn(fields);
  }
  if (recording.intent.state === 'conflict') warnOfConflict(recording.intent, talk);
  return recording.intent;
}

/** Says that a person has to decide, and how. */
export function warnOfConflict(intent: Intent, { report, session }: Pick<Talk, 'report' | 'session'>): void {
  report.warn([`${wordsOf(intent)} is in conflict: ${intent.reason}; ${howToClose(intent, session)}`]);
}

/** The command with which a person closes a conflict or settles what status cannot tell. */
export function howToClose(intent: Intent, { flags }: Pick<Session, 'flags'>): string {
  return `find out what is true, then \`paycli resolve --entry ${intent.id} --settle-as paid|not-paid --evidence TEXT${flags}\``;
}
