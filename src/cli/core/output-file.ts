import { resolve } from 'node:path';
import { exits, fail, isPaycliError } from '../../errors/index.js';
import type { Runtime, Staged } from '../../runtime/ports.js';

export interface OutputFile {
  /** As the user gave it. */
  readonly path: string;
  /**
   * Whether the command may have sent something that cannot be taken back; called only when the file could not be
   * written.
   */
  readonly mayHaveSent: () => Promise<boolean>;
}

/**
 * Runs a command with a file in place of standard output. First checks that the file can be created: nothing is sent
 * whose result could not be saved. The file gets its name when the command ends; after a failure, only if there was a
 * result. If the disk fails meanwhile, the result goes to standard output. A command that sent nothing then ends with
 * 13; one that may have sent something keeps its own code, or ends with 8 if its result could not be shown at all.
 */
export async function writeToFile(
  { path: typedPath, mayHaveSent }: OutputFile,
  runtime: Runtime,
  work: (inside: Runtime) => Promise<number>,
): Promise<number> {
  const path = resolve(runtime.files.folders.working, typedPath);
  const staged = stage(path, runtime);
  let isWritten = false;
  let fault: unknown;
  let isShown = false;
  const out = (text: string) => {
    isWritten = true;
    try {
      if (fault === undefined) return attempt(path, () => staged.write(text));
    } catch (error) {
      fault = error;
    }
    isShown = true;
    runtime.terminal.out(text);
  };
  let exit: number;
  try {
    exit = await work(writingTo(out, runtime));
  } catch (error) {
    // The command's own error matters more than a file that cannot be saved.
    try {
      if (isWritten && fault === undefined) staged.keep();
    } finally {
      staged.drop();
    }
    throw error;
  }
  try {
    if ((isWritten || exit === 0) && fault === undefined) attempt(path, () => staged.keep());
  } catch (error) {
    fault = error;
  } finally {
    staged.drop();
  }
  if (fault === undefined) return exit;
  const isSent = exit === 0 && (await mayHaveSent());
  if ((exit === 0 && !isSent) || !isPaycliError(fault)) throw fault;
  const more = isSent ? '; the request was sent, and `paycli journal` shows it, so do not send it again' : '';
  const { wrapText } = await import('../../errors/text-width.js');
  runtime.terminal.err(`${wrapText(`warning: ${fault.message}${more}`, runtime.terminal.errWidth)}\n`);
  return isSent && !isShown ? exits.unknown : exit;
}

function stage(path: string, { files }: Runtime): Staged {
  if (attempt(path, () => files.facts(path))?.isFile === false)
    throw fail('USAGE', { why: `--output-file ${path}: it is not a regular file`, path, command: 'help output' });
  return attempt(path, () => files.stage(path));
}

function attempt<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    const isFull = cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC';
    throw fail(
      'STORAGE',
      {
        what: path,
        why: isFull ? 'the disk is full' : 'it cannot be written',
        how: 'name another place with --output-file',
      },
      { cause },
    );
  }
}

/** A file is not a terminal: no colour unless requested, nothing truncated. */
function writingTo(out: (text: string) => void, runtime: Runtime): Runtime {
  const { terminal } = runtime;
  const paint: Runtime['terminal']['paint'] = (stream, colour) =>
    terminal.paint(stream, stream === 'out' ? colour === true : colour);
  return { ...runtime, terminal: { ...terminal, isOutTty: false, width: 80, out, paint } };
}
