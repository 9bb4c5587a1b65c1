import { nameProblem } from '../../../config/content.js';
import { applyChanges, type Setting } from '../../../config/edit.js';
import { entryReaders } from '../../../config/entries.js';
import { entriesBelow, type Layer } from '../../../config/layers.js';
import { profileSettings } from '../../../config/settings.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import type { Question, Runtime } from '../../../runtime/ports.js';
import { kindOf } from '../../../spec/index.js';
import { type FlagsFor, list, mayPrompt, on, oneOf, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';
import { liveFlag, outputFlags } from '../../flags.js';
import { listIn, openUserFile, readTyped, type UserFile } from '../profile/user-file.js';

export interface InitFlags extends CommonOptions {
  readonly name?: string;
  readonly class?: string;
  readonly endpoint?: readonly string[];
  readonly maxAmount?: readonly string[];
  readonly store?: 'file' | 'keyring';
  readonly replace?: boolean;
  readonly check?: boolean;
  readonly yes?: boolean;
}

export const initFlags = {
  name: word('<name>', 'name of the profile: letters, digits, dots and dashes'),
  class: oneOf(
    ['sandbox', 'test', 'live'],
    '<class>',
    'class of the profile: the built-in sandbox, a test gateway or a live one',
  ),
  baseUrl: word('<url>', 'base address of the gateway, including any path prefix'),
  login: word('<login>', 'merchant login'),
  endpointId: word('<id>', 'endpoint, or endpoint group'),
  endpoint: list('<key=id>', 'another endpoint for a currency or an operation, such as EUR=4002; repeatable'),
  controlKeyFile: word(
    '<file>',
    'read the merchant control key from this file (mode 0600) and store it; - is standard input',
  ),
  controlKeyFd: word('<number>', 'read it from an open file descriptor'),
  store: oneOf(
    ['file', 'keyring'],
    '<store>',
    'where to store the control key: a file of its own beside the configuration (file)',
  ),
  privateKeyFile: word('<file>', 'the RSA private key (PEM, mode 0600); it stays where it is'),
  passphraseFile: word('<file>', 'the passphrase of that key; it stays where it is'),
  maxAmount: list('<amount>', 'largest single payment or return, such as "500.00 EUR"; once per currency'),
  replace: on('change the existing profile; settings not given are kept'),
  noCheck: on('do not check with the gateway at the end'),
  live: liveFlag,
  yes: on('ask only for missing values, without a final confirmation', { short: 'y' }),
  noInput: on('never prompt'),
  ...outputFlags,
} satisfies FlagsFor<InitFlags> & { readonly noCheck: unknown };

export const command = 'init';

/** One run of the guided setup. */
export interface Guide {
  readonly options: InitFlags;
  readonly file: UserFile;
  readonly report: Reporter;
  readonly runtime: Runtime;
  readonly canAsk: boolean;
  /** True when optional values and a final confirmation are prompted for as well. */
  readonly asksAll: boolean;
}

export function openGuide(options: InitFlags, report: Reporter, runtime: Runtime): Guide {
  const canAsk = mayPrompt(options, runtime);
  return { options, report, runtime, canAsk, file: openUserFile(runtime), asksAll: canAsk && options.yes !== true };
}

/** Returns why a text is not acceptable. */
export type Check = (text: string) => string | undefined;

/** Asks one question. Throws INTERRUPTED. */
export async function ask(question: Question, { options, runtime }: Guide): Promise<string> {
  return (await runtime.prompter(options.color)).ask(question);
}

export async function choose<const Word extends string>(
  guide: Guide,
  name: string,
  message: string,
  choices: Readonly<Record<Word, string>>,
  present?: Word,
): Promise<Word> {
  const words = Object.keys(choices) as Word[];
  const initial = choices[present ?? (words[0] as Word)];
  const answer = await ask({ name, message, choices: words.map((each) => choices[each]), initial }, guide);
  return words.find((each) => choices[each] === answer) as Word;
}

/** Throws CANCELLED when the user answers no. */
export async function confirm(guide: Guide, name = 'write', message = 'save this'): Promise<void> {
  if ((await choose(guide, name, message, { yes: 'yes', no: 'no' })) === 'no')
    throw fail('CANCELLED', { why: 'nothing was written', how: '`paycli init` asks again from the start' });
}

/** Turns what reads a setting into a check for a prompt. */
function checkBy(read: (text: string) => unknown): Check {
  return (text) => {
    try {
      read(text);
      return undefined;
    } catch (error) {
      if (isPaycliError(error)) return error.message;
      throw error;
    }
  };
}

const nowhere = { folder: '/', home: '/' };
const setting = (key: 'base-url' | 'login' | 'endpoint-id' | 'max-amount') =>
  checkBy((text) => profileSettings[key].read(key === 'max-amount' ? listIn(text) : text, nowhere));

/** What is asked after class and name. An optional one is asked for only where everything is. */
const questions = [
  {
    name: 'base-url',
    message: 'base address, including any path prefix',
    hint: 'https://gate.example/prefix',
    check: setting('base-url'),
  },
  { name: 'login', message: 'merchant login', hint: kindOf('login').placeholder, check: setting('login') },
  { name: 'endpoint-id', message: 'endpoint id', hint: '4001', check: setting('endpoint-id') },
  {
    name: 'endpoints',
    message: 'other endpoints, if any',
    hint: 'none, or for example EUR=4002, payout=5001',
    isOptional: true,
    check: (text) => readEndpoints(text).problems[0],
  },
  {
    name: 'max-amount',
    message: 'largest single payment',
    hint: 'no cap, or for example 500.00 EUR',
    isUpperCase: true,
    isOptional: true,
    check: (text) => (text.trim() === '' ? undefined : setting('max-amount')(text)),
  },
] as const satisfies readonly (Question & { readonly check: Check; readonly isOptional?: true })[];

type Key = (typeof questions)[number]['name'];
type Values = Partial<Record<Key | 'class' | 'name', string>>;

const checks: Readonly<Record<string, Check>> = {
  name: nameProblem,
  ...Object.fromEntries(questions.map(({ name, check }) => [name, check])),
};

const flagName = (key: string) => (key === 'endpoints' ? '--endpoint' : `--${key}`);

/** The profile as it was given, without its keys. */
export interface Described {
  readonly name: string;
  readonly class: string;
  readonly settings: Readonly<Record<string, Setting>>;
}

/**
 * Takes the settings from flags and asks for the rest; undefined for the built-in sandbox. In a script `hasKey` says
 * whether the control key is given or there.
 */
export async function describeProfile(guide: Guide, hasKey: boolean): Promise<Described | undefined> {
  const { options, report, canAsk, asksAll } = guide;
  const given = readGiven(options);
  if (asksAll) report.urgent([introText]);
  if (canAsk) given.class ??= await chooseClass(guide);
  if (given.class === 'sandbox') {
    assertNoConnection(options);
    return undefined;
  }
  if (asksAll && given.class === 'live') report.urgent([liveText]);
  if (canAsk) given.name ??= await askName(given.class ?? '', guide);
  const { name = '' } = given;
  const taken = nameTaken(name, guide);
  if (taken !== undefined) throw fail('USAGE', { why: taken, command });
  const present = presentValues(name, guide);
  const isThere = (key: string) => key in given || (!asksAll && key in present);
  const wanted = questions.filter((each) => {
    if (isThere(each.name)) return false;
    if (!('isOptional' in each)) return true;
    return asksAll && (each.name !== 'max-amount' || (given.class ?? present.class) === 'live');
  });
  if (!canAsk) {
    const lacking = [...['class', 'name'].filter((key) => !isThere(key)), ...wanted.map((each) => each.name)];
    const flags = [...lacking.map(flagName), ...(hasKey || present.key ? [] : ['--control-key-file'])];
    if (flags.length > 0) throw fail('FIELD_MISSING', { flags: flags.join(', '), command });
  }
  for (const question of wanted) given[question.name] = await askValue(question, given, present, guide);
  return { name, class: given.class ?? present.class ?? '', settings: readSettings(given) };
}

/** What the flags say. Throws FIELD_INVALID. */
function readGiven(options: InitFlags): Values {
  const { name, class: kind, baseUrl, login, endpointId, endpoint, maxAmount } = options;
  const given = {
    ...{ class: kind, name, 'base-url': baseUrl, login, 'endpoint-id': endpointId },
    ...{ endpoints: endpoint?.join(','), 'max-amount': maxAmount?.join(',') },
  };
  const set = Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  const problems = set.flatMap(([key, value]) => {
    const why = checks[key]?.(value);
    return why === undefined ? [] : [`${flagName(key)}: ${why}`];
  });
  if (problems.length > 0) throw fail('FIELD_INVALID', { problems: problems.join('; '), command });
  return Object.fromEntries(set);
}

/** As the file holds them. */
function readSettings({ name: _, endpoints = '', ...values }: Values): Readonly<Record<string, Setting>> {
  const { entries } = readEndpoints(endpoints);
  const ids = Object.entries(entries).map(([key, id]) => [key, readTyped('endpoints', id) as string | number] as const);
  const { 'max-amount': cap, ...rest } = Object.fromEntries(
    Object.entries(values).flatMap(([key, text]) => (text.trim() === '' ? [] : [[key, readTyped(key, text)]])),
  );
  return {
    ...rest,
    ...(ids.length === 0 ? {} : { endpoints: Object.fromEntries(ids) }),
    ...(cap === undefined ? {} : { 'max-amount': cap }),
  };
}

const introText =
  'A profile holds the address of a gateway, the merchant login and its keys. Ctrl-C cancels; nothing is saved until the end.';
const liveText =
  'A live gateway moves real money: every command with this profile needs --live, and every payment asks for the merchant login. A cap limits the cost of a single mistake.';

/** Why a new profile may not have this name. */
function nameTaken(name: string, { file, options }: Guide): string | undefined {
  if (!file.current.profiles.has(name) || options.replace === true) return undefined;
  return `profile ${name} already exists in ${file.before.path}; --replace changes what is given and keeps the rest`;
}

/** What the profile to be replaced has; nothing where none is. */
export function replacedLayer(name: string, { file, options }: Guide): Layer {
  return options.replace === true ? (file.current.profiles.get(name) ?? {}) : {};
}

function presentValues(name: string, guide: Guide): Values & { readonly key?: string } {
  const layer = replacedLayer(name, guide);
  const endpoints = entriesBelow(layer, 'endpoints').map(([key, { value }]) => `${key}=${value}`);
  const values = {
    ...{ class: layer.class?.value, 'base-url': layer['base-url']?.value, login: layer.login?.value },
    ...{ 'endpoint-id': layer['endpoint-id']?.value, 'max-amount': layer['max-amount']?.value.join(', ') },
    ...{ endpoints: endpoints.join(', ') || undefined, key: layer['control-key'] && 'there' },
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function chooseClass(guide: Guide): Promise<'sandbox' | 'test' | 'live'> {
  const { profiles, common } = guide.file.current;
  const replaced = guide.options.name ?? (guide.options.replace === true ? common.profile?.value : undefined) ?? '';
  const choices = {
    sandbox: 'the built-in sandbox: nothing to set up',
    test: 'a test gateway',
    live: 'a live gateway: real money',
  };
  return choose(guide, 'class', 'which gateway', choices, profiles.get(replaced)?.class?.value);
}

async function askName(kind: string, guide: Guide): Promise<string> {
  const { profiles, common } = guide.file.current;
  const ofClass = [...profiles].flatMap(([name, layer]) => (layer.class?.value === kind ? [name] : []));
  const replaced = ofClass.find((name) => name === common.profile?.value) ?? ofClass[0];
  const byLogin = `${guide.options.login ?? ''}-${kind}`;
  const stem = nameProblem(byLogin) === undefined ? byLogin : kind;
  let initial = stem;
  for (let count = 2; profiles.has(initial); count += 1) initial = `${stem}-${count}`;
  if (guide.options.replace === true && replaced !== undefined) initial = replaced;
  const check: Check = (text) => nameProblem(text) ?? nameTaken(text, guide);
  return ask({ name: 'name', message: 'name of the profile', initial, check }, guide);
}

function askValue(
  { check, ...question }: (typeof questions)[number],
  { name = '', class: kind = '' }: Values,
  present: Values,
  guide: Guide,
): Promise<string> {
  const { file, runtime } = guide;
  const initial = present[question.name];
  // Whether an address fits the class is said at its own prompt and not after all of them.
  const fits = checkBy((text) => {
    const value = { class: kind, 'base-url': text };
    applyChanges(file.before, [{ path: ['profiles', name], value }], runtime.files);
  });
  const misfit: Check = (text) => {
    const why = question.name === 'base-url' ? fits(text) : undefined;
    return why?.startsWith('profile ') === true ? why : undefined;
  };
  const all = { ...question, check: (text: string) => check(text) ?? misfit(text) };
  return ask(initial === undefined ? all : { ...all, initial }, guide);
}

/** `EUR=4002, payout=5001` */
function readEndpoints(text: string) {
  const problems: string[] = [];
  const entries: Record<string, string> = {};
  for (const part of listIn(text)) {
    const [, key = '', id = ''] = /^(\S+?)\s*=\s*(\S+)$/.exec(part) ?? [];
    const why =
      key === '' ? 'use KEY=ID, such as EUR=4002' : checkBy(() => entryReaders.endpoints(key).read(id, nowhere))(part);
    if (why !== undefined) problems.push(/^is /.test(why) ? `${key} ${why}` : why);
    else if (Object.hasOwn(entries, key)) problems.push(`${key} is given twice`);
    else entries[key] = id;
  }
  return { entries, problems };
}

/** Throws USAGE for flags that a sandbox cannot have. */
function assertNoConnection(options: InitFlags): void {
  const { name, baseUrl, login, endpointId, controlKeyFile, controlKeyFd } = options;
  if ([name, baseUrl, login, endpointId, controlKeyFile, controlKeyFd].some((value) => value !== undefined))
    throw fail('USAGE', {
      why: 'the built-in sandbox has its own login and keys and needs no profile: omit the other flags',
      command,
    });
}
