import type { Runtime } from '../../runtime/ports.js';
import { type Found, skip } from './finding.js';

/** HOOK: hand over to `verifyJournal` of src/journal, once it is there: pass with the number of intents, fail with the first bad row. */
export async function findJournal(_runtime: Runtime): Promise<Found> {
  return skip('not checked');
}
