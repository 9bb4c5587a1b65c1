import { outputFormats } from '../config/settings.js';
import type { Operation } from '../spec/index.js';
import { type Flag, list, on, oneOf, word } from './command.js';

/** Flags of every command that prints a result. */
export const outputFlags = {
  output: oneOf(outputFormats, '<form>', 'output format (default: text)', {
    short: 'o',
    heading: 'Output:',
    repeats: true,
  }),
  json: on('short for -o json', { heading: 'Output:', implies: { output: 'json' } }),
  select: word('<a,b>', 'only these fields, as JSON unless -o says otherwise; --fields help lists them', {
    long: 'fields',
    heading: 'Output:',
  }),
  template: word('<text>', 'fill in a template with result fields, such as "{{order.orderId}} {{status}}"', {
    heading: 'Output:',
  }),
  outputFile: word('<file>', 'write the result to this file, completely or not at all, instead of standard output', {
    heading: 'Output:',
  }),
  color: on('colour even without a terminal', { heading: 'Output:' }),
  noColor: on('no colour', { heading: 'Output:' }),
  quiet: on('show only the result and errors', { short: 'q', heading: 'Output:' }),
  verbose: {
    ...on('show the HTTP exchange, card data masked', { short: 'v', heading: 'Output:', repeats: true }),
    parse: (_: string, before: number = 0) => before + 1,
  },
} as const satisfies Readonly<Record<string, Flag>>;

const fields = 'Other fields:';
const connection = 'Connection:';

/** Where fields of a request come from, besides a flag for each. */
export const fieldSourceFlags = {
  field: list('<name=value>', 'a field by its wire name; name=@file reads the value', { heading: fields }),
  inputFile: word('<file>', 'the fields as one JSON object; - is standard input', { long: 'input', heading: fields }),
  allowUnknownField: on('allow --field and --input to send fields that the operation does not have', {
    heading: fields,
  }),
  noInput: on('never prompt for missing fields', { heading: fields }),
};

/** For commands that use a live profile. */
export const liveFlag = on('required to query or send with a live profile', { heading: 'Sending:' });

export const timeoutFlag = word('<time>', 'how long to wait for the first byte of a reply (60s)', {
  heading: connection,
});

/** Flags that say where to send and as whom. */
export const connectionFlags = {
  profile: word('<name>', 'the profile to use; see `paycli help profiles`', { short: 'p', heading: connection }),
  baseUrl: word('<url>', 'base address of the gateway, including any path prefix', { heading: connection }),
  login: word('<login>', 'merchant login', { heading: connection }),
  endpointId: word('<id>', 'endpoint, or endpoint group', { heading: connection }),
  controlKeyFile: word('<file>', 'file with the merchant control key (mode 0600); - is standard input', {
    heading: connection,
  }),
  controlKeyFd: word('<number>', 'the same, from an open file descriptor', { heading: connection }),
  privateKeyFile: word('<file>', 'file with the RSA private key (PEM, mode 0600); - is standard input', {
    heading: connection,
  }),
  privateKeyFd: word('<number>', 'the same, from an open file descriptor', { heading: connection }),
  passphraseFile: word('<file>', 'file with the passphrase of that key (mode 0600); - is standard input', {
    heading: connection,
  }),
  passphraseFd: word('<number>', 'the same, from an open file descriptor', { heading: connection }),
  caFile: word('<file>', 'custom CA certificate (PEM)', { heading: connection }),
};

/** Flags of sending, by what the operation does and answers. */
export function sendingFlags(row: Operation): Record<string, Flag> {
  const { opens, effect, records, withoutAmount, fields } = row;
  const heading = 'Sending:';
  const hasOutcome = records.reply === 'AsyncResponse' || isStatus(row);
  const again = opens
    ? 'send it although an equal one was just made, or may have been'
    : 'send an identical request again on purpose';
  const flags: Record<string, Flag | false> = {
    dryRun: on('show the request and its signature; send nothing', { heading }),
    live: liveFlag,
    again: effect !== 'read' && on(again, { heading }),
    all:
      withoutAmount === 'whole order' &&
      'amount' in fields &&
      on('the full remaining amount, instead of --amount', { heading }),
    confirmLogin: effect === 'money' && word('<login>', 'confirm a live payment in a script', { heading }),
    noStatus: effect === 'money' && on('send even though the outcome cannot be queried', { heading }),
    wait:
      hasOutcome &&
      on(isStatus(row) ? waitOfStatus : 'wait for the final outcome; the exit code reports it', { heading }),
    waitTimeout: hasOutcome && word('<time>', 'with --wait: give up after this long (5m; sandbox 5s)', { heading }),
    expect:
      hasOutcome &&
      word('<status>', 'exit 0 on this final outcome, 11 on any other', {
        heading,
        also: isStatus(row) ? ['--for'] : [],
      }),
    via:
      isStatus(row) &&
      word(
        '<ways>',
        'with --wait: callback, poll or both; with callback alone, the status is queried at the start, at each callback and at the end (callback,poll)',
        { heading },
      ),
    open:
      records.reply === 'AsyncCheckoutFormRedirect' && on('open the page in a browser on this machine', { heading }),
    timeout: timeoutFlag,
  };
  return Object.fromEntries(Object.entries(flags).flatMap(([key, flag]) => (flag === false ? [] : [[key, flag]])));
}

const waitOfStatus =
  "wait for the final outcome of the order's last transaction, or of the one --by-serial names (A42); the exit code reports it";

function isStatus({ records }: Operation): boolean {
  return records.reply === 'StatusResponse';
}

/** Where the fields of a card come from at once. */
export const cardFlags = {
  testCard: word('<name>', 'a published test card; see `paycli sandbox outcomes`', { heading: 'Card:' }),
  cardFile: word('<file>', 'card fields as JSON or name=value lines, mode 0600', { heading: 'Card:' }),
  cardFd: word('<number>', 'the same, from an open file descriptor; 0 is standard input', { heading: 'Card:' }),
};

/** For operations with payer fields. */
export const testPayer = on('fill in missing payer fields, on sandbox and test profiles', { heading: 'Payer:' });
