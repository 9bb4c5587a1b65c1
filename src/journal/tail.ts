import { fail } from '../errors/index.js';
import type { Clock, Files } from '../runtime/ports.js';
import type { Tail } from './chain.js';

export interface TailPorts {
  readonly files: Pick<Files, 'exists' | 'readText' | 'writeText'>;
  readonly tailPath: string;
}

/** The end of the chain as it was noted outside of the database; undefined when that note is missing or unreadable. */
export function readTail({ files, tailPath }: TailPorts): Tail | undefined {
  if (!files.exists(tailPath)) return undefined;
  try {
    const note: unknown = JSON.parse(files.readText(tailPath, 4096));
    if (typeof note !== 'object' || note === null || !('count' in note) || !('hash' in note)) return undefined;
    const { count, hash } = note;
    return typeof count === 'number' && typeof hash === 'string' ? { count, hash } : undefined;
  } catch {
    return undefined;
  }
}

/** Written after the database, so it may lag behind it and is never ahead. Throws STORAGE. */
export function writeTail({ files, tailPath }: TailPorts, tail: Tail): void {
  try {
    files.writeText(tailPath, `${JSON.stringify(tail)}\n`);
  } catch (cause) {
    const how = 'see that the disk works and has room, then repeat the command';
    throw fail('STORAGE', { what: tailPath, why: 'it cannot be written', how }, { cause });
  }
}

/** How long a note may wait: until the next change or the end, or, among groups of changes, for a moment. */
export type Lag = 'none' | 'next' | 'group';

const longestLagMs = 250;

/** The note of a journal that is open. Groups of changes come by the hundred in a second: among them it may lag, at the end it does not. */
export class TailNote {
  readonly #ports: TailPorts & { readonly clock: Pick<Clock, 'monotonic'> };
  #notedAt = Number.NEGATIVE_INFINITY;
  #late: Tail | undefined;

  constructor(ports: TailPorts & { readonly clock: Pick<Clock, 'monotonic'> }) {
    this.#ports = ports;
  }

  /** With `lag`, a note follows in any case: at once, of changes that come by the hundred within a while. Throws STORAGE. */
  write(tail: Tail, lag: Lag = 'none'): void {
    const now = this.#ports.clock.monotonic();
    const mayLag = lag === 'next' || (lag === 'group' && now - this.#notedAt < longestLagMs);
    this.#late = mayLag ? tail : undefined;
    if (this.#late !== undefined) return;
    writeTail(this.#ports, tail);
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
