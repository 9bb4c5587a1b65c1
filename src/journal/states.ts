/** The states of a request. */
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
  conflict: 'later evidence contradicts the journal: a person has to decide',
} as const;

export type State = keyof typeof states;

/** Who may move a request from which state to which. A contradiction leads to `conflict` besides: see `judge`. */
const moves = {
  /** The process that is about to send it; a refused payment is corrected and sent again in its own row. */
  begin: { planned: ['sending'], not_sent: ['sending'], refused: ['sending'] },
  resend: { unknown: ['sending'] },
  /** The process whose attempt it is. It may have been taken for gone meanwhile, as a laptop that slept. */
  result: {
    sending: ['not_sent', 'refused', 'unknown', 'accepted', 'done', 'declined'],
    unknown: ['not_sent', 'refused', 'accepted', 'done', 'declined'],
    accepted: ['done', 'declined'],
  },
  /** An answer of the gateway about the order. */
  gateway: {
    sending: ['accepted', 'done', 'declined'],
    unknown: ['accepted', 'done', 'declined'],
    // The gateway itself no longer knows the outcome.
    accepted: ['unknown', 'done', 'declined'],
  },
  /**
   * The gateway has this very payment, and it was not made by this request; unknown where it may have been made by a part
   * of the journal that is lost.
   */
  elsewhere: {
    planned: ['unknown', 'accepted', 'done', 'declined'],
    not_sent: ['unknown', 'accepted', 'done', 'declined'],
    refused: ['unknown', 'accepted'],
    sending: ['accepted', 'done', 'declined'],
    // It was taken for gone while it asked.
    unknown: ['accepted', 'done', 'declined'],
  },
  gone: { sending: ['unknown'] },
  person: { unknown: ['done', 'declined'], accepted: ['done', 'declined'], conflict: ['done', 'declined'] },
  cancel: { planned: ['cancelled'], not_sent: ['cancelled'] },
} as const satisfies Record<string, Moves>;

type Moves = Partial<Record<State, readonly State[]>>;
export type Mover = keyof typeof moves;

export function mayMove(by: Mover, from: State, to: State): boolean {
  const allowed: Moves = moves[by];
  return allowed[from]?.includes(to) ?? false;
}

/** The reasons of an outcome that a person recorded. */
export const markedPaid = 'marked-paid';
export const markedNotPaid = 'marked-not-paid';

/** Whether a person recorded the outcome. */
export function wasMarked({ reason }: Pick<Known, 'reason'>): boolean {
  return reason === markedPaid || reason === markedNotPaid;
}

type Known = Readonly<{ state: State; reason: string }>;

/**
 * The state that evidence leads to; undefined where it changes nothing. `isOwn`: it is about this very request and not
 * only about its order.
 */
export function judge(before: Known, by: Mover, to: State, isOwn: boolean): State | undefined {
  if (mayMove(by, before.state, to)) return to;
  return by !== 'person' && by !== 'cancel' && contradicts(before, to, isOwn) ? 'conflict' : undefined;
}

/**
 * A person may have been wrong either way, and a gateway that declined may have paid all the same, or the other way
 * round. The return of a payment is another request.
 */
function contradicts(before: Known, evidence: State, isOwn: boolean): boolean {
  const { state } = before;
  const isMarked = wasMarked(before);
  if (evidence === 'conflict') return isOwn && reachedStates.includes(state) && state !== 'conflict';
  // What only its own process says, after another one took it for gone.
  const isWithoutEffect = evidence === 'refused' || evidence === 'not_sent';
  if (state === 'done') return isWithoutEffect || (evidence === 'declined' && (isMarked || isOwn));
  if (state === 'accepted') return isWithoutEffect;
  if (state === 'declined') return evidence === 'done' || (isMarked && evidence === 'accepted');
  return (state === 'refused' || state === 'not_sent') && (evidence === 'done' || evidence === 'accepted');
}

type States = readonly State[];

/** States of a request that did not leave and may be sent. */
export const unsentStates: States = ['planned', 'not_sent'];
/** The same, and what was refused: a further attempt may begin. */
export const sendableStates: States = [...unsentStates, 'refused'];
/** The gateway has said what came of the request. */
export const finalStates: States = ['done', 'declined', 'refused'];
/** The gateway has the request, or may have it. */
export const reachedStates: States = ['sending', 'unknown', 'accepted', 'done', 'declined', 'conflict'];
/** Of what was sent, or was to be: rows of a batch that wait for their turn, or were cancelled, are left out. */
export const triedStates: States = ['not_sent', 'refused', ...reachedStates];
/** It is not known whether money moved: no request that depends on it may be sent. */
export const inDoubtStates: States = ['sending', 'unknown', 'conflict'];
/** A status query may still find the outcome. */
export const pendingStates: States = ['sending', 'unknown', 'accepted'];
/** A status query or a person still has to settle the request. */
export const unresolvedStates: States = [...pendingStates, 'conflict'];
/** Money has moved, or may have. */
export const spentStates: States = ['sending', 'unknown', 'accepted', 'done', 'conflict'];

/** As a list in a statement. */
export function quoted(words: States): string {
  return words.map((word) => `'${word}'`).join(', ');
}
