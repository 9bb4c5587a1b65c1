import type { Pair } from '../../wire/form.js';
import type { RuleId } from './rules.js';

/** A request as the report card shows it, masked. */
export interface ShownRequest {
  readonly line: string;
  readonly headers: readonly Pair[];
  readonly fields: readonly Pair[];
}

/** One broken rule at one moment. */
export interface Occurrence {
  readonly rule: RuleId;
  readonly detail: string;
  /** On the clock of the machine. */
  readonly at: number;
  readonly order: string | undefined;
  readonly request: ShownRequest | undefined;
}
