import type { Pair } from '../../wire/form.js';
import type { Refusal, RefusalName, RuleViolation } from '../refusal.js';
import type { CheckedRequest, Route, SandboxRequest, SandboxSettings } from '../request.js';
import type { Store } from '../store.js';
import type { RuleId } from './rules.js';

export type { RuleViolation } from '../refusal.js';

/** A refused request, as far as it was parsed. */
export interface RefusedRequest {
  readonly request: SandboxRequest;
  readonly route: Route | undefined;
  readonly checked: CheckedRequest | undefined;
  readonly settings: SandboxSettings;
  readonly refusal: Refusal;
  readonly pairs: readonly Pair[];
  readonly login: string | undefined;
  readonly orderId: string | undefined;
}

/** Looks for the mistake behind a refused signature. */
export type Detector = (seen: RefusedRequest, store: Store) => readonly RuleViolation[];

export function violation(rule: RuleId, detail: string): readonly RuleViolation[] {
  return [{ rule, detail }];
}

export const noViolations: readonly RuleViolation[] = [];

const unexaminedRules: Partial<Readonly<Record<RefusalName, RuleId>>> = {
  control: 'control-wrong',
  oauth: 'oauth-signature',
  'oauth-clock': 'oauth-clock',
  'oauth-nonce': 'oauth-nonce',
};

/** A refused signature, where nothing that finds its mistake is loaded. */
export const checkUnexamined: Detector = ({ refusal, route }) => {
  const rule = unexaminedRules[refusal.reason];
  if (route === undefined || rule === undefined) return noViolations;
  return violation(rule, `${route.row.command}: not examined, because this sandbox does not listen`);
};
