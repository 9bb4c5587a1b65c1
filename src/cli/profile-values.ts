import { profileClasses } from '../config/draft.js';
import { readFlags } from '../config/flags.js';
import { readSecret } from '../config/index.js';
import { fail, isPaycliError } from '../errors/index.js';
import type { Question, Runtime } from '../runtime/ports.js';
import { kindOf } from '../spec/index.js';
import { parseBaseUrl, parseEndpointId } from '../wire/address.js';
import { Secret } from '../wire/secret.js';
import type { CommonOptions } from './options.js';
import type { Reporter } from './reporter.js';
import { mayAsk } from './resolve.js';

export interface ValueOptions extends CommonOptions {
  readonly class?: string;
}

/** What a new profile must say, and its control key. */
export interface ProfileValues {
  readonly class: string;
  readonly baseUrl: string;
  readonly login: string;
  readonly endpointId: string;
  readonly controlKey: Secret;
}

type Check = (text: string) => string | undefined;

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

const asked = [
  {
    name: 'class',
    flag: '--class',
    message: 'what kind of gateway it is',
    choices: profileClasses,
    initial: 'test',
    check: () => undefined,
  },
  {
    name: 'base-url',
    flag: '--base-url',
    message: 'base address, path prefix included',
    hint: 'https://gate.example/prefix',
    check: parsing(parseBaseUrl),
  },
  { name: 'login', flag: '--login', message: 'merchant login', hint: kindOf('login').placeholder, check: loginOf },
  { name: 'endpoint-id', flag: '--endpoint-id', message: 'endpoint id', hint: '4001', check: parsing(parseEndpointId) },
] as const satisfies readonly (Question & { readonly flag: string; readonly check: Check })[];

type Name = (typeof asked)[number]['name'];

/** The values from flags, the rest from the user. Throws FIELD_INVALID, FIELD_MISSING (where nobody can be asked) or SECRET_UNREADABLE. */
export async function profileValues(options: ValueOptions, command: string, report: Reporter, runtime: Runtime): Promise<ProfileValues> {
  const given: Partial<Record<Name, string | undefined>> = {
    class: options.class,
    'base-url': options.baseUrl,
    login: options.login,
    'endpoint-id': options.endpointId,
  };
  const problems = asked.flatMap(({ name, flag, check }) => {
    const value = given[name];
    const why = value === undefined ? undefined : check(value);
    return why === undefined ? [] : [`${flag}: ${why}`];
  });
  if (problems.length > 0) throw fail('FIELD_INVALID', { problems: problems.join('; '), command });
  const { controlKeyFile, controlKeyFd } = options;
  const source = readFlags({ controlKeyFile, controlKeyFd }, runtime.files).secrets['control-key'];
  const missing = asked.filter(({ name }) => given[name] === undefined);
  if (!mayAsk(options, runtime)) {
    const flags = [...missing.map(({ flag }) => flag), ...(source === undefined ? ['--control-key-file'] : [])];
    if (flags.length > 0) throw fail('FIELD_MISSING', { flags: flags.join(', '), command });
  }
  const key = source === undefined ? undefined : await readSecret(source, runtime);
  if (key?.warning !== undefined) report.warn([key.warning]);
  const values = { ...given };
  for (const question of missing) values[question.name] = await ask(question, options, runtime);
  const controlKey = key?.secret ?? new Secret(await ask(keyQuestion, options, runtime));
  const { class: kind = '', 'base-url': baseUrl = '', login = '', 'endpoint-id': endpointId = '' } = values;
  return { class: kind, baseUrl, login, endpointId, controlKey };
}

const keyQuestion: Question = {
  name: 'control-key',
  message: 'merchant control key',
  hidden: true,
  check: (text) => (text === '' ? 'it is empty' : text !== text.trim() ? 'it begins or ends with a blank' : undefined),
};

async function ask(question: Question, { color }: ValueOptions, runtime: Runtime): Promise<string> {
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
