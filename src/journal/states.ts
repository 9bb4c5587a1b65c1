/** Where an intent stands. */
export const states = {
  planned: 'written down, not yet sent',
  sending: 'being sent, or the process that sent it ended before it could say what came of it',
  not_sent: 'proven not sent',
  refused: 'refused by the gateway, nothing was done',
  unknown: 'the outcome is unknown: money may have moved',
  accepted: 'the gateway took it; its outcome is still open',
  done: 'carried out',
  declined: 'a final no',
} as const;

export type State = keyof typeof states;

/** Forward only. `unknown` goes back to `sending` by an explicit resend alone. */
const moves: Readonly<Record<State, readonly State[]>> = {
  planned: ['sending'],
  not_sent: ['sending'],
  refused: ['sending'],
  sending: ['not_sent', 'refused', 'unknown', 'accepted', 'done', 'declined'],
  unknown: ['accepted', 'done', 'declined', 'sending'],
  accepted: ['done', 'declined'],
  done: [],
  declined: [],
};

export function mayMove(from: State, to: State): boolean {
  return moves[from].includes(to);
}

export function isState(word: string): word is State {
  return Object.hasOwn(states, word);
}

/** States in which the request may have reached the gateway and nobody knows its end. */
export const openStates: readonly State[] = ['sending', 'unknown'];

/** States whose outcome status may still tell. */
export const unsettledStates: readonly State[] = ['sending', 'unknown', 'accepted'];

/** States in which money has moved, or may have. */
export const spentStates: readonly State[] = ['sending', 'unknown', 'accepted', 'done'];
