import type { RuleId } from './audit/rules.js';

/** Every kind of refusal. The codes are the sandbox's own: those of real gateways are not published. */
export const refusals = {
  invalid: { status: 400, code: '1' },
  control: { status: 400, code: '2' },
  oauth: { status: 400, code: '3' },
  // The signature matches.
  'oauth-clock': { status: 400, code: '3' },
  'oauth-nonce': { status: 400, code: '3' },
  'unknown-path': { status: 404, code: '4' },
  method: { status: 400, code: '5' },
  'unknown-order': { status: 400, code: '6' },
  'used-order-id': { status: 400, code: '7' },
  'illegal-move': { status: 400, code: '8' },
  sum: { status: 400, code: '9' },
  'unknown-card': { status: 400, code: '10' },
  'three-d-secure': { status: 400, code: '11' },
  'wrong-host': { status: 421, code: '12' },
  'cross-site': { status: 403, code: '14' },
  'too-large': { status: 400, code: '13' },
  'expired-card': { status: 400, code: '15' },
  // Its text is never sent: the connection ends instead.
  'no-answer': { status: 500, code: '98' },
  fault: { status: 500, code: '99' },
} as const satisfies Record<string, { readonly status: number; readonly code: string }>;

export type RefusalName = keyof typeof refusals;

/** One broken rule of the audit. The detail says what exactly, without any value; equal details are counted together. */
export interface RuleViolation {
  readonly rule: RuleId;
  readonly detail: string;
}

/** A request that is not executed. The message is for people and contains no card data and no key. */
export class Refusal extends Error {
  readonly reason: RefusalName;
  /** What the audit says of it. */
  readonly violations: readonly RuleViolation[];

  constructor(reason: RefusalName, why: string, violations: readonly RuleViolation[] = []) {
    super(why);
    this.reason = reason;
    this.violations = violations;
  }
}

/** What this work returns, or why it was refused. */
export function orRefusal<T>(work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
