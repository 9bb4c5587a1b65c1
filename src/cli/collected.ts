import { isPaycliError, type PaycliError } from '../errors/index.js';
import { flagOf } from './flags.js';

/** Values being collected. The first source of a key wins. */
export class Collected {
  readonly values: Record<string, string> = {};
  readonly origins: Record<string, string> = {};
  /** Mistakes in how values were given; they are told with those in the values. */
  readonly faults: PaycliError[] = [];
  /** Fields whose source failed: that they are missing is no news. */
  readonly excused = new Set<string>();
  /** Values that another one goes before, in words. */
  readonly passedOver: string[] = [];

  add(key: string, value: string | undefined, origin: string): void {
    if (value === undefined || Object.hasOwn(this.values, key)) return;
    this.values[key] = value;
    this.origins[key] = origin;
  }

  /** The same for a value somebody wrote for this very request: when another one goes before it, that is told. */
  addGiven(key: string, value: string, origin: string): void {
    const before = this.values[key];
    if (before !== undefined && before !== value) this.passedOver.push(`${this.origins[key]} goes before ${flagOf(key)} of ${origin}`);
    this.add(key, value, origin);
  }

  /** Takes a step that would give these fields; an error of the user's is kept for later. */
  async heed(keys: readonly string[], step: () => void | Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      this.faults.push(error);
      for (const key of keys) this.excused.add(key);
    }
  }
}
