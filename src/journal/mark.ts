import { fail, isOutOfFiles, tooManyFilesOpen } from '../errors/index.js';
import type { Clock, Files, SqlRow } from '../runtime/ports.js';
import type { Restored } from './port.js';

interface MarkPorts {
  readonly files: Pick<Files, 'exists' | 'readText' | 'writeText'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Not in the state folder, which may be restored or removed. */
  readonly path: string;
  /** Where the store is, and which one it is. */
  readonly place: string;
  readonly store: string;
}

/** An event of a store. */
export interface Newest {
  readonly event: number;
  readonly nonce: string;
  readonly at: number;
}

type Marks = Readonly<Record<string, Newest & { readonly place: string }>>;

const [maxLagMs, maxBytes] = [250, 1_048_576];

/**
 * The newest event of a store that this machine wrote. Its file is written after each commit, or soon after: it may lag
 * behind the store, and is never ahead of it.
 */
export class Mark {
  /** How the store contradicts it; then only `accept` writes the file. */
  restored: Restored | undefined;
  readonly #ports: MarkPorts;
  newest: Newest | undefined;
  #isWritten = true;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(ports: MarkPorts) {
    this.#ports = ports;
    const marks = this.#read();
    this.newest = marks?.[ports.store];
    if (marks === undefined) this.restored = { why: 'unreadable' };
    const other = Object.values(marks ?? {}).find(({ place }) => place === ports.place);
    if (other !== undefined && this.newest === undefined) this.restored = { why: 'other-store', marked: other };
  }

  /**
   * Compares with the store as it is (see `headSql`) what was the newest event when it was asked. Who accepts a restored
   * store does so for every machine.
   */
  compare(newest: Newest | undefined, { event, at, marked, accepted }: SqlRow): void {
    if (newest === undefined || marked === newest.nonce || Number(accepted) > newest.at) return;
    this.contradict('event-missing', at === null ? undefined : { event: Number(event), at: Number(at) });
  }

  contradict(why: Restored['why'], newest?: Restored['newest']): void {
    // What is missing says more than that it is another place.
    if (this.restored === undefined || (why === 'event-missing' && this.restored.why === 'other-store'))
      this.restored = { why, marked: this.newest, newest };
  }

  /** After a commit. What cannot be written now is written with the next one, or by `catchUp`. */
  note(newest: Newest): void {
    this.newest = newest;
    this.#isWritten = false;
    const now = this.#ports.clock.monotonic();
    if (now - this.#triedAt < maxLagMs) return;
    this.#triedAt = now;
    try {
      this.#write();
    } catch {}
  }

  /** Throws STORAGE. */
  catchUp(): void {
    try {
      if (!this.#isWritten) this.#write();
    } catch (error) {
      // Such as a configuration that is mounted read-only: what is left then is to ask before each send.
      const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
      if (!['EACCES', 'EPERM', 'EROFS'].includes(String(code))) throw error;
    }
  }

  /** Takes the store as it is, in place of what was marked for it or for its place. Throws STORAGE. */
  accept(): void {
    const others = Object.entries(this.#read() ?? {}).filter(([, { place }]) => place !== this.#ports.place);
    this.#save(Object.fromEntries(others));
    this.restored = undefined;
  }

  /** What contradicts the store, or cannot be read, says that something is wrong: only a person may take that away. */
  #write(): void {
    const marks = this.#read();
    // Another process may have marked a later one meanwhile. In a restored store later events have lower ids again.
    const { event = 0, at = 0 } = marks?.[this.#ports.store] ?? {};
    const isBehind = this.newest !== undefined && event > this.newest.event && at >= this.newest.at;
    if (marks !== undefined && this.restored === undefined && !isBehind) this.#save(marks);
  }

  #save(marks: Marks): void {
    const { files, path, place, store } = this.#ports;
    try {
      files.writeText(path, `${JSON.stringify({ ...marks, [store]: { ...this.newest, place } })}\n`);
    } catch (cause) {
      const how = 'check that the disk has space, and that its folder is yours and writable, then repeat the command';
      throw fail('STORAGE', { what: path, why: 'it cannot be written', how }, { cause });
    }
    this.#isWritten = true;
  }

  /** Undefined where they cannot be read. */
  #read(): Marks | undefined {
    const { files, path } = this.#ports;
    if (!files.exists(path)) return {};
    try {
      return JSON.parse(files.readText(path, maxBytes)) as Marks;
    } catch (error) {
      if (isOutOfFiles(error)) throw tooManyFilesOpen(path, { cause: error });
      return undefined;
    }
  }
}
