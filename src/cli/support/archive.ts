import { shown } from '../../config/paths.js';
import { reasonOf } from '../../config/reason.js';
import { fail, isPaycliError } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { pathOf } from '../keys/files.js';
import type { BundleFile } from './scan.js';

const command = 'support bundle';

/** Harmless as the name of a file everywhere. */
function usualName(order: string): string {
  const word = order.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 64);
  return `paycli-support-${word}.zip`;
}

/** Where the archive goes. Throws USAGE when a file is there and may not be replaced. */
export function archivePath(
  order: string,
  { out, replace }: { readonly out?: string; readonly replace?: boolean },
  runtime: Runtime,
): string {
  if (out === '-') throw fail('USAGE', { why: 'an archive goes into a file, never to standard output', command });
  const path = pathOf(out ?? usualName(order), runtime);
  if (replace !== true) requireFree(path, runtime);
  return path;
}

function requireFree(path: string, { files }: Runtime): void {
  if (!files.exists(path)) return;
  throw fail('USAGE', {
    why: `there is a file ${shown(path)} already, and nothing was written; choose another with --out, or add --replace`,
    command,
  });
}

/** Writes all of the files as one archive, mode 0600. Throws USAGE or STORAGE. */
export async function writeArchive(path: string, files: readonly BundleFile[], isReplacing: boolean, runtime: Runtime): Promise<number> {
  const { strToU8, zipSync } = await import('fflate');
  // An archive knows no time before 1980, whatever the clock says.
  const mtime = new Date(Math.max(runtime.clock.now(), Date.UTC(1980, 0, 2)));
  const archive = zipSync(Object.fromEntries(files.map(({ name, text }) => [name, strToU8(text)])), { mtime });
  try {
    const staged = runtime.files.stage(path);
    try {
      staged.write(archive);
      if (!isReplacing) requireFree(path, runtime);
      staged.keep();
    } catch (error) {
      staged.drop();
      throw error;
    }
  } catch (error) {
    if (isPaycliError(error)) throw error;
    throw fail('STORAGE', { what: shown(path), why: reasonOf(error), how: 'nothing was written; look at the folder and the disk' });
  }
  return archive.length;
}
