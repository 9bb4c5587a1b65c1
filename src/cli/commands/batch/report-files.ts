import { join } from 'node:path';
import { endTotals } from '../../../batch/progress.js';
import { cellsOf, needsReview, readOutcomes, reportColumns, summaryOf } from '../../../batch/report.js';
import { RowReader } from '../../../batch/rows.js';
import { pathFrom } from '../../../config/file-access.js';
import { exits, fail, isPaycliError } from '../../../errors/index.js';
import type { Runtime, Staged } from '../../../runtime/ports.js';
import type { Reporter } from '../../core/reporter.js';
import { packageVersion } from '../../core/version.js';
import { oneLine } from '../../format/document.js';
import { csvLine } from '../../format/list-output.js';
import { profileText } from '../../format/profile.js';
import type { OpenBatch } from './open-batch.js';
import { warnOfConflicts } from './plan-text.js';

const names = ['results.csv', 'results.jsonl', 'unknown.csv', 'summary.json'] as const;

/** Writes what the journal knows of every row into a folder, and shows where. */
export async function showReportFiles(
  { head, journal }: OpenBatch,
  out: string,
  { report, runtime }: { readonly report: Reporter; readonly runtime: Runtime },
): Promise<number> {
  const folder = pathFrom(out, runtime.files.folders.working, runtime.files.folders.home);
  const document = await kept(folder, runtime, (files) => write(files, { head, journal }, runtime));
  await warnOfConflicts(head, journal, report);
  await report.show({
    document: { ...document, files: names.map((each) => join(folder, each)) },
    text: () => `plan ${head.id}, profile ${oneLine(profileText(head))}\nwritten to ${folder}: ${names.join(', ')}\n`,
  });
  return exits.ok;
}

type Drafts = Readonly<Record<(typeof names)[number], Staged>>;

/** All of the files or none of them. Throws STORAGE. */
async function kept<T>(folder: string, runtime: Runtime, fill: (drafts: Drafts) => Promise<T>): Promise<T> {
  const drafts: Staged[] = [];
  try {
    for (const name of names) drafts.push(runtime.files.stage(join(folder, name)));
    const result = await fill(Object.fromEntries(names.map((name, at) => [name, drafts[at]])) as Drafts);
    for (const each of drafts) each.keep();
    return result;
  } catch (cause) {
    for (const each of drafts.toReversed()) each.drop();
    const why = reasonIn(cause);
    if (why === undefined || isPaycliError(cause)) throw cause;
    throw fail(
      'STORAGE',
      {
        what: `the report in ${folder}`,
        why,
        how: 'what was sent is recorded in the journal; free some space or choose another folder with --out, then repeat the command',
        folder,
      },
      { cause },
    );
  }
}

/** Undefined for what is no fault of the disk. */
function reasonIn(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !('code' in cause)) return undefined;
  return cause.code === 'ENOSPC' || cause.code === 'EDQUOT'
    ? 'the disk is full'
    : `it cannot be written (${String(cause.code)})`;
}

const rowsAtOnce = 500;

async function write(
  drafts: Drafts,
  { head, journal }: Pick<OpenBatch, 'head' | 'journal'>,
  { files, clock }: Runtime,
): Promise<Record<string, unknown>> {
  const waiting = { 'results.csv': csvLine(reportColumns), 'results.jsonl': '', 'unknown.csv': csvLine(reportColumns) };
  const flush = () => {
    for (const name of ['results.csv', 'results.jsonl', 'unknown.csv'] as const) {
      drafts[name].write(waiting[name]);
      waiting[name] = '';
    }
  };
  for await (const outcome of readOutcomes(head, journal, new RowReader(head, { journal, files }))) {
    const line = csvLine(cellsOf(outcome));
    waiting['results.csv'] += line;
    waiting['results.jsonl'] += `${JSON.stringify(outcome)}\n`;
    if (needsReview(outcome)) waiting['unknown.csv'] += line;
    if (outcome.row % rowsAtOnce === 0) flush();
  }
  flush();
  const totals = endTotals(head, await journal.total({ batch: head.id }));
  const approvals = await journal.approvals(head.id);
  const document = summaryOf(head, { totals, approvals }, clock.now(), packageVersion);
  drafts['summary.json'].write(`${JSON.stringify(document, null, 2)}\n`);
  return document;
}
