import type { Assume } from '../spec/index.js';

interface RefusalRow {
  readonly status: number;
  readonly type: 'validation-error' | 'error';
  readonly code: string;
}

/** Every way the sandbox says no. The numbers are its own: those of real gateways are not published. */
export const refusals = {
  invalid: { status: 400, type: 'validation-error', code: '1' },
  control: { status: 400, type: 'validation-error', code: '2' },
  oauth: { status: 400, type: 'error', code: '3' },
  'unknown-path': { status: 404, type: 'error', code: '4' },
  method: { status: 400, type: 'error', code: '5' },
  'unknown-order': { status: 400, type: 'error', code: '6' },
  'used-order-id': { status: 400, type: 'error', code: '7' },
  'illegal-move': { status: 400, type: 'error', code: '8' },
  sum: { status: 400, type: 'error', code: '9' },
  'unknown-card': { status: 400, type: 'error', code: '10' },
  'three-d-secure': { status: 400, type: 'error', code: '11' },
  'wrong-host': { status: 421, type: 'error', code: '12' },
  'cross-site': { status: 403, type: 'error', code: '14' },
  'too-large': { status: 400, type: 'error', code: '13' },
  'expired-card': { status: 400, type: 'error', code: '15' },
  // Its words reach nobody: the connection ends instead.
  'no-answer': { status: 500, type: 'error', code: '98' },
  fault: { status: 500, type: 'error', code: '99' },
} as const satisfies Record<string, RefusalRow>;

export type RefusalName = keyof typeof refusals;

/** A request that is not carried out. `why` is for people and holds no value of a card field and no key. */
export class Refusal extends Error {
  readonly reason: RefusalName;

  constructor(reason: RefusalName, why: string) {
    super(why);
    this.reason = reason;
  }
}

/** A22: the status of a wrong OAuth signature is not shown, so it may be chosen. */
export function statusOfRefusal(reason: RefusalName, assume: Assume): number {
  return reason === 'oauth' ? Number(assume['wrong-oauth']) : refusals[reason].status;
}
