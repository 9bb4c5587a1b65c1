/** The states of an intent. */
export const states = {
  planned: 'recorded, not yet sent',
  sending: 'being sent, or the process stopped before it recorded the outcome',
  not_sent: 'confirmed not sent',
  cancelled: 'permanently cancelled before it was sent',
  refused: 'refused by the gateway; nothing took effect',
  unknown: 'the outcome is unknown: money may have moved',
  accepted: 'accepted by the gateway; the outcome is still pending',
  done: 'approved',
  declined: 'declined, final',
  conflict: 'later evidence contradicts the journal: settle it manually',
} as const;

export type State = keyof typeof states;

/**
 * Forward only, except that `accepted` becomes `unknown` when the gateway itself does not know the outcome. Only an
 * explicit resend leads from `unknown` to `sending`, and only a person out of `conflict`: `Journal.settleManually`.
 */
const moves: Readonly<Record<State, readonly State[]>> = {
  planned: ['sending', 'cancelled'],
  not_sent: ['sending', 'conflict', 'cancelled'],
  cancelled: ['conflict'],
  refused: ['sending', 'conflict'],
  sending: ['not_sent', 'refused', 'unknown', 'accepted', 'done', 'declined'],
  unknown: ['accepted', 'done', 'declined', 'sending'],
  accepted: ['unknown', 'done', 'declined'],
  done: ['conflict'],
  declined: ['conflict'],
  conflict: ['done', 'declined'],
};

export function mayMove(from: State, to: State): boolean {
  return moves[from].includes(to);
}

/** Whether a request in this state may get this outcome by itself. */
export function mayEnd(from: State, to: State): boolean {
  return to !== 'sending' && to !== 'conflict' && mayMove(from, to);
}

/** Whether a request that did not leave here may have this outcome: the gateway has its order, made elsewhere. */
export function mayBeFound(from: State, to: State): boolean {
  return unsentStates.includes(from) && (to === 'accepted' || to === 'done' || to === 'declined');
}

export function isState(word: string): word is State {
  return Object.hasOwn(states, word);
}

/** A state as the end of a sentence: `is in conflict`. */
export function stateClause(state: string): string {
  if (state === 'not_sent') return 'was not sent';
  return state === 'conflict' ? 'is in conflict' : `is ${state}`;
}

/** States of a request that did not leave and may be sent. */
export const unsentStates: readonly State[] = ['planned', 'not_sent'];

/** States in which nothing took effect, so that the payment may be sent, perhaps with another content. */
export const withoutEffectStates: readonly State[] = [...unsentStates, 'refused'];

/** States in which the gateway has said what came of the request. */
export const finalStates: readonly State[] = ['done', 'declined', 'refused'];

/** States in which the gateway has the request, or may have it. */
export const reachedStates: readonly State[] = ['sending', 'unknown', 'accepted', 'done', 'declined', 'conflict'];

/** States in which the request may have reached the gateway and the outcome is unknown. */
export const openStates: readonly State[] = ['sending', 'unknown'];

/** States in which it is unknown whether money moved: no request that depends on it may be sent. */
export const doubtfulStates: readonly State[] = [...openStates, 'conflict'];

/** All others. */
export const certainStates: readonly State[] = Object.keys(states)
  .filter(isState)
  .filter((state) => !doubtfulStates.includes(state));

/** States whose outcome a status query may still find. */
export const queryableStates: readonly State[] = ['sending', 'unknown', 'accepted'];

/** States that `resolve` works on: whether the request takes effect is not decided yet. */
export const unresolvedStates: readonly State[] = [...queryableStates, 'conflict'];

/** States in which money has moved, or may have. */
export const spentStates: readonly State[] = ['sending', 'unknown', 'accepted', 'done', 'conflict'];

/** The reason of an outcome that a person recorded. */
export const settledManually = 'settled manually';

/** Whether this is the reason of an outcome that a person recorded. */
export function wasSettledManually(reason: string): boolean {
  return reason === settledManually;
}

/**
 * Whether later evidence contradicts how an attempt ended. A person may have been wrong either way, and a gateway that
 * declined may have paid all the same, or the other way round. The reversal of a payment is another entry.
 */
export function contradicts(ended: { state: State; reason: string }, evidence: State, isNamed = false): boolean {
  const isManual = wasSettledManually(ended.reason);
  if (evidence === 'conflict') return isNamed;
  if (ended.state === 'refused' || ended.state === 'not_sent' || ended.state === 'cancelled')
    return evidence === 'done' || evidence === 'accepted';
  if (ended.state === 'declined') return evidence === 'done' || (isManual && evidence === 'accepted');
  if (ended.state === 'done')
    return isManual ? ['declined', 'refused', 'not_sent'].includes(evidence) : isNamed && evidence === 'declined';
  return false;
}
