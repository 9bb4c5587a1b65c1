import type { Clock } from '../runtime/ports.js';
import type { Journal } from './journal.js';

interface PendingChange {
  /** Makes the change; returns how to report it once it is flushed. */
  make(): () => void;
  fail(error: unknown): void;
}

/**
 * Collects the changes that several lanes ask for at the same moment and makes them one transaction. Each promise
 * resolves once its change is flushed. After a disk error nothing more is written: a failed flush may have lost data,
 * and a second one would not report it.
 */
export class GroupCommit {
  readonly #journal: Pick<Journal, 'inOneTransaction'>;
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #maxChanges: number;
  #waiting: PendingChange[] = [];
  #fault: { readonly error: unknown } | undefined;

  constructor(journal: Pick<Journal, 'inOneTransaction'>, clock: Pick<Clock, 'sleep'>, maxChanges = 64) {
    this.#journal = journal;
    this.#clock = clock;
    this.#maxChanges = maxChanges;
  }

  change<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const make = (): (() => void) => {
        try {
          const result = work();
          return () => resolve(result);
        } catch (error) {
          return () => reject(error);
        }
      };
      this.#waiting.push({ make, fail: reject });
      if (this.#waiting.length === 1) void this.#clock.sleep(0).then(() => this.#commit());
    });
  }

  #commit(): void {
    const waiting = this.#waiting.splice(0);
    for (let at = 0; at < waiting.length; at += this.#maxChanges)
      this.#commitGroup(waiting.slice(at, at + this.#maxChanges));
  }

  #commitGroup(group: readonly PendingChange[]): void {
    try {
      if (this.#fault !== undefined) throw this.#fault.error;
      const notifications = this.#journal.inOneTransaction(() => group.map(({ make }) => make()));
      for (const notify of notifications) notify();
    } catch (error) {
      this.#fault ??= { error };
      for (const { fail } of group) fail(error);
    }
  }
}
