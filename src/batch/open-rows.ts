import type { Request } from '../journal/port.js';
import { pendingStates, type State } from '../journal/states.js';
import { isBeyondStatus } from '../payments/evidence.js';
import { pausesForUnknown } from '../payments/wait.js';
import type { RunPorts } from './run-ports.js';

/** Open requests that are taken at once. */
const pageSize = 64;
const usualPauseMs = 3000;
const longestLookMs = 1000;

type OpenPorts = Pick<RunPorts, 'batch' | 'journal' | 'connection' | 'options'>;

/** The rows of a batch whose outcome is open, as one run knows and asks about them. */
export class OpenRows {
  readonly #ports: OpenPorts;
  readonly #startedAt: number;
  readonly #unknownMs: number;
  readonly #states = new Map<number, State>();
  /** When each was first asked about. */
  readonly #asked = new Map<number, number>();
  readonly #asking = new Set<number>();
  /** To be asked about now, and when the journal is looked at for more. */
  #due: Request[] = [];
  #nextLook = 0;
  #nextMoved = 0;

  constructor(ports: OpenPorts) {
    this.#ports = ports;
    const { clock } = ports.connection.ports;
    this.#startedAt = clock.now();
    this.#unknownMs = pausesForUnknown(ports.connection.place.class).reduce((sum, ms) => sum + ms, 0);
  }

  get #now(): number {
    return this.#ports.connection.ports.clock.monotonic();
  }

  /** Monotonic. */
  get nextLook(): number {
    return this.#nextLook;
  }

  get count(): number {
    return this.#states.size;
  }

  /** Whether asking again in this run may tell more: a gateway that lost a request tells nothing for long. */
  get mayTellMore(): boolean {
    return [...this.#states].some(([id, state]) => this.#mayTellMore(id, state));
  }

  #mayTellMore(id: number, state: State): boolean {
    return state === 'accepted' || this.#now - (this.#asked.get(id) ?? this.#now) < this.#unknownMs;
  }

  /** Where a row is now; gives where this run knew it, undefined for one that was not open here. */
  note({ id, state }: Request): State | undefined {
    const before = this.#states.get(id);
    if (pendingStates.includes(state)) this.#states.set(id, state);
    else this.#states.delete(id);
    return before;
  }

  /** Those that another process has learned of meanwhile; looked for once a second. */
  async moved(): Promise<readonly Request[]> {
    const ids = [...this.#states.keys()];
    if (ids.length === 0 || this.#now < this.#nextMoved) return [];
    this.#nextMoved = this.#now + longestLookMs;
    const now = await this.#ports.journal.find({ ids }, { after: 0, limit: ids.length });
    return now.filter(({ id, state }) => this.#states.get(id) !== state);
  }

  /** The journal is looked at for more at once. */
  lookNow(): void {
    this.#nextLook = 0;
  }

  /** The next one to be asked about; unknown ones first. `isWaitOver`: only those that were never asked about. */
  async take(isWaitOver: boolean, isFirstRow: (request: Request) => boolean): Promise<Request | undefined> {
    const { journal, batch, connection, options } = this.#ports;
    if (isBeyondStatus(connection.row.id)) return undefined;
    if (this.#due.length === 0 && this.#now >= this.#nextLook) {
      const { pauseMs = usualPauseMs } = options;
      const from = this.#now;
      this.#nextLook = from + Math.min(pauseMs, longestLookMs);
      const taken = await journal.takeToAsk(batch, pageSize, pauseMs);
      const due = taken.filter(
        (request) => !this.#asking.has(request.id) && (isFirstRow(request) || this.#isAsked(request, isWaitOver)),
      );
      this.#due.push(...due.sort((one, other) => Number(isAccepted(one)) - Number(isAccepted(other))));
      if (taken.length === pageSize && due.length > 0) this.#nextLook = from;
    }
    return this.#due.shift();
  }

  #isAsked(request: Request, isWaitOver: boolean): boolean {
    const { id, state, begunAt = 0 } = request;
    // Where nobody waits for accepted rows, those of earlier runs are asked about once.
    const isUnwaited = this.#ports.options.waitMs === 0 && isAccepted(request);
    if (!this.#asked.has(id)) return !isUnwaited || begunAt < this.#startedAt;
    return !isUnwaited && !isWaitOver && this.#mayTellMore(id, state);
  }

  /** Asks about one; `isFirst` where nobody has in this run. */
  async ask(request: Request, ask: (isFirst: boolean) => Promise<void>): Promise<void> {
    const { id } = request;
    const isFirst = !this.#asked.has(id);
    if (isFirst) this.#asked.set(id, this.#now);
    this.#asking.add(id);
    try {
      await ask(isFirst);
    } finally {
      this.#asking.delete(id);
    }
  }
}

function isAccepted({ state }: Request): boolean {
  return state === 'accepted';
}
