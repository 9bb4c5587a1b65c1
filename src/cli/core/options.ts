import { type Command, Option } from 'commander';
import type { PlanHead } from '../../batch/plan.js';
import { outputFormats } from '../../config/settings.js';
import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { StageName } from '../../signing/diagnose/index.js';
import { type Assume, assumptionNamed } from '../../spec/assumptions.js';
import type { Field, Operation } from '../../spec/index.js';
import { isOutOfForce } from '../../wire/check.js';
import { hasPayer } from '../fields/card.js';
import { flagOf, isForbidden, isFromProfile, placeholderOf } from '../flag-words.js';
import type { Input } from './input-json.js';

/** What the user typed, before anything is checked. Field values are by field key. */
export interface Typed {
  readonly fields: Readonly<Record<string, string>>;
  readonly order: string | undefined;
  readonly options: CommonOptions;
  /** The content of --input, if it was read already. */
  readonly input?: Input | undefined;
}

/** Flags that are not fields. All optional: `undefined` means the user did not say. */
export interface CommonOptions {
  readonly profile?: string;
  readonly output?: string;
  readonly select?: string;
  readonly template?: string;
  readonly color?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: number;
  /** --no-input */
  readonly input?: boolean;
  /** --input */
  readonly inputFile?: string;
  readonly timeout?: string;
  readonly live?: boolean;
  readonly confirmLogin?: string;
  /** False with --no-status; a list for commands that filter by status. */
  readonly status?: boolean | readonly string[];
  readonly wait?: boolean;
  readonly waitTimeout?: string;
  readonly via?: string;
  readonly expect?: string;
  readonly dryRun?: boolean;
  readonly open?: boolean;
  readonly explain?: boolean;
  /** Of `sign`. */
  readonly stage?: StageName;
  readonly nonce?: string;
  readonly timestamp?: string;
  readonly again?: boolean;
  readonly all?: boolean;
  readonly field?: readonly string[];
  readonly allowUnknownField?: boolean;
  readonly testCard?: string;
  readonly testPayer?: boolean;
  readonly cardFile?: string;
  readonly cardFd?: string;
  readonly endpointId?: string;
  readonly baseUrl?: string;
  readonly login?: string;
  readonly controlKeyFile?: string;
  readonly controlKeyFd?: string;
  readonly privateKeyFile?: string;
  readonly privateKeyFd?: string;
  readonly passphraseFile?: string;
  readonly passphraseFd?: string;
  readonly caFile?: string;
}

const collect = (value: string, earlier: readonly string[] | undefined): readonly string[] => [
  ...(earlier ?? []),
  value,
];
const count = (_: string, earlier: number | undefined): number => (earlier ?? 0) + 1;

/** What a flag has besides its text. */
interface FlagRules {
  readonly choices?: readonly string[];
  /** It may be given several times; its values are a list. */
  readonly repeated?: true;
  /** The command is refused without it. */
  readonly required?: true;
}

/** A flag as commander writes it (`--limit <number>`) with its text, or a heading for those that follow. */
export type Flag =
  | readonly [flags: string, text: string, rules?: FlagRules]
  | { readonly heading: string }
  // For what the rules cannot say, such as a counting flag. Created per command, since commander writes to it.
  | (() => Option);

/** Gives a command these flags, each under the heading before it. */
export function addFlags(command: Command, flags: readonly Flag[]): Command {
  for (const flag of flags) {
    if (typeof flag === 'function') command.addOption(flag());
    else if ('heading' in flag) command.optionsGroup(flag.heading);
    else command.addOption(optionOf(...flag));
  }
  return command;
}

function optionOf(flags: string, text: string, { choices, repeated, required }: FlagRules = {}): Option {
  const option = new Option(flags, text);
  if (choices !== undefined) option.choices(choices);
  if (repeated === true)
    option.argParser<readonly string[]>((value: string, earlier: readonly string[] = []) => [...earlier, value]);
  return required === true ? option.makeOptionMandatory() : option;
}

/** Flags of every command. */
export const globalFlags: readonly Flag[] = [
  { heading: 'Output:' },
  ['-o, --output <form>', 'output format (default: text)', { choices: outputFormats }],
  ['--json', 'short for -o json'],
  () => selectOption(),
  ['--template <text>', 'fill in a template with result fields, such as "{{order.orderId}} {{status}}"'],
  ['--output-file <file>', 'write the result to this file, completely or not at all, instead of standard output'],
  ['--color', 'colour even without a terminal'],
  ['--no-color', 'no colour'],
  ['-q, --quiet', 'show only the result and errors'],
  () => new Option('-v, --verbose', 'show the HTTP exchange, card data masked').argParser(count),
];

