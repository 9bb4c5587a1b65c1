import { outputFormats } from '../config/settings.js';
import { shellWord, suggest } from '../errors/index.js';
import { isFinal, type Operation, statuses, testCards } from '../spec/index.js';
import { durationForm, readSeconds } from '../wire/time.js';
import { type Flag, type FlagMore, flagOf, list, on, oneOf, parsed, type Values, word } from './command.js';
import { wrongValue } from './usage.js';

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
  field: list('<name=value>', 'a field by its wire name', { heading: fields }),
  inputFile: word('<file>', 'the fields as one JSON object; - is standard input', { long: 'input', heading: fields }),
  allowUnknownField: on('allow --field and --input to send fields that the operation does not have', {
    heading: fields,
  }),
  noInput: on('never prompt for missing fields', { heading: fields }),
};

/** For commands that use a live profile. */
export const liveFlag = on('required to query or send with a live profile', { heading: 'Sending:' });

export const timeoutFlag = parsed('<time>', 'how long to wait for a reply (60s)', timeUpTo(300), {
  heading: connection,
});

/** Of commands that wait for an outcome. */
export function waitTimeoutFlag(text: string, more: FlagMore = {}) {
  return parsed('<time>', text, timeUpTo(3600), more);
}

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
export function sendingFlags(row: Operation) {
  const { opens, effect, records, withoutAmount, fields } = row;
  const heading = 'Sending:';
  const isStatus = records.reply === 'StatusResponse';
  const hasOutcome = records.reply === 'AsyncResponse' || isStatus;
  const again = opens
    ? 'send it although an equal one was just made, or may have been'
    : 'send an identical request again on purpose';
  const flags = {
    dryRun: on('show the request and its signature; send nothing', { heading }),
    live: liveFlag,
    again: effect !== 'read' && on(again, { heading }),
    all:
      withoutAmount === 'whole order' &&
      'amount' in fields &&
      on('everything that is left, instead of --amount', { heading }),
    confirmLogin: effect === 'money' && word('<login>', 'confirm a live payment in a script', { heading }),
    wait:
      hasOutcome && on(isStatus ? waitOfStatus : 'wait for the final outcome; the exit code reports it', { heading }),
    waitTimeout: hasOutcome && waitTimeoutFlag('with --wait: give up after this long (5m; sandbox 5s)', { heading }),
    expect: hasOutcome && oneOf(outcomes, '<status>', 'exit 0 on this final outcome, 11 on any other', { heading }),
    timeout: timeoutFlag,
  } satisfies Readonly<Record<string, Flag | false>>;
  const given = Object.entries<Flag | false>(flags).filter(([, flag]) => flag !== false);
  return Object.fromEntries(given) as { readonly [Key in keyof typeof flags]?: Exclude<(typeof flags)[Key], false> };
}

export type SendingFlags = Required<ReturnType<typeof sendingFlags>>;

const waitOfStatus =
  "wait for the final outcome of the order's last transaction, or of the one --by-serial names (A42); the exit code reports it";

/** Fills in the fields of a card, and of a payer. */
export const testCard = parsed('<name>', 'a published test card; see `paycli sandbox outcomes`', readTestCard, {
  heading: 'Card:',
});

/** The headings of flags that many commands have, with what they are about. `paycli help output` explains them once. */
export const sharedHeadings: Readonly<Record<string, string>> = {
  'Other fields:': 'fields',
  'Connection:': 'profile, keys',
  'Output:': 'output',
};

/** True for a flag that the help of a command leaves to `paycli help output`. */
export function isSharedFlag({ helpGroupHeading = '' }: { readonly helpGroupHeading?: string | undefined }): boolean {
  return Object.hasOwn(sharedHeadings, helpGroupHeading);
}

/** A field that comes from the profile, never from the user. */
export function isFromProfile(key: string): boolean {
  return key === 'login';
}

/** Milliseconds of a duration, where a number without a unit means seconds. `max` is in seconds. */
export function timeUpTo(max: number): (text: string) => number {
  return (text) => {
    const ms = readSeconds(text);
    if (ms !== undefined && ms <= max * 1000) return ms;
    throw wrongValue(`use ${durationForm}, or a number of seconds; at most ${max}s`);
  };
}

/** A whole number of at most seven digits. */
export function wholeUpTo(max: number, min = 0): (text: string) => number {
  return (text) => {
    const value = /^\d{1,7}$/.test(text) ? Number(text) : -1;
    if (value >= min && value <= max) return value;
    throw wrongValue(`use a whole number from ${min} to ${max}`);
  };
}

/** The port that a command listens on. */
export function portFlag(text: string) {
  return parsed('<number>', text, wholeUpTo(65_535));
}

/** The words of --expect. */
const outcomes = Object.keys(statuses).filter((word) => isFinal(word) || word === 'processing');

function readTestCard(text: string): string {
  const names = testCards.map(({ name }) => name);
  if (names.includes(text)) return text;
  throw wrongValue(`use the name of a test card${suggest(text, names, `: ${names.join(', ')}`)}`);
}

/** The flags that name a profile or connection, by their values, as a suggested command repeats them. */
export function placeFlags({ profile, baseUrl, login, endpointId }: Values<typeof connectionFlags>): string {
  return Object.entries({ profile, baseUrl, login, endpointId })
    .flatMap(([key, value]) => (value === undefined ? [] : [` ${flagOf(key)} ${shellWord(value)}`]))
    .join('');
}

/** Commands that send nothing: they take --profile, and not every flag of a connection. */
const localCommands: readonly string[] = [
  ...['orders', 'journal', 'callback list', 'batch show', 'profile show', 'support', 'assumptions'],
  ...['callback verify', 'callback send', 'batch plan', 'batch reconcile', 'sign check'],
];

/** Of flags such as `session.flags`, those that a suggested command takes. */
export function flagsFor(command: string, flags: string): string {
  if (!localCommands.includes(command)) return flags;
  return / --profile (?:'[^']*'|[^\s'])+/.exec(flags)?.[0] ?? '';
}

/** A command without an argument, with the flags of these that it takes. */
export function commandWith(command: string, flags: string): string {
  return `paycli ${command}${flagsFor(command, flags)}`;
}
