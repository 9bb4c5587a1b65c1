import { nameProblem } from '../../../config/content.js';
import { applyChanges } from '../../../config/edit.js';
import { entryReaders } from '../../../config/entries.js';
import { readFlags } from '../../../config/given.js';
import { readSecret } from '../../../config/index.js';
import { entriesBelow, type profileClasses, profileSettings, type SecretSource } from '../../../config/settings.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import type { Question } from '../../../runtime/ports.js';
import { kindOf } from '../../../spec/index.js';
import { listOf, settingsIn } from '../profile/user-file.js';
import { chooseRsaKey, chooseStore, typedKey } from './ask-keys.js';
import { type Answers, ask, type Check, choose, command, type Guide, type InitFlags } from './guide.js';

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
  checkBy((text) => profileSettings[key].read(key === 'max-amount' ? listOf(text) : text, nowhere));

const questions = [
  { name: 'class', message: 'class of the profile', check: () => undefined },
  { name: 'name', message: 'name of the profile', check: nameProblem },
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
    check: (text) => endpointsIn(text).problems[0],
  },
  {
    name: 'max-amount',
    message: 'largest single payment',
    hint: 'no cap, or for example 500.00 EUR',
    isUpperCase: true,
    check: (text) => (text.trim() === '' ? undefined : setting('max-amount')(text)),
  },
] as const satisfies readonly (Question & { readonly check: Check })[];

type ValueName = (typeof questions)[number]['name'];
type Values = Partial<Record<ValueName, string>>;

const optional: readonly ValueName[] = ['endpoints', 'max-amount'];
const flagNames: Partial<Record<ValueName, string>> = { endpoints: '--endpoint' };

/** Takes values from flags and prompts for the rest; undefined for the built-in sandbox. */
export async function gatherAnswers(guide: Guide): Promise<Answers | undefined> {
  const { options, report, runtime, canAsk, asksAll } = guide;
  const given = givenValues(options);
  assertValid(given);
  if (asksAll) hint(introText, guide);
  if (canAsk) given.class ??= await chooseClass(guide);
  if (given.class === 'sandbox') {
    assertNoConnection(options);
    return undefined;
  }
  if (asksAll && given.class === 'live') hint(liveText, guide);
  if (canAsk) given.name ??= await askName(given.class ?? '', guide);
  const { name = '' } = given;
  const taken = nameTaken(name, guide);
  if (taken !== undefined) throw fail('USAGE', { why: taken, command });
  const present = presentValues(name, guide);
  const values: Values = { ...(asksAll ? {} : present.values), ...given };
  const fromPresent = Object.keys(values).filter((key) => !(key in given));
  const wanted = questions.filter((each) => values[each.name] === undefined && isWanted(each.name, values, asksAll));
  const flags = { controlKeyFile: options.controlKeyFile, controlKeyFd: options.controlKeyFd };
  const source = readFlags(flags, runtime.files)['control-key']?.value;
  if (!canAsk) {
    const lacking = wanted.map((each) => flagNames[each.name] ?? `--${each.name}`);
    if (source === undefined && present.key === undefined) lacking.push('--control-key-file');
    if (lacking.length > 0) throw fail('FIELD_MISSING', { flags: lacking.join(', '), command });
  }
  const read = async (from: SecretSource) => {
    const { secret, warning } = await readSecret(from, runtime);
    if (warning !== undefined) report.warn([warning]);
    return secret;
  };
  const givenKey = source === undefined ? undefined : await read(source);
  for (const question of wanted) values[question.name] = await askValue(question, values, present.all, guide);
  const typed = givenKey ?? (await typedKey(present.key, guide));
  const keptKey = typed === undefined ? present.key : undefined;
  const controlKey = typed ?? (await read(present.key as SecretSource));
  const store = keptKey !== undefined && options.store === undefined ? undefined : await chooseStore(name, guide);
  return {
    ...{ name, class: values.class ?? '', baseUrl: values['base-url'] ?? '', login: values.login ?? '' },
    ...{ endpointId: values['endpoint-id'] ?? '', endpoints: values.endpoints ?? '', fromPresent },
    ...{ maxAmount: listOf(values['max-amount'] ?? ''), controlKey, keptKey, store },
    rsa: await chooseRsaKey(name, guide),
  };
}

