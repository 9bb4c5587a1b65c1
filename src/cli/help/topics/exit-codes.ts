import { exitCodes } from '../../../errors/index.js';
import { type Topic, table, text } from './block.js';

export const exitCodesTopic: Topic = {
  brief: 'how a command can end, and what may be repeated',
  blocks: () => [
    table(
      ['exit', 'meaning', 'sent?', 'repeat as it is?'],
      exitCodes.map((row) => [String(row.exit), row.meaning, row.sent, row.repeat]),
    ),
    text(
      '8 is the one to know: the request may have reached the gateway and nobody knows what came of it. It is never sent again by itself; `paycli resolve ORDER` settles it.',
    ),
    text(
      'Without --wait, 0 means that the gateway took the request. `--expect approved` (or declined and so on) makes that outcome 0 and another final one 11; pending, unknown, not sent and refused keep their codes.',
    ),
    text(
      'With json, ndjson and yaml an error is one JSON object on standard error: code, message, next, exit, facts. See `paycli help output`.',
    ),
  ],
};
