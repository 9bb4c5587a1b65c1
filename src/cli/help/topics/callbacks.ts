import { heading, lines, type Topic, terms, text } from './block.js';

export const callbacksTopic: Topic = {
  brief: 'taking, checking and replaying what the gateway reports',
  blocks: () => [
    text(
      'Most operations answer `processing`; the truth comes later, by a callback to server_callback_url or notify_url, or by status. A callback is a GET with its fields in the query (A24) and a control: the SHA-1 over status, orderid, client_orderid and the merchant control key, nothing between them. It is repeated until it is answered with 200 (A25).',
    ),
    lines('paycli callback listen --forward http://127.0.0.1:3000/callback'),
    text(
      'Each callback is stored with its bytes before it is answered, checked, and handed on. A callback alone settles nothing: where money could have moved, status is asked, and the journal follows status. The bytes are sealed with `callback-seal.key` in the configuration folder: back it up apart from the state folder. Without it new callbacks are taken under a new key, and older ones are listed but not readable until its line is back in the file.',
    ),
    text(
      'The control covers its texts with nothing between them, so `77` and `7c` have that of `777` and `c`. It proves the ids only of an order in the journal, or where the text can be cut in one way only; else the verdict is `cannot be told` (verified: no-order). Such a callback is answered with 200 and handed on, and your handler has to compare both ids with its own order.',
    ),
    heading('What the gateway is answered'),
    terms(
      ['200', 'it is stored; a repeat (same status, type and ids) is counted'],
      ['403', 'its control does not fit: it comes again, time enough to correct a key'],
      ['500', 'it could not be stored: it has to come again'],
      ['503', 'more than 20 of the same status, type and ids came, each with other content: this one is not kept and has to come again'],
    ),
    text('With --answer-with-handler the status of your handler goes back instead.'),
    heading('Afterwards'),
    terms(
      ['paycli callback list', 'what came, the verdict on its control, what your handler answered'],
      ['paycli callback replay 1', 'hand it on once more, byte for byte'],
      [
        'paycli callback verify @FILE',
        'whether the control of a callback fits; exit 11 when not, 8 when it fits but the ids are of no order in the journal',
      ],
      ['paycli callback send', 'make up a signed callback on an order, for your handler'],
      ['paycli wait ORDER', 'is woken by a callback, and polls besides'],
      ['paycli timeline ORDER', 'requests, callbacks and polls in one view'],
    ),
    heading('In a build'),
    lines('paycli callback listen --check --exit-after 1 --timeout 120'),
    text(
      'Exit 0 when one came and agrees with status, 11 when it does not, 7 when none came. The sandbox sends them early, doubled, swapped, late, wrong or not at all: `paycli sandbox callbacks script --help`.',
    ),
  ],
};
