import { fail, isOutOfFiles, tooManyFilesOpen } from '../errors/index.js';
import type { Clock, Files } from '../runtime/ports.js';
import type { Restored } from './port.js';

interface MarkPorts {
  readonly files: Pick<Files, 'exists' | 'readText' | 'writeText'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** In the configuration folder, so that a state folder that is restored or removed does not take it along. */
  readonly path: string;
  /** Where the store is, and which one it is. */
  readonly place: string;
  readonly store: string;
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
  #delayed: Newest | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(ports: MarkPorts) {
    this.#ports = ports;
  }

  /** What is marked of this store. */
  get known(): Newest | undefined {
    return this.#read()?.[this.#ports.store];
  }

  /** How the store contradicts the mark; `findNonce` and `newest` are of the store as it is. */
  compare(findNonce: (event: number) => unknown, newest: Newest | undefined): Restored | undefined {
    const { store, place } = this.#ports;
    const marks = this.#read();
    const found = (why: Restored['why'], marked?: Newest): Restored => ({
      ...{ why, marked: marked && { event: marked.event, at: marked.at } },
      newest: { event: newest?.event ?? 0, at: newest?.at },
    });
    if (marks === undefined) return found('unreadable');
    const own = marks[store];
    if (own !== undefined) return findNonce(own.event) === own.nonce ? undefined : found('event-missing', own);
    const other = Object.values(marks).find((each) => each.place === place);
    return other && found('other-store', other);
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
    const others = Object.entries(this.#read() ?? {}).filter(([, { place }]) => place !== this.#ports.place);
    this.#write(newest, Object.fromEntries(others));
  }

  #write(newest: Newest, known: Marks | undefined): void {
    // What cannot be read says that something is wrong: only a person may take that away.
    if (known === undefined) return;
    const { files, path, place, store } = this.#ports;
    try {
      files.writeText(path, `${JSON.stringify({ ...known, [store]: { ...newest, place } })}\n`);
    } catch (cause) {
      const how = 'check that the disk has space, and that its folder is yours and writable, then repeat the command';
      throw fail('STORAGE', { what: path, why: 'it cannot be written', how }, { cause });
    }
    this.#delayed = undefined;
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
