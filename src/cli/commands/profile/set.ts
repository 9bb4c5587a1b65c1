import type { ConfigContent } from '../../../config/content.js';
import { applyChanges, type Change, readUserFile, type Setting, writeUserFile } from '../../../config/edit.js';
import { printableName } from '../../../config/file-access.js';
import { builtInSandbox, loadProfile } from '../../../config/index.js';
import { isMapping, nameOf } from '../../../config/sanitize.js';
import { profileKeys } from '../../../config/schema.js';
import {
  fail,
  ifInterrupted,
  isPaycliError,
  type PaycliError,
  problemsText,
  shellWord,
  suggest,
} from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { assumptionNamed, isFixedAssumption, mayBe } from '../../../spec/index.js';
import { mayPrompt, saysYes } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { Reporter } from '../../core/reporter.js';
import { suggestAssumption } from '../assumptions/list.js';
import { idOf } from './save.js';
import { openUserProfile, overridesDefault, type UserProfile } from './user-profile.js';
import { listOf } from './values.js';

interface SetOptions extends CommonOptions {
  readonly default?: boolean;
  readonly assume?: readonly string[];
  readonly yes?: boolean;
}

const command = 'profile set';

export const profileSet = defineCommand<SetOptions>({
  name: command,
  summary: 'Change a profile in the user file, its assumptions, or which one is the default',
  help: `Change a profile in the user file, its assumptions, or which one is the default

The settings are named as in the file: base-url, login, endpoint-id, endpoints.EUR, max-amount, redirect-url, defaults.order-desc and so on; see \`paycli help profiles\`. KEY= removes a setting. Invalid values are rejected before anything is written. To replace secrets, use \`paycli profile set-key\`.`,
  args: [
    ['<profile>', 'a profile of the user file; with --default also sandbox'],
    ['[settings...]', 'KEY=VALUE, one or more; the values of a list are separated by commas: KEY=A,B'],
  ],
  options: [
    ['--default', 'make it the default profile'],
    [
      '--assume <id=value>',
      'set an assumption, by its id or switch; ID= resets it to its default; repeatable',
      { repeated: true },
    ],
    ['--yes', 'do not ask for confirmation with a live profile'],
    ['--no-input', 'never prompt'],
  ],
  examples: [
    'profile set shop-test --default',
    'profile set shop-test endpoint-id=4002 endpoints.EUR=4003',
    'profile set shop-test max-amount="500.00 EUR,400.00 USD"',
    'profile set shop-test endpoints.EUR=',
    'profile set shop-test --assume A03=minor --assume control-encoding=hex-upper',
  ],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'refusedHere', 'interrupted'],
  prints: ['profile-set'],
  run: ({ args: [name = ''], words, options, runtime }) => runProfileSet(name, words, options, runtime),
});

/** One setting to change; without a value it is removed. */
interface SettingChange {
  readonly key: string;
  /** Within `endpoints`, `defaults` or `assume`. */
  readonly inner: string | undefined;
  readonly value: Setting | undefined;
}

async function runProfileSet(
  name: string,
  given: readonly string[],
  options: SetOptions,
  runtime: Runtime,
): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const requested = [...parseChanges(given), ...parseAssumptions(options.assume ?? [])];
  if (requested.length === 0 && options.default !== true)
    throw fail('USAGE', { why: 'use KEY=VALUE, --assume ID=VALUE or --default', command });
  if (requested.length > 0 && name === builtInSandbox)
    throw fail('USAGE', {
      why: 'the built-in sandbox has no profile, and uses every default; `paycli sandbox start --assume SWITCH=VALUE` starts one that does not, and `paycli profile add` makes a profile for its address',
      command,
    });
  const profile = name === builtInSandbox ? undefined : openUserProfile(name, runtime);
  const before = profile?.before ?? readUserFile(runtime.files);
  const settings = profile === undefined ? {} : settingsOf(requested, profile);
  const wasDefault = profile?.current.defaultProfile?.value === name;
  // A live profile becomes the default only by --default.
  const losesDefault =
    options.default !== true && wasDefault && settings['class'] === 'live' && profile?.content.class !== 'live';
  const changes: Change[] = [
    ...Object.entries(settings).map(([key, value]) => ({ path: ['profiles', name, key], value }) as const),
    ...(losesDefault ? [{ path: ['default-profile'] } as const] : []),
    ...(options.default === true ? [{ path: ['default-profile'], value: name } as const] : []),
  ];
  const after = applyChanges(before, changes, runtime.files, (_, problems) => invalidSettings(name, problems));
  if (profile?.content.class === 'live' && requested.length > 0 && options.yes !== true)
    await confirm(profile, requested, options, runtime);
  writeUserFile(after, runtime.files);
  const changed = requested.map(nameIn);
  const removed = requested.filter(({ value }) => value === undefined).map(nameIn);
  const isDefault = after.content.defaultProfile?.value === name;
  await report.show({
    document: { schema: 'paycli.profile-set/1', profile: name, file: after.path, changed, isDefault },
    text: () => {
      const set = changed.filter((each) => !removed.includes(each));
      const words = [
        set.length > 0 ? `${set.join(', ')} changed` : '',
        removed.length > 0 ? `${removed.join(', ')} removed` : '',
        options.default === true ? 'it is now the default' : '',
      ];
      return `profile ${name}: ${words.filter((word) => word !== '').join('; ')} (${after.path})\n`;
    },
  });
  const needed = removed.filter((key) => ['base-url', 'login'].includes(key));
  if (needed.length > 0)
    report.warn([`profile ${name} cannot be used without ${needed.map((key) => `--${key}`).join(' and ')} now`]);
  if (losesDefault)
    report.warn([
      `profile ${name} is live now, so it is no longer the default; \`paycli profile set ${name} --default\` makes it the default again`,
    ]);
  if (options.default === true) await warnOfDefault(name, after.content, report, runtime);
  return 0;
}

