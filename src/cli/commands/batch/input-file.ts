import { type Fault, faultText } from '../../../batch/input/source.js';
import { pathFrom, reasonOf } from '../../../config/file-access.js';
import { fail, ifKnown } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { oneLine } from '../../format/document.js';

/** A file that the user named, with its bytes. One that cannot be read is wrong usage. Throws USAGE. */
export function openInput(
  file: string,
  command: string,
  { files }: Runtime,
): { readonly path: string; readonly size: number } {
  const path = pathFrom(file, files.folders.working, files.folders.home);
  try {
    const facts = files.facts(path);
    if (facts === undefined) throw Object.assign(new Error(`${path} does not exist`), { code: 'ENOENT' });
    // As far as the first bytes.
    for (const _ of files.pieces(path)) break;
    return { path, size: facts.size };
  } catch (cause) {
    const name = oneLine(file);
    throw fail('USAGE', { why: `${name}: ${reasonOf(cause)}`, file: name, command }, { cause });
  }
}

/** The error for a file with so many things wrong, of which these were kept. */
export function invalidFileError(file: string, count: number, first: readonly Fault[], log?: string): Error {
  const lines = first.map(faultText);
  const more = count > first.length ? [`and ${count - first.length} more`] : [];
  return fail('BATCH_INVALID', {
    file: oneLine(file),
    problems: count === 1 ? (lines[0] ?? '') : listText(`${count} errors`, [...lines, ...more]),
    how: `nothing was done; correct the file and repeat the command${ifKnown(log, (errorsFile) => `. All errors: ${errorsFile}`)}`,
    count,
    errorsFile: log,
  });
}

export function listText(head: string, lines: readonly string[]): string {
  const [only] = lines;
  if (only !== undefined && lines.length === 1) return `${head}: ${only}`;
  return `${head}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
