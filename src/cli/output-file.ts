import { resolve } from 'node:path';
import { fail, isPaycliError } from '../errors/index.js';
import type { Runtime, Staged } from '../runtime/ports.js';

/**
 * Runs a command with a file in place of standard output. That the file can be made is found out first: a result nobody can keep must
 * not be asked for. It gets its name when the command ends, and only if something was written.
 */
export async function intoFile(given: string, runtime: Runtime, work: (inside: Runtime) => Promise<number>): Promise<number> {
  const path = resolve(runtime.files.folders.working, given);
  const staged = stage(path, runtime);
  let isWritten = false;
  const out = (text: string) => {
    isWritten = true;
    attempt(path, () => staged.write(text));
  };
  let exit: number;
  try {
    exit = await work(writingTo(out, runtime));
  } catch (error) {
    // What went wrong counts for more than a file that cannot be kept.
    try {
      if (isWritten) staged.keep();
    } finally {
      staged.drop();
    }
    throw error;
  }
  try {
    if (isWritten) attempt(path, () => staged.keep());
  } catch (error) {
    if (exit === 0 || !isPaycliError(error)) throw error;
    runtime.terminal.err(`warning: ${error.message}\n`);
  } finally {
    staged.drop();
  }
  return exit;
}

function stage(path: string, { files }: Runtime): Staged {
  if (attempt(path, () => files.facts(path))?.isFile === false)
    throw fail('USAGE', { why: `--output-file ${path}: that is no plain file`, command: 'help output' });
  return attempt(path, () => files.stage(path));
}

function attempt<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC' ? 'the disk is full' : 'it cannot be written';
    throw fail('STORAGE', { what: path, why, how: 'name another place with --output-file' }, { cause });
  }
}

/** A file is no terminal: no colour unless asked for, nothing cut. */
function writingTo(out: (text: string) => void, runtime: Runtime): Runtime {
  const { terminal } = runtime;
  const paint: Runtime['terminal']['paint'] = (stream, colour) => terminal.paint(stream, stream === 'out' ? colour === true : colour);
  return { ...runtime, terminal: { ...terminal, isOutTty: false, width: 80, out, paint } };
}