function selectOption(): Option {
  const text = 'only these fields, as JSON unless -o says otherwise; --fields help lists them';
  return Object.assign(new Option('--fields <a,b>', text), { attributeName: () => 'select' });
}

/** Flags that say where to send and as whom. */
export const connectionFlags: readonly Flag[] = [
  { heading: 'Connection:' },
  ['-p, --profile <name>', 'the profile to use; see `paycli help profiles`'],
  ['--base-url <url>', 'base address of the gateway, including any path prefix'],
  ['--login <login>', 'merchant login'],
  ['--endpoint-id <id>', 'endpoint, or endpoint group'],
  ['--control-key-file <file>', 'file with the merchant control key (mode 0600); - is standard input'],
  ['--control-key-fd <number>', 'the same, from an open file descriptor'],
  ['--private-key-file <file>', 'file with the RSA private key (PEM, mode 0600); - is standard input'],
  ['--private-key-fd <number>', 'the same, from an open file descriptor'],
  ['--passphrase-file <file>', 'file with the passphrase of that key (mode 0600); - is standard input'],
  ['--passphrase-fd <number>', 'the same, from an open file descriptor'],
  ['--ca-file <file>', 'custom CA certificate (PEM)'],
];

/** Flags for fields that any operation has, besides one for each field. */
export const anyFieldFlags: readonly Flag[] = [
  { heading: 'Other fields:' },
  () => new Option('--field <name=value>', 'a field by its wire name; name=@file reads the value').argParser(collect),
  () => inputOption(),
  ['--allow-unknown-field', 'allow --field and --input to send fields that the operation does not have'],
  ['--no-input', 'never prompt for missing fields'],
];

/** The headings of flags that many commands have, with what they are about. `paycli help flags` explains them once. */
export const sharedHeadings: Readonly<Record<string, string>> = {
  'Other fields:': 'fields',
  'Connection:': 'profile, keys',
  'Output:': 'output',
};

/** True for a flag that the help of a command leaves to `paycli help flags`. */
export function isSharedFlag({ helpGroupHeading = '' }: Option): boolean {
  return Object.hasOwn(sharedHeadings, helpGroupHeading);
}

/** For commands that query the gateway. */
export const timeoutFlag: Flag = ['--timeout <time>', 'how long to wait for the first byte of a reply (60s)'];

/** For commands that use a live profile. */
export const liveFlag = ['--live', 'required to query or send with a live profile'] as const satisfies Flag;

const waitOfStatus =
  "wait for the final outcome of the order's last transaction, or of the one --by-serial names [A42]; the exit code reports it";

/** Flags of every command that sends an operation. */
export function addSendingOptions(command: Command, row: Operation): Command {
  command
    .optionsGroup('Sending:')
    .option('--dry-run', 'show the request and its signature; send nothing')
    .option(...liveFlag);
  const again = row.opens
    ? 'send it although an equal one was just made, or may have been'
    : 'send an identical request again on purpose';
  if (row.effect !== 'read') command.option('--again', again);
  if (row.withoutAmount === 'whole order' && 'amount' in row.fields)
    command.option('--all', 'the full remaining amount, instead of --amount');
  if (row.effect === 'money') {
    command
      .option('--confirm-login <login>', 'confirm a live payment in a script')
      .option('--no-status', 'send even though the outcome cannot be queried');
  }
  const isStatus = row.records.reply === 'StatusResponse';
  if (row.records.reply === 'AsyncResponse' || isStatus) {
    command
      .option('--wait', isStatus ? waitOfStatus : 'wait for the final outcome; the exit code reports it')
      .option('--wait-timeout <time>', 'with --wait: give up after this long (5m; sandbox 5s)')
      .option('--expect <status>', 'exit 0 on this final outcome, 11 on any other');
  }
  if (isStatus)
    command.option(
      '--via <ways>',
      'with --wait: callback, poll or both; with callback alone, the status is queried at the start, at each callback and at the end (callback,poll)',
    );
  if (row.records.reply === 'AsyncCheckoutFormRedirect')
    command.option('--open', 'open the page in a browser on this machine');
  return addFlags(command, [{ heading: 'Connection:' }, timeoutFlag]);
}

const cardFlags = [
  ['--test-card <name>', 'a published test card; see `paycli sandbox outcomes`'],
  ['--card-file <file>', 'card fields as JSON or name=value lines, mode 0600'],
  ['--card-fd <number>', 'the same, from an open file descriptor; 0 is standard input'],
] as const;

