import { isPaycliError } from '../errors/index.js';
import { type Intent, type Journal, unsettledStates } from '../journal/index.js';
import { replyField } from '../spec/index.js';
import { isRunning, journalPath, openUserJournal } from './journal.js';
import type { Fields } from './present/meaning.js';
import { Recording } from './recording.js';
import type { Talk } from './talk.js';

/**
 * Lets the journal know what a status answer says about requests on that order whose outcome is open; `journal` is the one that is
 * open already, if any. Never fails: the answer is what was asked for.
 */
export async function learnOfOrder(talk: Talk, fields: Fields, journal?: Journal): Promise<void> {
  const { runtime, report } = talk;
  const ids = [replyField(fields, 'orderId'), replyField(fields, 'clientOrderId')].filter((id) => id !== undefined);
  if (ids.length === 0 || !runtime.files.exists(journalPath(runtime))) return;
  try {
    const used = journal ?? (await openUserJournal(runtime));
    try {
      for (const intent of unsettledOf(ids, used, talk)) learnOf(intent, fields, used, talk);
    } finally {
      if (used !== journal) used.close();
    }
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    report.warn([`the journal could not be brought up to date: ${error.message}`]);
  }
}

function unsettledOf(ids: readonly string[], journal: Journal, { session }: Talk): Intent[] {
  const found = ids.flatMap((order) => journal.list({ base: session.place, order, states: unsettledStates }));
  return [...new Map(found.map((intent) => [intent.id, intent])).values()];
}

function learnOf(intent: Intent, fields: Fields, journal: Journal, { session, runtime }: Talk): void {
  if (intent.state === 'sending' && isRunning(intent.sender, runtime)) return;
  const recording = new Recording(journal, intent, session.assume['minor-digits']);
  const { proves } = recording.evidence(fields);
  if (proves === 'nothing' || (proves === 'open' && intent.state === 'accepted')) return;
  if (intent.state === 'sending') recording.abandon();
  recording.learn(fields);
}
