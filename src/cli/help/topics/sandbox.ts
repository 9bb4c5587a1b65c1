import { heading, type Topic, terms, text } from './block.js';

export const sandboxTopic: Topic = {
  brief: 'the gateway in the box: outcomes, clock, pages, report card',
  blocks: () => [
    text(
      'The gateway’s other side, in the box. Without a profile every command talks to it, inside the same process; `paycli sandbox start` serves the same orders over HTTP on 127.0.0.1 for clients in any language. It checks every signature and every field, keeps orders, and says of each refusal why.',
    ),
    terms(
      ['paycli sandbox status', 'merchants, endpoints and keys'],
      ['paycli sandbox outcomes', 'test cards, codes, amounts and names, and what they lead to'],
      ['paycli sandbox outcomes next declined', 'the next order is declined'],
      ['paycli sandbox reset', 'forget all orders'],
      ['paycli sandbox snapshot save NAME', 'keep the state; `snapshot load NAME` goes back to it'],
    ),
    heading('In a test suite'),
    terms(
      [
        'paycli sandbox start --run -- npm test',
        'start it, run the command with PAYCLI_BASE_URL, keys and login set, stop, give its exit code',
      ],
      ['--name NAME, PAYCLI_SANDBOX', 'one of several sandboxes, each with data of its own'],
      ['--seed TEXT', 'the same ids and replies in every run from the same state'],
    ),
    heading('Time'),
    terms(
      ['paycli sandbox clock advance 7d', 'holds lapse, recurring payments are charged, callbacks are repeated'],
      ['paycli sandbox clock run', 'move to the next thing that is due'],
    ),
    heading('Seeing what happened'),
    terms(
      ['paycli sandbox log', 'every request with each signature check; --follow goes on'],
      ['paycli sandbox audit', 'what a client did wrong and how to mend it; exit 11 when anything'],
      ['http://127.0.0.1:8484/', 'the same in a browser, while it listens'],
    ),
    text('The commands with all flags: `paycli sandbox --help`. See also `paycli help 3ds` and `paycli help callbacks`.'),
  ],
};
