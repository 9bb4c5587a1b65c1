import { type Command, Option } from 'commander';
import type { PlanHead } from '../../batch/plan.js';
import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Assume, assumptionNamed } from '../../spec/assumptions.js';
import type { Field, Operation } from '../../spec/index.js';
import { isOutOfForce } from '../../wire/check.js';
import { type Flag as DeclaredFlag, type Flags, flagOf, longName } from '../command.js';
import { hasPayer } from '../fields/card.js';
import {
  cardFlags,
  connectionFlags as declaredConnection,
  liveFlag as declaredLive,
  timeoutFlag as declaredTimeout,
  fieldSourceFlags,
  isForbidden,
  isFromProfile,
  outputFlags,
  placeholderOf,
  sendingFlags,
  testPayer,
} from '../flags.js';
import type { CommonOptions } from './common-options.js';

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

/** Declared flags, as a command that is not declared yet takes them. */
export function plainFlags(flags: Flags): Flag[] {
  return Object.entries(flags).flatMap(([key, flag]) => [
    { heading: flag.heading ?? 'Flags:' },
    () => plainOption(key, flag),
  ]);
}

function plainOption(key: string, flag: DeclaredFlag): Option {
  const { value, text, short, choices, parse } = flag;
  const names = `${short === undefined ? '' : `-${short}, `}${longName(key, flag)}`;
  const option = new Option(value === undefined ? names : `${names} ${value}`, text);
  if (choices !== undefined) option.choices(choices);
  if (parse !== undefined) option.argParser(parse);
  return option.negate ? option : Object.assign(option, { attributeName: () => key });
}

/** Flags of every command. */
export const globalFlags = plainFlags(outputFlags);

/** Flags that say where to send and as whom. */
export const connectionFlags = plainFlags(declaredConnection);

/** Flags for fields that any operation has, besides one for each field. */
export const anyFieldFlags = plainFlags(fieldSourceFlags);

/** For commands that query the gateway. */
export const timeoutFlag: Flag = () => plainOption('timeout', declaredTimeout);

/** For commands that use a live profile. */
export const liveFlag: Flag = () => plainOption('live', declaredLive);

/** Flags of every command that sends an operation. */
export function addSendingOptions(command: Command, row: Operation): Command {
  return addFlags(command, plainFlags(sendingFlags(row)));
}

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
    for (const [key, flag] of Object.entries(cardFlags))
      command.addOption(plainOption(key, flag).hideHelp(isOutOfForce(cardNumber, assume)));
  }
  if (hasPayer(row)) {
    command.optionsGroup('Payer:');
    command.addOption(plainOption('testPayer', testPayer));
  }
  command.optionsGroup('Optional fields:');
  for (const [key, field] of fields) if (field.need === 'optional' && !isOrder(key)) add(key, field);
  addFlags(command, anyFieldFlags);
  return keyByAttribute;
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
  const { readEnvironment } = await import('../../config/given.js');
  return { ...options, profile: readEnvironment(env).layer.profile?.value };
}

/**
 * Accepts the name of a profile that has stored data, even if the profile is deleted by now, and of any usable profile.
 * Throws PROFILE_UNKNOWN for others.
 */
export async function checkFilter(
  profile: string | undefined,
  runtime: Runtime,
  isKept: (profile: string) => boolean | Promise<boolean>,
): Promise<void> {
  if (profile === undefined || (await isKept(profile))) return;
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
