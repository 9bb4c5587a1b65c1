import { fail, isOutOfFiles, tooManyFilesOpen } from '../errors/index.js';
import type { Clock, Files } from '../runtime/ports.js';
import type { ChainHead } from './chain.js';

export interface CheckpointPorts {
  readonly files: Pick<Files, 'exists' | 'readText' | 'writeText'>;
  /**
   * The file with the checkpoint: the end of the chain, stored outside of the journal's folder, so that removing or
   * restoring that folder does not change it.
   */
  readonly checkpointPath: string;
  /** Beside the journal: used where there is no other checkpoint and the other folder cannot be written to. */
  readonly besideJournalPath?: string | undefined;
  /**
   * Where it is if the path of the journal's folder has become a link since; only read, and only where there is no
   * other checkpoint.
   */
  readonly givenCheckpointPaths?: readonly string[] | undefined;
  /** Identifies the folder of the checkpoint among others that have one of the same journal. */
  readonly checkpointPlace?: string | undefined;
}

/** The checkpoint as it was read. */
export type StoredCheckpoint = ChainHead | 'none' | 'unreadable';

export function readCheckpoint(ports: CheckpointPorts): StoredCheckpoint {
  const { checkpointPath, besideJournalPath, givenCheckpointPaths = [] } = ports;
  for (const path of [
    checkpointPath,
    ...(besideJournalPath === undefined ? [] : [besideJournalPath]),
    ...givenCheckpointPaths,
  ]) {
    const noted = readNote(ports, path);
    if (noted !== 'none') return noted;
  }
  return 'none';
}

function readNote({ files }: CheckpointPorts, path: string): StoredCheckpoint {
  if (!files.exists(path)) return 'none';
  try {
    const note: unknown = JSON.parse(files.readText(path, 4096));
    if (typeof note !== 'object' || note === null || !('count' in note) || !('hash' in note)) return 'unreadable';
    const { count, hash } = note;
    return Number.isSafeInteger(count) && typeof hash === 'string' ? { count: Number(count), hash } : 'unreadable';
  } catch (error) {
    if (isOutOfFiles(error)) throw tooManyFilesOpen(path, { cause: error });
    return 'unreadable';
  }
}

/** Written after the database, so it may lag behind it and is never ahead. Returns the path. Throws STORAGE. */
export function writeCheckpoint(
  { files, checkpointPath, besideJournalPath }: CheckpointPorts,
  tail: ChainHead,
): string {
  let path = checkpointPath;
  const write = () => files.writeText(path, `${JSON.stringify(tail)}\n`);
  try {
    try {
      write();
    } catch (error) {
      if (besideJournalPath === undefined || !mayNotBeWritten(error) || files.exists(checkpointPath)) throw error;
      path = besideJournalPath;
      write();
    }
    return path;
  } catch (cause) {
    if (isOutOfFiles(cause)) throw tooManyFilesOpen(path, { cause });
    throw fail(
      'STORAGE',
      {
        what: path,
        why: 'it cannot be written',
        how: 'check that the disk works and has free space, and that its folder is yours and writable, then repeat the command',
      },
      { cause },
    );
  }
}

/** Such as a configuration that is mounted read-only. */
function mayNotBeWritten(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'EROFS'].includes(String(error.code));
}

/** How long the checkpoint may wait: `next`, until the next change or the end; `group`, for `maxLagMs` at most. */
export type Lag = 'none' | 'next' | 'group';

const maxLagMs = 250;

/**
 * The checkpoint of an open journal. There may be hundreds of groups of changes in a second: between them it may lag,
 * at the end it does not.
 */
export class HeadCheckpoint {
  readonly #ports: CheckpointPorts & { readonly clock: Pick<Clock, 'monotonic'> };
  #notedAt = Number.NEGATIVE_INFINITY;
  #delayed: ChainHead | undefined;
  /** Set where lines are missing: the checkpoint that shows it stays, whatever is added to the journal. */
  isHeld: boolean;

  constructor(ports: CheckpointPorts & { readonly clock: Pick<Clock, 'monotonic'> }, isHeld: boolean) {
    this.#ports = ports;
    this.isHeld = isHeld;
  }

  /** What `lag` delays is written with a later change or by `catchUp`. Throws STORAGE. */
  write(tail: ChainHead, lag: Lag = 'none'): void {
    if (this.isHeld) return;
    const now = this.#ports.clock.monotonic();
    const mayLag = lag === 'next' || (lag === 'group' && now - this.#notedAt < maxLagMs);
    this.#delayed = mayLag ? tail : undefined;
    if (this.#delayed !== undefined) return;
    writeCheckpoint(this.#ports, tail);
    this.#notedAt = now;
  }

  /** Writes a delayed checkpoint; `then` runs even when that fails. */
  catchUp(then: () => void): void {
    try {
      if (this.#delayed !== undefined) this.write(this.#delayed);
    } finally {
      then();
    }
  }
}
