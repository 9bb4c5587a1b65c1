import type { Diagnosis, Difference } from '../../signing/diagnose/index.js';
import { exits } from '../outcome.js';
import { presentDiagnosis } from '../present/diagnosis.js';
import { hideDifference } from '../present/hide-difference.js';
import type { Reporter } from '../reporter.js';
import type { Comparison } from './comparison.js';

/**
 * Prints what a comparison found and gives the exit code. `supposed` is the difference the likeliest mistake makes, where the
 * other side shows no text; it says more than a difference between two signatures.
 */
export async function reportDiagnosis(found: Diagnosis, comparison: Comparison, report: Reporter, supposed?: Difference): Promise<number> {
  const seen = supposed ?? found.difference;
  const difference = seen === undefined || comparison.open ? seen : hideDifference(seen);
  const diagnosis = difference === undefined ? found : { ...found, difference };
  const origin = difference === undefined ? {} : { differenceFrom: supposed === undefined ? 'theirs' : 'mistake' };
  await report.show({
    document: { schema: 'paycli.diagnosis/1', ...diagnosis, ...origin, ...comparison.document },
    text: () => presentDiagnosis(diagnosis, { ...comparison, isSupposed: supposed !== undefined }, report.paint),
  });
  return found.match ? exits.ok : exits.otherThanExpected;
}
