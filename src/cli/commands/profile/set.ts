import { applyChanges, type Change, type NewProfile, writeUserFile } from '../../../config/edit.js';
import { printableName } from '../../../config/file-access.js';
import { isMapping, nameOf } from '../../../config/sanitize.js';
import { profileKeys } from '../../../config/schema.js';
import { fail, ifInterrupted, type PaycliError, problemsText, suggest } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import type { CommonOptions } from '../../core/options.js';
import { mayPrompt, saysYes } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { idOf } from './save.js';
import { openUserProfile, type UserProfile } from './user-profile.js';
import { listOf } from './values.js';

interface SetOptions extends CommonOptions {
  readonly yes?: boolean;
}

const command = 'profile set';

export const profileSet = defineCommand<SetOptions>({
  name: command,
  summary: 'Change settings of a profile in the user file',
  help: `Change settings of a profile in the user file

The settings are named as in the file: base-url, login, endpoint-id, endpoints.EUR, max-amount, redirect-url, defaults.order-desc and so on; see \`man 5 paycli-config\`. KEY= removes a setting. Invalid values are rejected before anything is written. To replace secrets, use \`paycli profile set-key\`.`,
  args: [
    ['<profile>', 'a profile of the user file'],
    ['<settings...>', 'KEY=VALUE, one or more; the values of a list are separated by commas: KEY=A,B'],
  ],
  options: [
    ['--yes', 'do not ask for confirmation with a live profile'],
    ['--no-input', 'never prompt'],
  ],
  examples: [
    'profile set shop-test endpoint-id=4002 endpoints.EUR=4003',
    'profile set shop-test max-amount="500.00 EUR,400.00 USD"',
    'profile set shop-test endpoints.EUR=',
  ],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'refusedHere', 'interrupted'],
  prints: ['profile-set'],
  run: ({ args: [name = ''], words, options, runtime }) => runProfileSet(name, words, options, runtime),
});

type Setting = NewProfile[string];

/** One setting to change; without a value it is removed. */
interface SettingChange {
  readonly key: string;
  /** Within `endpoints` or `defaults`. */
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
  const requested = parseChanges(given);
  const profile = await openUserProfile(name, command, runtime);
  const settings = settingsOf(requested, profile);
  const wasDefault = profile.current.defaultProfile?.value === name;
  // A live profile becomes the default only by `profile use`.
  const losesDefault = wasDefault && settings['class'] === 'live' && profile.content.class !== 'live';
  const changes: Change[] = [
    ...Object.entries(settings).map(([key, value]) => ({ kind: 'set', name, key, value }) as const),
    ...(losesDefault ? [{ kind: 'no-default' } as const] : []),
  ];
  const after = applyChanges(profile.before, changes, runtime.files, (_, problems) => invalidSettings(name, problems));
  if (profile.content.class === 'live' && options.yes !== true) await confirm(profile, settings, options, runtime);
  writeUserFile(after, runtime.files);
  const nameIn = ({ key, inner }: SettingChange) => (inner === undefined ? key : `${key}.${inner}`);
  const changed = requested.map(nameIn);
  const removed = requested.filter(({ value }) => value === undefined).map(nameIn);
  await report.show({
    document: { schema: 'paycli.profile-set/1', profile: name, file: after.path, changed, wasDefault: losesDefault },
    text: () => {
      const set = changed.filter((each) => !removed.includes(each));
      const words = [
        set.length > 0 ? `${set.join(', ')} changed` : '',
        removed.length > 0 ? `${removed.join(', ')} removed` : '',
      ];
      return `profile ${name}: ${words.filter((word) => word !== '').join('; ')} (${after.path})\n`;
    },
  });
  const needed = removed.filter((key) => ['base-url', 'login'].includes(key));
  if (needed.length > 0)
    report.warn([`profile ${name} cannot be used without ${needed.map((key) => `--${key}`).join(' and ')} now`]);
  if (losesDefault)
    report.warn([
      `profile ${name} is live now, so it is no longer the default; \`paycli profile use ${name}\` makes it the default again`,
    ]);
  return 0;
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
  const names = requested.map(({ key, inner }) => `${key}.${inner ?? ''}`);
  for (const name of new Set(names.filter((each, at) => names.indexOf(each) !== at)))
    problems.push(`${name.replace(/\.$/, '')} is given twice`);
  if (problems.length > 0) throw fail('settingsInvalid', { found: problemsText(problems), command });
  return requested;
}

/** The problems of the file with the new settings, named as they were given: it had none before. */
function invalidSettings(profile: string, problems: readonly string[]): PaycliError {
  const above = nameOf(['profiles', profile]);
  const found = [...new Set(problems)].map((problem) =>
    problem.replace(`${above}.`, '').replace(`${above} `, 'the profile '),
  );
  return fail('settingsInvalid', { found: problemsText(found), command });
}

function keyProblem(key: string, inner: string | undefined): string | undefined {
  if (secretKeys.test(key)) {
    const kind = key.startsWith('private') ? 'private' : 'control';
    return `${label(key)} is a secret: \`paycli profile set-key NAME ${kind} --file FILE\` replaces one`;
  }
  if (key === 'assume') return 'assumptions are set with `paycli assumptions set SWITCH=VALUE`';
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
  { entries }: UserProfile,
): Readonly<Record<string, Setting | undefined>> {
  const settings: Record<string, Setting | undefined> = {};
  for (const { key, inner, value } of requested) {
    if (inner === undefined) {
      settings[key] = value;
      continue;
    }
    const present = Object.hasOwn(settings, key) ? settings[key] : entries[key];
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
  settings: Readonly<Record<string, unknown>>,
  options: SetOptions,
  runtime: Runtime,
): Promise<void> {
  const what = Object.keys(settings).join(', ');
  if (!mayPrompt(options, runtime)) throw fail('liveSwitchNeedsYes', { profile: name, what });
  const message = `profile ${name} is live; change ${what}?`;
  const isAgreed = await saysYes('change', message, options, runtime).catch(ifInterrupted('nothing was changed'));
  if (!isAgreed) throw fail('switchChangeDeclined', { profile: name });
}

/** A word that cannot be a setting may be a misplaced secret, so it is not shown. */
function label(text: string): string {
  return /^[a-z][a-z-]{0,30}$/i.test(text) ? printableName(text) : 'a key (not shown)';
}