async function warnOfDefault(name: string, content: ConfigContent, report: Reporter, runtime: Runtime): Promise<void> {
  const fault = await faultOf(name, runtime);
  if (fault !== undefined) report.warn([`every command that uses it will fail: ${fault.message}; ${fault.next}`]);
  else if (content.profiles.get(name)?.class === 'live')
    report.warn([
      `profile ${name} is live and moves real money: every command that queries or sends with it needs --live`,
    ]);
  const overriddenBy = await overridesDefault(name, runtime);
  if (overriddenBy !== undefined) report.warn([`it has no effect here, because it is overridden by ${overriddenBy}`]);
}

/** Why no command can use this profile, such as a class that does not fit its address. */
async function faultOf(name: string, runtime: Runtime): Promise<PaycliError | undefined> {
  try {
    await loadProfile({ profile: name }, runtime);
    return undefined;
  } catch (error) {
    if (isPaycliError(error)) return error;
    throw error;
  }
}

function nameIn({ key, inner }: SettingChange): string {
  return inner === undefined ? key : `${key}.${inner}`;
}

/** Parses `ID=VALUE` or `SWITCH=VALUE`. Throws FIELD_INVALID with all mistakes. */
function parseAssumptions(given: readonly string[]): readonly SettingChange[] {
  const problems: string[] = [];
  const requested = given.flatMap((text): SettingChange[] => {
    const cut = text.indexOf('=');
    const name = cut < 1 ? '' : text.slice(0, cut);
    const value = text.slice(cut + 1);
    const assumption = assumptionNamed(name);
    const why = cut < 1 ? `${text.slice(0, 40)} is not ID=VALUE` : assumptionProblem(name, value);
    if (why !== undefined) problems.push(why);
    if (assumption === undefined || why !== undefined) return [];
    return [{ key: 'assume', inner: assumption.switch, value: value === '' ? undefined : value }];
  });
  problems.push(...givenTwice(requested.map(({ inner = '' }) => inner)));
  if (problems.length > 0)
    throw fail('FIELD_INVALID', { problems: `nothing was changed: ${problemsText(problems)}`, command });
  return requested;
}

function assumptionProblem(name: string, value: string): string | undefined {
  const assumption = assumptionNamed(name);
  if (isFixedAssumption(name)) return `${name} cannot be switched; see \`paycli help assumptions\``;
  if (assumption === undefined) return `there is no assumption ${name.slice(0, 40)}${suggestAssumption(name)}`;
  if (value === '' || mayBe(assumption, value)) return undefined;
  const values = [assumption.default, ...assumption.others];
  return `${assumption.switch}: use one of ${values.join(', ')}${suggest(value, values)}`;
}

function givenTwice(names: readonly string[]): string[] {
  return [...new Set(names.filter((each, at) => names.indexOf(each) !== at))].map((name) => `${name} is given twice`);
}

const mappings = ['endpoints', 'defaults'];
const secretKeys = /^(?:control-key|private-key|passphrase)(?:-(?!since$)|$)/;

