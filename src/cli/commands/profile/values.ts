import { nameProblem } from '../../../config/content.js';
import { readFlags } from '../../../config/flags.js';
import { readSecret } from '../../../config/index.js';
import { capsIn, endpointRules } from '../../../config/profile-entries.js';
import { profileClasses, type SecretSource } from '../../../config/settings.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import type { Question, Runtime } from '../../../runtime/ports.js';
import { kindOf } from '../../../spec/index.js';
import { parseBaseUrl, parseEndpointId } from '../../../wire/address.js';
import { Secret } from '../../../wire/mask.js';
import { mayPrompt } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';

export interface ValueOptions extends CommonOptions {
  readonly name?: string;
  readonly class?: string;
  readonly endpoint?: readonly string[];
  readonly maxAmount?: readonly string[];
}

/** The settings of a new profile, and its control key. */
export interface ProfileValues {
  readonly name: string;
  readonly class: string;
  readonly baseUrl: string;
  readonly login: string;
  readonly endpointId: string;
  /** Endpoint ids by currency, operation or operation/CURRENCY. */
  readonly endpoints: Readonly<Record<string, string>>;
  readonly maxAmount: readonly string[];
  /** Names of values that no flag gave: those of the replaced profile. */
  readonly fromPresent: readonly string[];
  readonly controlKey: Secret;
  /** Where the control key is stored, when it is that of the replaced profile. */
  readonly keptKey: SecretSource | undefined;
}

/** Returns why a text is not acceptable. */
export type Check = (text: string) => string | undefined;

/** Turns a parser of `wire/` into a check for a prompt. */
const parsing =
  (parse: (text: string) => unknown): Check =>
  (text) => {
    try {
      parse(text);
      return undefined;
    } catch (error) {
      return isPaycliError(error) ? error.message : 'is not valid';
    }
  };

const loginOf: Check = (text) => (kindOf('login').pattern.test(text) ? undefined : `use ${kindOf('login').form}`);

const valueQuestions = [
  {
    name: 'class',
    flag: '--class',
    message: 'class of the profile',
    choices: profileClasses,
    initial: 'test',
    check: () => undefined,
  },
  { name: 'name', flag: '--name', message: 'name of the profile', check: nameProblem },
  {
    name: 'base-url',
    flag: '--base-url',
    message: 'base address, including any path prefix',
    hint: 'https://gate.example/prefix',
    check: parsing(parseBaseUrl),
  },
  { name: 'login', flag: '--login', message: 'merchant login', hint: kindOf('login').placeholder, check: loginOf },
  { name: 'endpoint-id', flag: '--endpoint-id', message: 'endpoint id', hint: '4001', check: parsing(parseEndpointId) },
  {
    name: 'endpoints',
    flag: '--endpoint',
    message: 'other endpoints, if any',
    hint: 'none, or for example EUR=4002, payout=5001',
    check: (text) => readEndpoints(text).problems[0],
  },
  {
    name: 'max-amount',
    flag: '--max-amount',
    message: 'largest single payment',
    hint: 'no cap, or for example 500.00 EUR',
    isUpperCase: true,
    check: (text) => capProblem(listOf(text)),
  },
] as const satisfies readonly (Question & { readonly flag: string; readonly check: Check })[];

type ValueName = (typeof valueQuestions)[number]['name'];

const mayBeAbsent: readonly ValueName[] = ['endpoints', 'max-amount'];

interface ValuePrompts {
  /** For messages. */
  readonly command: string;
  /** The values of a replaced profile, kept where no flag gives them. */
  readonly present?: PresentValues;
  /** Whether these are prompted for as well, with the present value as default. */
  readonly asksPresent?: boolean;
  /** Optional values that are prompted for as well, where prompts are allowed. */
  readonly optional?: readonly ValueName[];
  /** Further checks of typed values. */
  readonly alsoCheck?: Readonly<Partial<Record<ValueName, Check>>>;
}

/**
 * Takes values from flags and prompts for the rest. Throws FIELD_INVALID, FIELD_MISSING (where prompts are not allowed)
 * or SECRET_UNREADABLE.
 */
