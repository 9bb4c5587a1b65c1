import { nameProblem } from '../../../config/content.js';
import { applyChanges } from '../../../config/edit.js';
import type { Layer } from '../../../config/layers.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import type { Question, Runtime } from '../../../runtime/ports.js';
import { kindOf } from '../../../spec/index.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';
import type { StoreName } from '../profile/key-store.js';
import { problemOf, type SettingFlags, type SettingKey, type SettingTexts, textsIn } from '../profile/settings.js';
import type { UserFile } from '../profile/user-file.js';

export type InitClass = 'test' | 'live';

export interface InitFlags extends CommonOptions, Omit<SettingFlags, keyof CommonOptions> {
  readonly name?: string;
  readonly class?: InitClass;
  readonly store?: StoreName;
  readonly replace?: boolean;
  readonly check?: boolean;
}

/** One run of the guided setup. */
export interface Guide {
  readonly options: InitFlags;
  readonly file: UserFile;
  readonly report: Reporter;
  readonly runtime: Runtime;
  /** What is missing, or is to be changed, is prompted for. */
  readonly canAsk: boolean;
}

/** Asks one question. Throws INTERRUPTED. */
export async function ask(question: Question, { options, runtime }: Guide): Promise<string> {
  return (await runtime.prompter(options.color)).ask(question);
}

const classes: Readonly<Record<InitClass, string>> = {
  test: 'a test gateway',
  live: 'a live gateway: real money',
};

/** What is asked after class and name. */
const questions: readonly (Question & { readonly name: SettingKey; readonly isOnlyLive?: true })[] = [
  { name: 'base-url', message: 'base address, including any path prefix', hint: 'https://gate.example/prefix' },
  { name: 'login', message: 'merchant login', hint: kindOf('login').placeholder },
  { name: 'endpoint-id', message: 'endpoint id', hint: '4001' },
  {
    name: 'max-amount',
    message: 'largest single payment',
    hint: 'no cap, or for example 500.00 EUR',
    isOnlyLive: true,
  },
];

const liveText =
  'A live gateway moves real money: every command with this profile needs --live, and every payment asks for the merchant login. A cap limits the cost of a single mistake.';

/** The profile as it was given, without its keys. */
export interface Described {
  readonly name: string;
  readonly class: string;
  readonly texts: SettingTexts;
}

/** Takes the settings from flags and asks for the rest. In a script `hasKey` says whether the control key is given. */
export async function describeProfile(guide: Guide, hasKey: boolean): Promise<Described> {
  const { options, report, canAsk } = guide;
  const given = textsIn(options);
  let kind: string | undefined = options.class ?? (canAsk ? await askClass(guide) : undefined);
  if (canAsk && kind === 'live') report.notes([liveText]);
  const name = options.name ?? (canAsk ? await askName(kind ?? '', guide) : undefined);
  const wrong = name === undefined ? undefined : nameRefusal(name, guide);
  if (wrong !== undefined) throw fail('USAGE', { why: `--name: ${wrong}` });
  const present = replacedLayer(name ?? '', guide);
  kind ??= present.class?.value;
  const wanted = questions.filter(
    ({ name: key, isOnlyLive = false }) =>
      given[key] === undefined && (canAsk ? !isOnlyLive || kind === 'live' : present[key] === undefined && !isOnlyLive),
  );
  const lacking = [
    ...(kind === undefined ? ['--class'] : []),
    ...(name === undefined ? ['--name'] : []),
    ...(canAsk ? [] : wanted.map((each) => `--${each.name}`)),
    ...(canAsk || hasKey || present['control-key'] !== undefined ? [] : ['--control-key-file']),
  ];
  if (lacking.length > 0 || kind === undefined || name === undefined)
    throw fail('FIELD_MISSING', { flags: lacking.join(', ') });
  const texts: Partial<Record<SettingKey, string>> = { ...given };
  for (const question of wanted) {
    const text = await askValue(question, { name, class: kind, texts }, present, guide);
    if (text.trim() !== '') texts[question.name] = text;
  }
  return { name, class: kind, texts };
}

/** Why a profile may not have this name. */
function nameRefusal(name: string, { file, options }: Guide): string | undefined {
  if (!file.current.profiles.has(name) || options.replace === true) return nameProblem(name);
  return `profile ${name} already exists in ${file.before.path}; --replace changes what is given and keeps the rest`;
}

/** What the profile to be replaced has; nothing where none is. */
export function replacedLayer(name: string, { file, options }: Guide): Layer {
  return options.replace === true ? (file.current.profiles.get(name) ?? {}) : {};
}

async function askClass(guide: Guide): Promise<InitClass> {
  const { common } = guide.file.current;
  const replaced = replacedLayer(guide.options.name ?? common.profile?.value ?? '', guide);
  const initial = classes[replaced.class?.value === 'live' ? 'live' : 'test'];
  const question = { name: 'class', message: 'which gateway', choices: Object.values(classes), initial };
  return (await ask(question, guide)) === classes.test ? 'test' : 'live';
}

function askName(kind: string, guide: Guide): Promise<string> {
  const { common, profiles } = guide.file.current;
  const usual = common.profile?.value ?? '';
  const isReplaced = guide.options.replace === true && profiles.has(usual);
  const check = (text: string) => nameRefusal(text, guide);
  return ask({ name: 'name', message: 'name of the profile', initial: isReplaced ? usual : kind, check }, guide);
}

function askValue(
  { name: key, isOnlyLive, ...question }: (typeof questions)[number],
  profile: Described,
  present: Layer,
  guide: Guide,
): Promise<string> {
  const { working: folder, home } = guide.runtime.files.folders;
  const check = (text: string) => {
    if (isOnlyLive && text.trim() === '') return undefined;
    return problemOf(key, text, { folder, home }) ?? (key === 'base-url' ? misfit(text, profile, guide) : undefined);
  };
  const old = present[key]?.value;
  const initial = old === undefined ? {} : { initial: Array.isArray(old) ? old.join(', ') : String(old) };
  return ask({ ...question, name: key, ...initial, check }, guide);
}

/** Whether an address fits the class is said at its own prompt and not after all of them. */
function misfit(address: string, { name, class: kind }: Described, { file, runtime }: Guide): string | undefined {
  try {
    const value = { class: kind, 'base-url': address };
    applyChanges(file.before, [{ path: ['profiles', name], value }], runtime.files);
    return undefined;
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    return error.code === 'PROFILE_CLASS_MISMATCH' ? error.message : undefined;
  }
}
