import type { Runtime } from '../../runtime/ports.js';
import { hasJournal, journalNotePath, withJournalAsIs } from '../journal.js';
import { broken, type Found, foundError, pass, warn } from './finding.js';

/** Every line and every link of the record of what was sent. */
export async function findJournal(runtime: Runtime): Promise<Found> {
  try {
    if (!hasJournal(runtime)) return pass('none yet; the first payment makes it');
    return await withJournalAsIs(runtime, (journal) => {
      const [first, ...others] = journal.flaws();
      const inConflict = first === undefined ? journal.count({ states: ['conflict'] }) : 0;
      if (inConflict > 0) {
        const what = inConflict === 1 ? '1 request is in conflict' : `${inConflict} requests are in conflict`;
        return broken(`${what}: later evidence contradicts its outcome`, '`paycli resolve --all` shows each with the command that ends it');
      }
      if (first === undefined && !runtime.files.exists(journalNotePath(runtime)))
        return warn(
          `whole: ${journal.lines()} lines; but the configuration folder cannot be written to, so a removed or restored journal would not be noticed`,
          `make ${runtime.files.folders.config} writable`,
        );
      if (first === undefined) return pass(`whole: ${journal.lines()} lines`);
      const more = others.length === 0 ? '' : `, and ${others.length} more`;
      return broken(`${first.what}${more}`, 'send nothing from this machine until `paycli journal verify` has told what is wrong');
    });
  } catch (error) {
    return foundError(error);
  }
}