function givenValues(options: InitFlags): Values {
  const { name, class: kind, baseUrl, login, endpointId, endpoint, maxAmount } = options;
  const given = {
    ...{ class: kind, name, 'base-url': baseUrl, login, 'endpoint-id': endpointId },
    ...{ endpoints: endpoint?.join(','), 'max-amount': maxAmount?.join(',') },
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function assertValid(given: Values): void {
  const problems = questions.flatMap(({ name, check }) => {
    const value = given[name];
    const why = value === undefined ? undefined : check(value);
    return why === undefined ? [] : [`${flagNames[name] ?? `--${name}`}: ${why}`];
  });
  if (problems.length > 0) throw fail('FIELD_INVALID', { problems: problems.join('; '), command });
}

function isWanted(name: ValueName, values: Values, asksAll: boolean): boolean {
  if (!optional.includes(name)) return true;
  return asksAll && (name !== 'max-amount' || values.class === 'live');
}

const introText =
  'A profile holds the address of a gateway, the merchant login and its keys. Ctrl-C cancels; nothing is saved until the end.';
const liveText =
  'A live gateway moves real money: every command with this profile needs --live, and every payment asks for the merchant login. A cap limits the cost of a single mistake.';

function hint(text: string, { report }: Guide): void {
  report.urgent([text]);
}

/** Why a new profile may not have this name. */
function nameTaken(name: string, { file, options }: Guide): string | undefined {
  if (!file.current.profiles.has(name) || options.replace === true) return undefined;
  return `profile ${name} already exists in ${file.before.path}; --replace changes what is given and keeps the rest`;
}

/** What the replaced profile has: the values every profile needs, all values as texts, and its control key. */
function presentValues(name: string, { file, options }: Guide) {
  const layer = options.replace === true ? (file.current.profiles.get(name) ?? {}) : {};
  const entries = settingsIn(file.before.data, name);
  const values: Values = Object.fromEntries(
    (['class', 'base-url', 'login', 'endpoint-id'] as const).flatMap((key) =>
      layer[key] === undefined ? [] : [[key, String(entries[key])]],
    ),
  );
  const endpoints = entriesBelow(layer, 'endpoints').map(([key, { value }]) => `${key}=${value}`);
  const caps = layer['max-amount']?.value;
  const all: Values = {
    ...values,
    ...(endpoints.length === 0 ? {} : { endpoints: endpoints.join(', ') }),
    ...(caps === undefined ? {} : { 'max-amount': caps.join(', ') }),
  };
  return { values, all, key: layer['control-key']?.value };
}

async function chooseClass(guide: Guide): Promise<string> {
  const { profiles, common } = guide.file.current;
  const replaced = guide.options.name ?? (guide.options.replace === true ? common.profile?.value : undefined) ?? '';
  const choices = [
    ['sandbox', 'the built-in sandbox: nothing to set up'],
    ['test', 'a test gateway'],
    ['live', 'a live gateway: real money'],
  ] as const satisfies readonly (readonly [(typeof profileClasses)[number], string])[];
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

async function askValue(
  { name, check, ...question }: Question & { readonly name: ValueName; readonly check: Check },
  values: Values,
  present: Values,
  guide: Guide,
): Promise<string> {
  const initial = present[name];
  const also: Check = name === 'base-url' ? (text) => classProblem(text, values, guide) : () => undefined;
  return ask(
    {
      ...{ name, ...question, check: (text: string) => check(text) ?? also(text) },
      ...(initial === undefined ? {} : { initial }),
    },
    guide,
  );
}

/** Whether an address fits the class, at its own prompt and not after all of them. */
function classProblem(baseUrl: string, { name = '', class: kind }: Values, { file, runtime }: Guide) {
  const value = { class: kind ?? '', 'base-url': baseUrl };
  const why = checkBy(() => applyChanges(file.before, [{ path: ['profiles', name], value }], runtime.files))(baseUrl);
  return why?.startsWith('profile ') === true ? why : undefined;
}

/** `EUR=4002, payout=5001` */
export function endpointsIn(text: string) {
  const problems: string[] = [];
  const entries: Record<string, string> = {};
  for (const part of listOf(text)) {
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
