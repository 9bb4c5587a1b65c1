import { isPaycliError } from '../errors/index.js';
import type { Intent } from '../journal/index.js';
import { replyField } from '../spec/index.js';
import { isRunning, journalPath, openUserJournal } from './journal.js';
import type { Fields } from './present/meaning.js';
import { Recording } from './recording.js';
import type { Talk } from './talk.js';

/** Lets the journal know what a status answer says about requests on that order whose outcome is open. Never fails: the answer is what was asked for. */
export async function learnOfOrder(talk: Talk, fields: Fields): Promise<void> {
  const { runtime, session, report } = talk;
  const ids = [replyField(fields, 'orderId'), replyField(fields, 'clientOrderId')].filter((id) => id !== undefined);
  if (ids.length === 0 || !runtime.files.exists(journalPath(runtime))) return;
  try {
    const journal = await openUserJournal(runtime);
    try {
      const found = new Map<number, Intent>();
      for (const order of ids)
        for (const intent of journal.list({ base: session.place, order, states: ['sending', 'unknown', 'accepted'] }))
          found.set(intent.id, intent);
      for (const intent of found.values()) {
        if (intent.state === 'sending' && isRunning(intent.sender, runtime)) continue;
        const recording = new Recording(journal, intent, session.assume['minor-digits']);
        const { proves } = recording.evidence(fields, isOwnSerial(intent, fields));
        if (proves === 'nothing' || (proves === 'open' && intent.state === 'accepted')) continue;
        if (intent.state === 'sending') recording.abandon();
        recording.learn(fields, isOwnSerial(intent, fields));
      }
    } finally {
      journal.close();
    }
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    report.warn([`the journal could not be brought up to date: ${error.message}`]);
  }
}

/** True when the answer is about the request with this serial number (A42). */
function isOwnSerial({ kind, outcome }: Intent, fields: Fields): boolean {
  const serial = outcome['serial-number'];
  return kind !== 'opening' && serial !== undefined && fields.get('by-request-sn') === serial;
}
