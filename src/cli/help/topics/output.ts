import { heading, lines, type Topic, terms, text } from './block.js';

/** Without the word `paycli`; a test runs each. */
export const outputExamples: readonly (readonly [form: string, line: string, meaning: string])[] = [
  ['text', 'sandbox status', 'for people, and what you get unless you say otherwise'],
  ['json', 'sandbox status --json', 'one document, `schema` first; --json is short for -o json'],
  ['ndjson', 'assumptions list -o ndjson', 'an entry of a list a line; a result without a list is one line'],
  ['csv', 'assumptions list -o csv', 'a head and a row for each entry, columns by path (RFC 4180)'],
  ['yaml', 'sandbox status -o yaml', 'the document of json, as YAML'],
  ['table', 'assumptions list -o table', 'columns, also where text would be prose'],
];

export const outputTopic: Topic = {
  brief: 'text, JSON, CSV, YAML, tables, templates, colour',
  blocks: () => [
    text('Results go to standard output, everything else to standard error. The form never changes by itself.'),
    terms(...outputExamples.map(([form, , meaning]) => [`-o ${form}`, meaning] as const)),
    lines(...outputExamples.map(([, line]) => `paycli ${line}`)),
    text('PAYCLI_OUTPUT and `output` of the configuration files set the form as well; the flag goes first.'),
    heading('Parts of it, and elsewhere'),
    terms(
      ['--json=order.orderId,status', 'only these, as json: by path, or a reply field by its own name'],
      ['--select id,switch', 'the same for every form'],
      ["--template '{{order.orderId}} {{status}}'", 'a text with fields filled in (Mustache; nothing is escaped)'],
      ['--output-file FILE', 'into a file, which is whole or not there; standard output stays empty'],
      ['--quiet', 'no notes: only the result and errors'],
    ),
    lines(
      'paycli assumptions list --select id,switch -o csv',
      "paycli sandbox status --template '{{schema}}'",
      'paycli assumptions list -o json --output-file assumptions.json',
    ),
    text(
      'Of a list each entry is chosen from; names of what stands beside the list, such as total, give that instead. A name that the result cannot have is refused with exit 2 and the names there are, before anything is done or sent; a field that only your gateway sends is result.NAME. Streams (callback listen, batch run, journal export) show the chosen fields of each event, with tabs between them where the form is text; the CSV of journal export has columns of its own.',
    ),
    heading('For programs'),
    text(
      'A document begins with `schema`; a reply has ok, operation, profile, order, result, meaning, next and exit. Times are RFC 3339 in UTC, money is minor units, digits, currency and text, ids are text. With json, ndjson and yaml an error is one JSON object on standard error, and notes wait until the result is out. `paycli commands --json` lists every command, flag and exit code.',
    ),
    heading('On a terminal'),
    text(
      'Tables fit the width, and times are told as `3 min ago`. Elsewhere, and with -o table, nothing is cut and times are in UTC. While something takes its time a line on standard error says so; --quiet takes it away.',
    ),
    text(
      'Colour: --color and --no-color, then NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR=0 and TERM=dumb, then whether the stream is a terminal. No meaning hangs on it alone.',
    ),
  ],
};