/** Parses the settings. Throws FIELD_INVALID with all mistakes in them. */
function parseChanges(given: readonly string[]): readonly SettingChange[] {
  const problems: string[] = [];
  const requested = given.flatMap((text, at): SettingChange[] => {
    const cut = text.indexOf('=');
    const [key = '', ...rest] = cut < 1 ? [] : text.slice(0, cut).split('.');
    const inner = rest.length === 0 ? undefined : rest.join('.');
    const why = cut < 1 ? `setting ${at + 1} is not KEY=VALUE` : keyProblem(key, inner);
    if (why !== undefined) problems.push(why);
    return why === undefined ? [{ key, inner, value: readValue(key, text.slice(cut + 1)) }] : [];
  });
  problems.push(...givenTwice(requested.map(nameIn)));
  if (problems.length > 0)
    throw fail('FIELD_INVALID', { problems: `nothing was changed: ${problemsText(problems)}`, command });
  return requested;
}

/** The problems of the file with the new settings, named as they were given: it had none before. */
function invalidSettings(profile: string, problems: readonly string[]): PaycliError {
  const above = nameOf(['profiles', profile]);
  const found = [...new Set(problems)].map((problem) =>
    problem.replace(`${above}.`, '').replace(`${above} `, 'the profile '),
  );
  return fail('FIELD_INVALID', { problems: `nothing was changed: ${problemsText(found)}`, command });
}

function keyProblem(key: string, inner: string | undefined): string | undefined {
  if (secretKeys.test(key)) {
    const kind = key.startsWith('private') ? 'private' : 'control';
    return `${label(key)} is a secret: \`paycli profile set-key NAME ${kind} --file FILE\` replaces one`;
  }
  if (key === 'assume') return 'assumptions are set with --assume ID=VALUE';
  const settable = profileKeys.filter((each) => each !== 'assume' && !secretKeys.test(each));
  if (!settable.includes(key)) return `${label(key)} is unknown${suggest(key, settable, `; use ${namesOf(settable)}`)}`;
  if (mappings.includes(key) && inner === undefined) return `${key} takes several entries: write ${key}.NAME=VALUE`;
  return !mappings.includes(key) && inner !== undefined ? `${key} takes no .NAME` : undefined;
}

/** As they are written in a setting. */
function namesOf(settable: readonly string[]): string {
  return settable.map((key) => (mappings.includes(key) ? `${key}.NAME` : key)).join(', ');
}

function readValue(key: string, text: string): Setting | undefined {
  if (text === '') return undefined;
  if (key === 'endpoint-id' || key === 'endpoints') return idOf(text);
  if (key === 'require-approval' && (text === 'true' || text === 'false')) return text === 'true';
  if (!['max-amount', 'max-total-per-day', 'approval-above'].includes(key)) return text;
  const [only, ...others] = listOf(text);
  return only === undefined ? text : others.length === 0 ? only : [only, ...others];
}

/** The new top-level values of the profile: a mapping keeps its other entries. */
function settingsOf(
  requested: readonly SettingChange[],
  { entries, content }: UserProfile,
): Readonly<Record<string, Setting | undefined>> {
  const settings: Record<string, Setting | undefined> = {};
  const assumed = Object.fromEntries(Object.entries(content.assume).map(([name, { value }]) => [name, value]));
  for (const { key, inner, value } of requested) {
    if (inner === undefined) {
      settings[key] = value;
      continue;
    }
    const present = Object.hasOwn(settings, key) ? settings[key] : key === 'assume' ? assumed : entries[key];
    const others = Object.entries(isMapping(present) ? present : {}).filter(([name]) => name !== inner);
    const all = [...others, ...(value === undefined ? [] : [[inner, value] as const])].map(
      ([name, each]) => [name, typeof each === 'number' ? each : String(each)] as const,
    );
    settings[key] = all.length === 0 ? undefined : Object.fromEntries(all);
  }
  return settings;
}

async function confirm(
  { name }: UserProfile,
  requested: readonly SettingChange[],
  options: SetOptions,
  runtime: Runtime,
): Promise<void> {
  const what = requested
    .map((each) => (each.key === 'assume' ? `${nameIn(each)} to ${each.value ?? 'its default'}` : nameIn(each)))
    .join(', ');
  if (!mayPrompt(options, runtime))
    throw fail('CONFIRMATION_NEEDED', {
      why: `profile ${name} is live, so setting ${what} must be confirmed, and there is no terminal to prompt on`,
      how: 'add --yes if that is intended',
      profile: name,
    });
  const message = `profile ${name} is live; change ${what}?`;
  const isAgreed = await saysYes('change', message, options, runtime).catch(ifInterrupted('nothing was changed'));
  if (!isAgreed)
    throw fail('CANCELLED', {
      why: 'nothing was changed',
      how: `\`paycli profile show ${shellWord(name, 'PROFILE')} --origins\` shows the values in force`,
      profile: name,
    });
}

/** A word that cannot be a setting may be a misplaced secret, so it is not shown. */
function label(text: string): string {
  return /^[a-z][a-z-]{0,30}$/i.test(text) ? printableName(text) : 'a key (not shown)';
}
