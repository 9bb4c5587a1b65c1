import { fail } from '../errors/index.js';
import type { Clock, Files } from '../runtime/ports.js';
import type { ChainHead } from './chain.js';

export interface HeadPorts {
  readonly files: Pick<Files, 'exists' | 'readText' | 'writeText' | 'remove'>;
  /**
   * Where the end of the chain is noted a second time, outside of the journal's own folder: who removes or restores
   * that does not change it.
   */
  readonly tailPath: string;
  /**
   * Beside the journal, where earlier versions noted it; still used where there is no note and the other folder cannot
   * be written to.
   */
  readonly formerTailPath?: string | undefined;
  /**
   * Where it was noted if the path of the journal's folder has become a link since; only read, and only where there is
   * no note else.
   */
  readonly givenTailPaths?: readonly string[] | undefined;
  /** What tells the folder of the note from others that have a note of the same journal. */
  readonly tailPlace?: string | undefined;
}

/** The end of the chain as it was noted outside of the database. */
export type NotedHead = ChainHead | 'none' | 'unreadable';

export function readHead(ports: HeadPorts): NotedHead {
  const { tailPath, formerTailPath, givenTailPaths = [] } = ports;
  // Its own place twice: another process may have moved it in between.
  for (const path of [
    tailPath,
    ...(formerTailPath === undefined ? [] : [formerTailPath, tailPath]),
    ...givenTailPaths,
  ]) {
    const noted = readNote(ports, path);
    if (noted !== 'none') return noted;
  }
  return 'none';
}

function readNote({ files }: HeadPorts, path: string): NotedHead {
  if (!files.exists(path)) return 'none';
  try {
    const note: unknown = JSON.parse(files.readText(path, 4096));
    if (typeof note !== 'object' || note === null || !('count' in note) || !('hash' in note)) return 'unreadable';
    const { count, hash } = note;
    return Number.isSafeInteger(count) && typeof hash === 'string' ? { count: Number(count), hash } : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/** Takes over the note of an earlier version, whatever it proves. Throws STORAGE. */
export function takeOverFormerHead(ports: HeadPorts): void {
  const { files, tailPath, formerTailPath } = ports;
  if (formerTailPath === undefined || files.exists(tailPath)) return;
  const former = readNote(ports, formerTailPath);
  if (typeof former !== 'string' && writeHead(ports, former) === tailPath) files.remove(formerTailPath);
}

/** Written after the database, so it may lag behind it and is never ahead. Gives where. Throws STORAGE. */
export function writeHead({ files, tailPath, formerTailPath }: HeadPorts, tail: ChainHead): string {
  let path = tailPath;
  const write = () => files.writeText(path, `${JSON.stringify(tail)}\n`);
  try {
    try {
      write();
    } catch (error) {
      if (formerTailPath === undefined || !mayNotBeWritten(error) || files.exists(tailPath)) throw error;
      path = formerTailPath;
      write();
    }
    return path;
  } catch (cause) {
    throw fail('journalHeadNotWritten', { what: path }, { cause });
  }
}

/** Such as a configuration that is mounted for reading. */
function mayNotBeWritten(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'EROFS'].includes(String(error.code));
}

/** How long a note may wait: until the next change or the end, or, among groups of changes, for a moment. */
export type Lag = 'none' | 'next' | 'group';

const maxLagMs = 250;

/**
 * The note of a journal that is open. Groups of changes come by the hundred in a second: among them it may lag, at the
 * end it does not.
 */
export class HeadCheckpoint {
  readonly #ports: HeadPorts & { readonly clock: Pick<Clock, 'monotonic'> };
  #notedAt = Number.NEGATIVE_INFINITY;
  #late: ChainHead | undefined;
  /** A journal that lacks lines keeps the note that says so, whatever is added to it. */
  isHeld: boolean;

  constructor(ports: HeadPorts & { readonly clock: Pick<Clock, 'monotonic'> }, isHeld: boolean) {
    this.#ports = ports;
    this.isHeld = isHeld;
  }

  /**
   * With `lag`, a note follows in any case: at once, of changes that come by the hundred within a while. Throws
   * STORAGE.
   */
  write(tail: ChainHead, lag: Lag = 'none'): void {
    if (this.isHeld) return;
    const now = this.#ports.clock.monotonic();
    const mayLag = lag === 'next' || (lag === 'group' && now - this.#notedAt < maxLagMs);
    this.#late = mayLag ? tail : undefined;
    if (this.#late !== undefined) return;
    writeHead(this.#ports, tail);
    this.#notedAt = now;
  }

  /** What comes after it comes in any case. */
  catchUp(then: () => void): void {
    try {
      if (this.#late !== undefined) this.write(this.#late);
    } finally {
      then();
    }
  }
}