/** Adds the flags for the fields of a row and the general field flags. Returns field keys by option attribute. */
export function addFieldOptions(command: Command, row: Operation, assume: Assume): ReadonlyMap<string, string> {
  const keyByAttribute = new Map<string, string>();
  const add = (key: string, field: Field) => {
    const option = new Option(`${flagOf(key)} ${placeholderOf(field)}`, describe(row, key, field)).hideHelp(
      isForbidden(row, key) || isOutOfForce(field, assume),
    );
    keyByAttribute.set(option.attributeName(), key);
    command.addOption(option);
  };
  const fields = Object.entries(row.fields).filter(([key]) => !isFromProfile(key));
  const isOrder = (key: string) => !row.opens && 'orderId' in row.fields && ['orderId', 'clientOrderId'].includes(key);
  command.optionsGroup('Required fields:');
  for (const [key, field] of fields) if (field.need === 'required' && !isOrder(key)) add(key, field);
  command.optionsGroup('Order (one id is enough):');
  for (const [key, field] of fields) if (isOrder(key)) add(key, field);
  const { cardNumber } = row.fields;
  if (cardNumber !== undefined) {
    command.optionsGroup('Card:');
    for (const [flags, text] of cardFlags)
      command.addOption(new Option(flags, text).hideHelp(isOutOfForce(cardNumber, assume)));
  }
  if (hasPayer(row)) {
    command.optionsGroup('Payer:');
    command.option('--test-payer', 'fill in missing payer fields, on sandbox and test profiles');
  }
  command.optionsGroup('Optional fields:');
  for (const [key, field] of fields) if (field.need === 'optional' && !isOrder(key)) add(key, field);
  addFlags(command, anyFieldFlags);
  return keyByAttribute;
}

/** `--input FILE`. By default commander would store its value under the same name as that of --no-input. */
export function inputOption(): Option {
  const option = new Option('--input <file>', 'the fields as one JSON object; - is standard input');
  return Object.assign(option, { attributeName: () => 'inputFile' });
}

function describe(row: Operation, key: string, field: Field): string {
  const grounds = [
    field.basis,
    field.needBasis,
    field.when === undefined ? undefined : assumptionNamed(field.when.switch)?.id,
  ];
  const assumed = [...new Set(grounds.filter((ground) => ground !== undefined && ground !== 'stated'))];
  const basis = assumed.length === 0 ? '' : ` [${assumed.join(', ')}]`;
  const made = key === 'clientOrderId' && row.opens ? '; generated if omitted' : '';
  return `${field.meaning}${made}${basis}`;
}

/** `--profile` of a command that only reads local data: the profile's keys and address are not read. */
export function profileFilter(text: string): Flag {
  return ['-p, --profile <name>', text];
}

/** The options of a list, which PAYCLI_PROFILE filters as --profile does. */
export async function filteredBy<Options extends CommonOptions>(options: Options, { env }: Runtime): Promise<Options> {
  if (options.profile !== undefined || env['PAYCLI_PROFILE'] === undefined) return options;
  const { readEnvironment } = await import('../../config/environment.js');
  return { ...options, profile: readEnvironment(env).profile?.value };
}

/**
 * Accepts the name of a profile that has stored data, even if the profile is deleted by now, and of any usable profile.
 * Throws PROFILE_UNKNOWN for others.
 */
export async function checkFilter(
  profile: string | undefined,
  runtime: Runtime,
  isKept: (profile: string) => boolean,
): Promise<void> {
  if (profile === undefined || isKept(profile)) return;
  const { checkProfileName } = await import('../../config/index.js');
  await checkProfileName(profile, runtime);
}

/** The same for the profile of one plan. Throws USAGE where it is another profile's. */
export async function checkPlanFilter(
  profile: string | undefined,
  plan: PlanHead,
  command: string,
  runtime: Runtime,
): Promise<void> {
  await checkFilter(profile, runtime, (name) => name === plan.profile);
  if (profile !== undefined && profile !== plan.profile)
    throw fail('USAGE', {
      why: `plan ${plan.id} belongs to profile ${plan.profile}; name that one, or omit --profile`,
      plan: plan.id,
      profile: plan.profile,
      command,
    });
}

/** Asks a question on a terminal, with `no` chosen first. Throws INTERRUPTED when the user cancels. */
export async function saysYes(
  name: string,
  message: string,
  { color }: Pick<CommonOptions, 'color'>,
  runtime: Runtime,
): Promise<boolean> {
  const prompter = await runtime.prompter(color);
  return (await prompter.ask({ name, message, choices: ['no', 'yes'], initial: 'no' })) === 'yes';
}