export async function profileValues(
  options: ValueOptions,
  asking: ValuePrompts,
  report: Reporter,
  runtime: Runtime,
): Promise<ProfileValues> {
  const { command, optional = [], alsoCheck = {}, present = { values: {} }, asksPresent = false } = asking;
  const given = givenIn(options);
  const values = { ...(asksPresent ? {} : present.values), ...given };
  const fromPresent = Object.keys(values).filter((name) => !(name in given));
  checkGiven(values, command);
  const { controlKeyFile, controlKeyFd } = options;
  const source = readFlags({ controlKeyFile, controlKeyFd }, runtime.files).secrets['control-key'];
  const canAsk = mayPrompt(options, runtime);
  const isWanted = (name: ValueName) => (mayBeAbsent.includes(name) ? canAsk && optional.includes(name) : true);
  const missing = valueQuestions.filter(({ name }) => values[name] === undefined && isWanted(name));
  if (!canAsk) {
    const hasKey = source !== undefined || present.controlKey !== undefined;
    const flags = [...missing.map(({ flag }) => flag), ...(hasKey ? [] : ['--control-key-file'])];
    if (flags.length > 0) throw fail('FIELD_MISSING', { flags: flags.join(', '), command });
  }
  const read = async (from: SecretSource) => {
    const { secret, warning } = await readSecret(from, runtime);
    if (warning !== undefined) report.warn([warning]);
    return secret;
  };
  const givenKey = source === undefined ? undefined : await read(source);
  for (const item of missing) {
    const initial = present.values[item.name] ?? present.others?.[item.name];
    const question = withCheck(initial === undefined ? item : { ...item, initial }, alsoCheck[item.name]);
    values[item.name] = await prompt(question, options, runtime);
  }
  if (givenKey !== undefined) return { ...valuesOf(values, givenKey), fromPresent };
  const typed = present.controlKey === undefined || asksPresent ? await askForKey(asking, options, runtime) : '';
  if (typed !== '' || present.controlKey === undefined) return { ...valuesOf(values, new Secret(typed)), fromPresent };
  return { ...valuesOf(values, await read(present.controlKey), present.controlKey), fromPresent };
}

/** Empty to keep the key of the replaced profile. */
function askForKey({ present }: ValuePrompts, options: ValueOptions, runtime: Runtime): Promise<string> {
  const mayStay = present?.controlKey !== undefined;
  const check: Check = (text) => (mayStay && text === '' ? undefined : keyProblem(text));
  const message = mayStay ? 'merchant control key (empty: keep the current one)' : 'merchant control key';
  return prompt({ name: 'control-key', message, hidden: true, check }, options, runtime);
}

type Given = Partial<Record<ValueName, string | undefined>>;

/** The present values of a profile. */
export interface PresentValues {
  /** Values that every profile needs. */
  readonly values: Given;
  /** Other values, used as defaults of their prompts. */
  readonly others?: Given;
  readonly controlKey?: SecretSource | undefined;
}

function givenIn({ name, class: kind, baseUrl, login, endpointId, endpoint, maxAmount }: ValueOptions): Given {
  const given: Given = {
    class: kind,
    name,
    'base-url': baseUrl,
    login,
    'endpoint-id': endpointId,
    endpoints: endpoint?.join(','),
    'max-amount': maxAmount?.join(','),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function checkGiven(given: Given, command: string): void {
  const problems = valueQuestions.flatMap(({ name, flag, check }) => {
    const value = given[name];
    const why = value === undefined ? undefined : check(value);
    return why === undefined ? [] : [`${flag}: ${why}`];
  });
  if (problems.length > 0) throw fail('FIELD_INVALID', { problems: problems.join('; '), command });
}

function valuesOf(given: Given, controlKey: Secret, keptKey?: SecretSource): Omit<ProfileValues, 'fromPresent'> {
  const { class: kind = '', name = '', 'base-url': baseUrl = '', login = '', 'endpoint-id': endpointId = '' } = given;
  const endpoints = readEndpoints(given.endpoints ?? '').entries;
  return {
    class: kind,
    name,
    baseUrl,
    login,
    endpointId,
    endpoints,
    maxAmount: listOf(given['max-amount'] ?? ''),
    controlKey,
    keptKey,
  };
}

function withCheck(item: Question & { readonly check: Check }, also: Check | undefined): Question {
  return { ...item, check: (text) => item.check(text) ?? also?.(text) };
}

/** `EUR=4002, payout=5001` */
function readEndpoints(text: string): {
  readonly entries: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const entries: Record<string, string> = {};
  for (const part of listOf(text)) {
    const [, key = '', id = ''] = /^(\S+?)\s*=\s*(\S+)$/.exec(part) ?? [];
    const why = key === '' ? 'use KEY=ID, such as EUR=4002' : parsing(parseEndpointId)(id);
    if (why !== undefined) problems.push(why);
    else if (Object.hasOwn(entries, key)) problems.push(`${key} is given twice`);
    else entries[key] = id;
  }
  endpointRules(entries, ['endpoint'], '', problems);
  return { entries, problems };
}

function capProblem(texts: readonly string[]): string | undefined {
  const problems: string[] = [];
  if (texts.length > 0)
    capsIn(
      { 'max-amount': [...texts] },
      () => '',
      (_, why) => problems.push(why),
    );
  return problems[0];
}

export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

const keyProblem: Check = (text) =>
  text === '' ? 'it is empty' : text !== text.trim() ? 'it begins or ends with a space' : undefined;

/** Asks one question. Throws INTERRUPTED. */
export async function prompt(question: Question, { color }: CommonOptions, runtime: Runtime): Promise<string> {
  const { name, message, hint, hidden, isUpperCase, choices, initial, check } = question;
  const prompter = await runtime.prompter(color);
  return prompter.ask({
    name,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(hidden === undefined ? {} : { hidden }),
    ...(isUpperCase === undefined ? {} : { isUpperCase }),
    ...(choices === undefined ? {} : { choices }),
    ...(initial === undefined ? {} : { initial }),
    ...(check === undefined ? {} : { check }),
  });
}
