import { isPaycliError } from '../errors/index.js';
import { type Intent, type Journal, wordsOf } from '../journal/index.js';
import { applyStatusToJournal, type JournalUpdate, noUpdate, orderIdsIn } from '../payments/journal-sync.js';
import { isRunning, journalPath, withJournal } from './journal.js';
import type { Fields } from './present/meaning.js';
import type { Session } from './session.js';
import type { Tools } from './talk.js';

/**
 * Records what a status answer says about the requests on that order, and warns of conflicts. `endpointId` is where status was asked;
 * `journal` is the one that is open already, if any. Never fails: the answer is what was asked for.
 */
export async function updateJournal(tools: Tools, fields: Fields, endpointId: string, journal?: Journal): Promise<JournalUpdate> {
  const { runtime, report, session } = tools;
  if (orderIdsIn(fields).length === 0 || !runtime.files.exists(journalPath(runtime))) return noUpdate;
  const context = {
    ...{ base: session.place, endpointId, minorDigits: session.assume['minor-digits'] },
    isRunning: (sender: Intent['sender']) => isRunning(sender, runtime),
  };
  const apply = (used: Journal) => applyStatusToJournal(fields, used, context);
  try {
    const update = await (journal === undefined ? withJournal(runtime, apply) : apply(journal));
    for (const intent of update.conflicts) warnOfConflict(intent, tools);
    return update;
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    report.warn([`the journal could not be brought up to date: ${error.message}`]);
    return noUpdate;
  }
}

/** Says that a person has to decide, and how. */
export function warnOfConflict(intent: Intent, { report, session }: Pick<Tools, 'report' | 'session'>): void {
  report.warn([`${wordsOf(intent)} is in conflict: ${intent.reason}; ${howToClose(intent, session)}`]);
}

/** The command with which a person closes a conflict or settles what status cannot tell. */
export function howToClose(intent: Intent, { flags }: Pick<Session, 'flags'>): string {
  return `find out what is true, then \`paycli resolve --entry ${intent.id} --settle-as paid|not-paid --evidence TEXT${flags}\``;
}
