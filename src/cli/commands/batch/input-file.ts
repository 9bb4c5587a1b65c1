import { pathFrom, reasonOf } from '../../../config/file-access.js';
import { fail } from '../../../errors/index.js';
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
