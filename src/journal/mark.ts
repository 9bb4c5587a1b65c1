import { fail, isOutOfFiles, tooManyFilesOpen } from '../errors/index.js';
import type { Clock, Files } from '../runtime/ports.js';
import type { Restored } from './port.js';

export interface MarkPorts {
  readonly files: Pick<Files, 'exists' | 'readText' | 'writeText'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** In the configuration folder, so that a state folder that is restored or removed does not take it along. */
  readonly path: string;
  /** Where the store is. */
  readonly place: string;
}

/** The newest event of a store that this machine wrote. */
export interface Newest {
  readonly event: number;
  readonly nonce: string;
  readonly at: number;
}

type Marks = Readonly<Record<string, Newest & { readonly place: string }>>;

const maxLagMs = 250;
const maxBytes = 1_048_576;

/** Written after each commit, or soon after: it may lag behind the store, and is never ahead of it. */
export class Mark {
  readonly #ports: MarkPorts;
  readonly #store: string;
  #delayed: Newest | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(ports: MarkPorts, store: string) {
    this.#ports = ports;
    this.#store = store;
  }

  /** What is marked of this store. */
  get known(): Newest | undefined {
    const marks = this.#read();
    return marks === 'unreadable' ? undefined : marks[this.#store];
  }

  /** How the store contradicts the mark; `nonceOf` and `newest` are of the store as it is. */
  compare(nonceOf: (event: number) => unknown, newest: Newest | undefined): Restored | undefined {
    const found = { event: newest?.event ?? 0, at: newest?.at };
    const marks = this.#read();
    if (marks === 'unreadable') return { why: 'unreadable', marked: undefined, newest: found };
    const own = marks[this.#store];
    if (own !== undefined)
      return nonceOf(own.event) === own.nonce
        ? undefined
        : { why: 'event-missing', marked: { event: own.event, at: own.at }, newest: found };
    const other = Object.values(marks).find(({ place }) => place === this.#ports.place);
    return other && { why: 'other-store', marked: { event: other.event, at: other.at }, newest: found };
  }

  /** After a commit. A mark that cannot be written now is written with the next one, or by `catchUp`. */
  note(newest: Newest): void {
    this.#delayed = newest;
    const now = this.#ports.clock.monotonic();
    if (now - this.#triedAt < maxLagMs) return;
    this.#triedAt = now;
    try {
      this.#write(newest, this.#read());
    } catch {}
  }

  /** Throws STORAGE. */
  catchUp(): void {
    try {
      if (this.#delayed !== undefined) this.#write(this.#delayed, this.#read());
    } catch (error) {
      // Such as a configuration that is mounted read-only: what is left then is to ask before each send.
      const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
      if (!['EACCES', 'EPERM', 'EROFS'].includes(String(code))) throw error;
    }
  }

  /** Takes the store as it is, in place of what was marked for it or for its place. Throws STORAGE. */
  accept(newest: Newest): void {
    const marks = this.#read();
    const others = Object.entries(marks === 'unreadable' ? {} : marks);
    this.#write(newest, Object.fromEntries(others.filter(([, { place }]) => place !== this.#ports.place)));
  }

  #write(newest: Newest, known: Marks | 'unreadable'): void {
    // What cannot be read says that something is wrong: only a person may take that away.
    if (known === 'unreadable') return;
    const { files, path, place } = this.#ports;
    try {
      files.writeText(path, `${JSON.stringify({ ...known, [this.#store]: { ...newest, place } })}\n`);
    } catch (cause) {
      const how = 'check that the disk has space, and that its folder is yours and writable, then repeat the command';
      throw fail('STORAGE', { what: path, why: 'it cannot be written', how }, { cause });
    }
    this.#delayed = undefined;
  }

  #read(): Marks | 'unreadable' {
    const { files, path } = this.#ports;
    if (!files.exists(path)) return {};
    try {
      return JSON.parse(files.readText(path, maxBytes)) as Marks;
    } catch (error) {
      if (isOutOfFiles(error)) throw tooManyFilesOpen(path, { cause: error });
      return 'unreadable';
    }
  }
}
