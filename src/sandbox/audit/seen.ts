import type { Pair } from '../../wire/form.js';
import type { Refusal } from '../refusal.js';
import type { Checked, Route, SandboxRequest, Terms } from '../request.js';
import type { Store } from '../store.js';
import type { RuleId } from './rules.js';

/** A refused request, as far as it was understood. */
export interface Seen {
  readonly request: SandboxRequest;
  readonly route: Route | undefined;
  readonly checked: Checked | undefined;
  readonly terms: Terms;
  readonly refusal: Refusal;
  readonly pairs: readonly Pair[];
  readonly login: string | undefined;
  readonly orderId: string | undefined;
}

/** One broken rule. The detail says what exactly, without any value; equal details are counted together. */
export interface Sighting {
  readonly rule: RuleId;
  readonly detail: string;
}

/** Findings of one request at most: ten thousand wrong names are one mistake. */
export const mostOfOne = 20;

export type Detector = (seen: Seen, store: Store) => readonly Sighting[];

export function sighting(rule: RuleId, detail: string): readonly Sighting[] {
  return [{ rule, detail }];
}

export const nothing: readonly Sighting[] = [];
