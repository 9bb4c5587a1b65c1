import { pathFrom, printableName, reasonOf } from '../../../config/file-access.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';

export interface KeyFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

interface NewFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

export function pathOf(written: string, { files }: Pick<Runtime, 'files'>): string {
  return pathFrom(written, files.folders.working, files.folders.home);
}

/** Throws SECRET_UNREADABLE. */
export function readKeyFile(written: string, runtime: Pick<Runtime, 'files'>): KeyFile {
  const path = pathOf(written, runtime);
  try {
    return { path, bytes: runtime.files.readBytes(path) };
  } catch (error) {
    const file = printableName(path);
    const how = 'check the path and its permissions';
    throw fail('SECRET_UNREADABLE', { what: `file ${file}`, why: reasonOf(error), how, file });
  }
}

/** Throws USAGE when a file of such a name is there, or is no name for a file. */
export function assertFree(paths: readonly string[], { files }: Runtime): void {
  for (const path of paths) {
    // Written as a key, /dev/stdout would show it.
    if (/(?:^|[\\/])-$/.test(path)) throw fail('USAGE', { why: 'it goes into a file, never to standard output' });
    if (files.exists(path)) throw taken(path);
  }
}

/** Writes all of the files or none, and never over another. Throws USAGE or STORAGE. */
export function createFiles(wanted: readonly NewFile[], { files }: Runtime): void {
  for (const [at, { path, text, mode }] of wanted.entries()) {
    try {
      files.createText(path, text, mode);
    } catch (cause) {
      for (const made of wanted.slice(0, at)) files.remove(made.path);
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
      if (code === 'EEXIST') throw taken(path);
      const [file, why] = [printableName(path), `it could not be written (${code})`];
      const how = 'nothing was written; choose another place';
      throw fail('STORAGE', { what: `file ${file}`, why, how, file }, { cause });
    }
  }
}

function taken(path: string): Error {
  const file = printableName(path);
  const why = `the file ${file} already exists, and nothing was written; choose another name`;
  return fail('USAGE', { why, file });
}
