import { join } from 'node:path';
import { headDocument } from '../../../batch/plan.js';
import { assertWhole, stateDocuments, summarize } from '../../../batch/progress.js';
import { needsReview, readOutcomes, reportColumns } from '../../../batch/report.js';
import { RowReader } from '../../../batch/rows.js';
import { pathFrom } from '../../../config/file-access.js';
import { exits, fail, isPaycliError } from '../../../errors/index.js';
import type { Runtime, Staged } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import { warnIfRestored } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { packageVersion } from '../../core/version.js';
import { csvLine } from '../../format/csv.js';
import { oneLine } from '../../format/document.js';
import { profileText } from '../../format/profile.js';
import type { OpenBatch } from './open-batch.js';
import { warnOfConflicts } from './plan-text.js';

const names = ['results.csv', 'results.jsonl', 'unknown.csv', 'summary.json'] as const;

type Drafts = Readonly<Record<(typeof names)[number], Staged>>;

/** Writes what the journal knows of every row into a folder, all files or none, and shows where. Throws STORAGE. */
export async function showReportFiles(
  open: OpenBatch,
  out: string,
  options: CommonOptions,
  runtime: Runtime,
): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { head, journal } = open;
  warnIfRestored(journal, report);
  const { files } = runtime;
  const folder = pathFrom(out, files.folders.working, files.folders.home);
  const drafts: Staged[] = [];
  let document: Readonly<Record<string, unknown>>;
  try {
    for (const name of names) drafts.push(files.stage(join(folder, name)));
    document = await write(Object.fromEntries(names.map((name, at) => [name, drafts[at]])) as Drafts, open, runtime);
    for (const each of drafts) each.keep();
  } catch (cause) {
    for (const each of drafts.toReversed()) each.drop();
    throw storageFault(cause, folder);
  }
  await warnOfConflicts(head, journal, report);
  await report.show({
    document: { ...document, files: names.map((each) => join(folder, each)) },
    text: () => `plan ${head.id}, profile ${oneLine(profileText(head))}\nwritten to ${folder}: ${names.join(', ')}\n`,
  });
  return exits.ok;
}

/** Of the disk; any other error stays as it is. */
function storageFault(cause: unknown, folder: string): unknown {
  if (isPaycliError(cause) || !(cause instanceof Error) || !('code' in cause)) return cause;
  const isFull = cause.code === 'ENOSPC' || cause.code === 'EDQUOT';
  return fail(
    'STORAGE',
    {
      what: `the report in ${folder}`,
      why: isFull ? 'the disk is full' : `it cannot be written (${String(cause.code)})`,
      how: 'what was sent is recorded in the journal; free some space or choose another folder with --out, then repeat the command',
      folder,
    },
    { cause },
  );
}

const rowsAtOnce = 500;

/** Gives the summary. */
async function write(drafts: Drafts, { head, journal }: OpenBatch, { files, clock }: Runtime) {
  const csvHead = csvLine(Object.keys(reportColumns));
  const waiting = { 'results.csv': csvHead, 'results.jsonl': '', 'unknown.csv': csvHead };
  const flush = () => {
    for (const name of ['results.csv', 'results.jsonl', 'unknown.csv'] as const) {
      drafts[name].write(waiting[name]);
      waiting[name] = '';
    }
  };
  for await (const outcome of readOutcomes(head, journal, new RowReader(head, { journal, files }))) {
    const line = csvLine(Object.values(reportColumns).map((key) => String(outcome[key])));
    waiting['results.csv'] += line;
    waiting['results.jsonl'] += `${JSON.stringify(outcome)}\n`;
    if (needsReview(outcome)) waiting['unknown.csv'] += line;
    if (outcome.row % rowsAtOnce === 0) flush();
  }
  flush();
  const tally = await journal.total({ batch: head.id });
  assertWhole(head, tally);
  const approvals = await journal.approvals(head.id);
  const document = {
    ...{ schema: 'paycli.batch-summary/1', ...headDocument(head), states: stateDocuments(summarize(tally)) },
    approvals: approvals.map(({ at, role: by, digest, total }) => ({
      ...{ at: new Date(at).toISOString(), by, digest, total },
    })),
    ...{ reportedBy: packageVersion, at: new Date(clock.now()).toISOString() },
  };
  drafts['summary.json'].write(`${JSON.stringify(document, null, 2)}\n`);
  return document;
}
