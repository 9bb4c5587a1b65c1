import { nameProblem } from '../../../config/content.js';
import { readFlags } from '../../../config/flags.js';
import { readSecret } from '../../../config/index.js';
import { capsIn, endpointRules } from '../../../config/profile-entries.js';
import { profileClasses } from '../../../config/settings.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import type { Question, Runtime } from '../../../runtime/ports.js';
import { kindOf } from '../../../spec/index.js';
import { parseBaseUrl, parseEndpointId } from '../../../wire/address.js';
import { Secret } from '../../../wire/secret.js';
import type { CommonOptions } from '../../core/options.js';
import type { Reporter } from '../../core/reporter.js';
import { mayPrompt } from '../../core/resolve-fields.js';

export interface ValueOptions extends CommonOptions {
  readonly name?: string;
  readonly class?: string;
  readonly endpoint?: readonly string[];
  readonly maxAmount?: readonly string[];
}

/** What a new profile says, and its control key. */
export interface ProfileValues {
  readonly name: string;
  readonly class: string;
  readonly baseUrl: string;
  readonly login: string;
  readonly endpointId: string;
  /** Endpoint ids by currency, operation or operation/CURRENCY. */
  readonly endpoints: Readonly<Record<string, string>>;
  readonly maxAmount: readonly string[];
  readonly controlKey: Secret;
}

/** The reason a text is not acceptable. */
export type Check = (text: string) => string | undefined;

/** A parser of `wire/` as a question's check. */
const parsing =
  (parse: (text: string) => unknown): Check =>
  (text) => {
    try {
      parse(text);
      return undefined;
    } catch (error) {
      return isPaycliError(error) ? error.message : 'is not usable';
    }
  };

const loginOf: Check = (text) => (kindOf('login').pattern.test(text) ? undefined : `must be ${kindOf('login').form}`);

const valueQuestions = [
  {
    name: 'class',
    flag: '--class',
    message: 'what kind of gateway it is',
    choices: profileClasses,
    initial: 'test',
    check: () => undefined,
  },
  { name: 'name', flag: '--name', message: 'name of the profile', check: nameProblem },
  {
    name: 'base-url',
    flag: '--base-url',
    message: 'base address, path prefix included',
    hint: 'https://gate.example/prefix',
    check: parsing(parseBaseUrl),
  },
  { name: 'login', flag: '--login', message: 'merchant login', hint: kindOf('login').placeholder, check: loginOf },
  { name: 'endpoint-id', flag: '--endpoint-id', message: 'endpoint id', hint: '4001', check: parsing(parseEndpointId) },
  {
    name: 'endpoints',
    flag: '--endpoint',
    message: 'other endpoints, if any',
    hint: 'none, or such as EUR=4002, payout=5001',
    check: (text) => readEndpoints(text).problems[0],
  },
  {
    name: 'max-amount',
    flag: '--max-amount',
    message: 'largest single payment',
    hint: 'no cap, or such as 500.00 EUR',
    check: (text) => capProblem(listOf(text)),
  },
] as const satisfies readonly (Question & { readonly flag: string; readonly check: Check })[];

type ValueName = (typeof valueQuestions)[number]['name'];

const mayBeAbsent: readonly ValueName[] = ['endpoints', 'max-amount'];

interface ValuePrompts {
  /** For messages. */
  readonly command: string;
  /** What stays as it is where no flag gives it, and is not asked for. */
  readonly present?: Given;
  /** What may be absent and is asked for all the same, where anybody can be asked. */
  readonly optional?: readonly ValueName[];
  /** Further checks of what is typed. */
  readonly alsoCheck?: Readonly<Partial<Record<ValueName, Check>>>;
}

/**
 * The values from flags, the rest from the user. Throws FIELD_INVALID, FIELD_MISSING (where nobody can be asked) or
 * SECRET_UNREADABLE.
 */
export async function profileValues(
  options: ValueOptions,
  asking: ValuePrompts,
  report: Reporter,
  runtime: Runtime,
): Promise<ProfileValues> {
  const { command, optional = [], alsoCheck = {}, present = {} } = asking;
  const values = { ...present, ...givenIn(options) };
  checkGiven(values, command);
  const { controlKeyFile, controlKeyFd } = options;
  const source = readFlags({ controlKeyFile, controlKeyFd }, runtime.files).secrets['control-key'];
  const canAsk = mayPrompt(options, runtime);
  const isWanted = (name: ValueName) => (mayBeAbsent.includes(name) ? canAsk && optional.includes(name) : true);
  const missing = valueQuestions.filter(({ name }) => values[name] === undefined && isWanted(name));
  if (!canAsk) {
    const flags = [...missing.map(({ flag }) => flag), ...(source === undefined ? ['--control-key-file'] : [])];
    if (flags.length > 0) throw fail('FIELD_MISSING', { flags: flags.join(', '), command });
  }
  const key = source === undefined ? undefined : await readSecret(source, runtime);
  if (key?.warning !== undefined) report.warn([key.warning]);
  for (const item of missing) values[item.name] = await prompt(withCheck(item, alsoCheck[item.name]), options, runtime);
  return valuesOf(values, key?.secret ?? new Secret(await prompt(keyQuestion, options, runtime)));
}

type Given = Partial<Record<ValueName, string | undefined>>;

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

function valuesOf(given: Given, controlKey: Secret): ProfileValues {
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
    const why = key === '' ? 'must be written like EUR=4002' : parsing(parseEndpointId)(id);
    if (why !== undefined) problems.push(why);
    else if (Object.hasOwn(entries, key)) problems.push(`${key} is there twice`);
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

const keyQuestion: Question = {
  name: 'control-key',
  message: 'merchant control key',
  hidden: true,
  check: (text) => (text === '' ? 'it is empty' : text !== text.trim() ? 'it begins or ends with a blank' : undefined),
};

/** Asks one question. Throws INTERRUPTED. */
export async function prompt(question: Question, { color }: CommonOptions, runtime: Runtime): Promise<string> {
  const { name, message, hint, hidden, choices, initial, check } = question;
  const prompter = await runtime.prompter(color);
  return prompter.ask({
    name,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(hidden === undefined ? {} : { hidden }),
    ...(choices === undefined ? {} : { choices }),
    ...(initial === undefined ? {} : { initial }),
    ...(check === undefined ? {} : { check }),
  });
}
