import { states } from '../../../journal/states.js';
import { statuses } from '../../../spec/index.js';
import { type Step, transactionKinds } from '../../../spec/lifecycle.js';
import { heading, type Topic, table, terms, text } from './block.js';

/** What each step waits for. */
const steps: Readonly<Record<Step, string>> = {
  none: 'nobody: the bank is at it',
  form: 'the payer, on the hosted page',
  method: 'the result of the 3-D Secure method frame',
  frictionless: 'the same; no challenge will follow',
  challenge: 'the response to a 3-D Secure challenge',
  pareq: 'the response of a 3-D Secure 1.0.2 page',
  simplified: 'a visit of the payer to the page in the status reply',
  validating: 'the check of a payout',
  validated: '`paycli payout pay`: the check is done',
};

const yesNo = (is: boolean) => (is ? 'yes' : 'no');

export const statesTopic: Topic = {
  brief: 'states of a request in the journal, and of an order',
  blocks: () => [
    heading('A request in the journal'),
    terms(...Object.entries(states)),
    text(
      'planned, not_sent and refused may be sent (again); sending, unknown and accepted ask status instead; done and declined are the end, unless later evidence contradicts them: then they are in conflict, which a person ends. unknown leaves only by an answer, by evidence, or by a resend that a second person approved.',
    ),
    heading('An order, by the field status (A16)'),
    table(
      ['status', 'final', 'success', 'meaning'],
      Object.entries(statuses).map(([word, { final, success, meaning }]) => [word, yesNo(final), final ? yesNo(success) : '', meaning]),
    ),
    text('Any other word counts as open and unknown: exit 8.'),
    heading('What an open order waits for'),
    terms(...Object.entries(steps)),
    heading('Kinds of transaction (A17)'),
    table(
      ['transaction', 'transaction-type', 'order-stage begins with'],
      Object.entries(transactionKinds).map(([kind, { type, stage }]) => [kind, type, stage]),
    ),
    text('`paycli flow ORDER` shows where an order stands and what may follow; `paycli can OPERATION ORDER` exits 0 or 11.'),
  ],
};
