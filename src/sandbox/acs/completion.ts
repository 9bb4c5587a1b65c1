import type { Visit } from '../ledger/visits.js';

/** The rule of 3-D Secure 2: a method step that takes longer does not count. */
export const methodLimitMs = 10_000;

/** What threeDSCompInd should say about a method step, as far as the issuer's side can tell, and why. */
export interface Completion {
  readonly word: 'Y' | 'N';
  readonly why: string;
}

export function completion(visit: Pick<Visit, 'stepAt' | 'framedAt'> | undefined, now: number): Completion {
  const { stepAt = now, framedAt } = visit ?? {};
  if (framedAt === undefined) return { word: 'N', why: 'the frame of the method URL was never loaded' };
  if (framedAt - stepAt > methodLimitMs) return { word: 'N', why: 'the frame was loaded more than ten seconds after the step began' };
  return { word: 'Y', why: 'the frame of the method URL was loaded in time' };
}
