import { type Block, heading, type Topic, terms, text } from './block.js';

export const moneySafetyTopic: Topic = {
  brief: 'the journal, unknown outcomes, repeating a command',
  blocks: () => [
    text(
      'Before a request leaves, the journal has it on the disk: which operation, gateway, order and amount, never a card number, security code, key or checksum. What became of it is written down as it is learned.',
    ),
    heading('The same command again'),
    terms(
      ['planned, not sent, refused', 'sends: nothing of it was done'],
      ['sending, unknown, accepted', 'asks the gateway what became of it, and never sends'],
      ['done, declined', 'shows the known outcome'],
      ['conflict', 'shows both sides, exit 8, and sends nothing'],
      ['with other content', 'exit 2; after a refusal, corrected content is a new attempt'],
    ),
    text(
      'Follow-ups (capture, return and so on) go one at a time on an order; --again sends an equal one once more on purpose. What is only said beside a payment (description, comment, purpose, addresses to come back to, IP address) does not make it another one.',
    ),
    heading('When the outcome is unknown (exit 8)'),
    terms(
      ['paycli resolve ORDER', 'asks at 0, 2, 5, 15, 60 and 300 seconds; `paycli resolve --all` for everything open'],
      ['paycli resolve ORDER --settle-as paid|not-paid --evidence TEXT', 'writes down what a statement or the gateway’s support says'],
      [
        'paycli resolve ORDER --resend --approved-by NAME',
        'once the gateway has said three times over an hour that it knows no such order, and a second person agrees, the very same command may be sent once more',
      ],
      ['paycli resolve --entry NUMBER …', 'one entry of `paycli journal list`, where several requests on an order are open'],
    ),
    text(
      'Nothing is settled by hand while the process that sent it lives. When a reply, a status answer or a signed callback later contradicts what was settled by hand, or tells of a payment that was refused or declined, the entry is in conflict: `paycli resolve --all` and `paycli doctor` show it, and it counts as money that may have moved, until a person settles it.',
    ),
    ...lostJournal(),
    heading('Caps'),
    text(
      'max-amount and max-total-per-day of a profile hold whatever its class. A day is one of UTC; what was refused or never sent does not count. A currency that a cap does not name is refused.',
    ),
    text(
      'See it: `paycli journal list`, `journal show ORDER`, `journal export`, `journal verify`. The states are in `paycli help states`, live payments in `paycli help live`.',
    ),
  ],
};

function lostJournal(): readonly Block[] {
  return [
    heading('A journal that is lost or older than it was'),
    text(
      'The end of the journal is noted a second time, in the configuration folder if that can be written to (`paycli doctor` says when not). Where the journal is missing, empty or older than that note, nothing is sent (exit 13). Bring the newest one back if there is one.',
    ),
    terms([
      'paycli journal adopt --after-restore',
      'asks the gateway about every order that the journal knows and whose end it does not, also those that it takes for never sent, and only then goes on with it; --evidence TEXT where nobody can be asked any more, which leaves them unknown',
    ]),
    text(
      'It cannot know what was sent later and stands nowhere in the older copy: compare with the gateway’s list of orders before you repeat a payment. Nothing notices when the note is restored or removed together with the state folder: back both up together, or neither.',
    ),
  ];
}
