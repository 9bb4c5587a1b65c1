import { nameOf } from '../../../config/content.js';
import { applyChanges, type Change, type EditedConfig, type Setting, writeUserFile } from '../../../config/edit.js';
import { printableName } from '../../../config/file-access.js';
import { builtInSandbox, loadProfile } from '../../../config/index.js';
import { commandToSet, isMapping, profileSecrets } from '../../../config/settings.js';
import { fail, isPaycliError, type PaycliError, problemsText } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { assumptionNamed, isFixedAssumption } from '../../../spec/index.js';
import { defineCommand, type FlagsFor, list, on } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { suggestAssumption } from '../assumptions/assumptions.js';
import {
  confirmChange,
  isDefaultIn,
  openUserFile,
  openUserProfile,
  overridesDefault,
  readTyped,
  type UserProfile,
} from './user-file.js';

interface SetFlags extends CommonOptions {
  readonly default?: boolean;
  readonly assume?: readonly string[];
  readonly yes?: boolean;
}

const command = 'profile set';

export const profileSet = defineCommand({
  summary: 'Change a profile in the user file, its assumptions, or which one is the default',
  help: 'The settings are named as in the file: base-url, login, endpoint-id, endpoints.EUR, max-amount, redirect-url, defaults.order-desc and so on; see `paycli help profiles`. KEY= removes a setting. Invalid values are rejected before anything is written. To replace secrets, use `paycli profile set-key`.',
  args: {
    profile: { text: 'a profile of the user file; with --default also sandbox' },
    settings: {
      text: 'KEY=VALUE, one or more; the values of a list are separated by commas: KEY=A,B',
      isList: true,
    },
  },
  flags: {
    default: on('make it the default profile'),
    assume: list('<id=value>', 'set an assumption, by its id or switch; ID= resets it to its default; repeatable'),
    yes: on('do not ask for confirmation with a live profile'),
    noInput: on('never prompt'),
    ...outputFlags,
  } satisfies FlagsFor<SetFlags>,
  examples: [
    'profile set shop-test --default',
    'profile set shop-test endpoint-id=4002 endpoints.EUR=4003',
    'profile set shop-test max-amount="500.00 EUR,400.00 USD"',
    'profile set shop-test endpoints.EUR=',
    'profile set shop-test --assume A03=minor --assume control-encoding=hex-upper',
  ],
  effect: 'local',
  result: ['profile-set'],
  run: ({ args: { profile, settings = [] }, flags, runtime }) => runProfileSet(profile, settings, flags, runtime),
});

/** One setting to change, such as `endpoints`, `EUR`; without a value it is removed. */
interface SettingChange {
  readonly path: readonly string[];
  readonly value: Setting | undefined;
}

async function runProfileSet(
  name: string,
  given: readonly string[],
  options: SetFlags,
  runtime: Runtime,
): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { assume = [], default: isToBeDefault = false } = options;
  if (given.length + assume.length === 0 && !isToBeDefault)
    throw fail('USAGE', { why: 'use KEY=VALUE, --assume ID=VALUE or --default', command });
  if (given.length + assume.length > 0 && name === builtInSandbox)
    throw fail('USAGE', {
      why: 'the built-in sandbox has no profile, and uses every default; `paycli sandbox start --assume SWITCH=VALUE` starts one that does not, and `paycli init` makes a profile for its address',
      command,
    });
  const profile = name === builtInSandbox ? undefined : openUserProfile(name, runtime);
  const { before, current } = profile ?? openUserFile(runtime);
  const changes = readChanges(name, given, assume, profile);
  const isLive = profile?.layer.class?.value === 'live';
  const becomesLive = !isLive && changes.some(({ path: [key], value }) => key === 'class' && value === 'live');
  // A live profile becomes the default only by --default.
  const losesDefault = becomesLive && !isToBeDefault && isDefaultIn(current, name);
  const all: Change[] = changes.map(({ path, value }) => ({ path: ['profiles', name, ...path], value }));
  if (losesDefault || isToBeDefault) all.push({ path: ['default-profile'], value: isToBeDefault ? name : undefined });
  const after = applyChanges(before, all, runtime.files, (_, problems) => invalidSettings(name, problems));
  if (isLive && changes.length > 0 && options.yes !== true) await confirm(name, changes, options, runtime);
  writeUserFile(after, runtime.files);
  await showChanges({ name, changes, after, isToBeDefault }, report);
  if (losesDefault)
    report.warn([
      `profile ${name} is live now, so it is no longer the default; \`paycli profile set ${name} --default\` makes it the default again`,
    ]);
  if (isToBeDefault) await warnOfDefault(name, after.content.profiles.get(name)?.class?.value, report, runtime);
  return 0;
}

interface Changed {
  readonly name: string;
  readonly changes: readonly SettingChange[];
  readonly after: EditedConfig;
  readonly isToBeDefault: boolean;
}

async function showChanges({ name, changes, after, isToBeDefault }: Changed, report: Reporter): Promise<void> {
  const keysWhere = (isSet: boolean) =>
    changes.filter(({ value }) => (value !== undefined) === isSet).map(({ path }) => path.join('.'));
  const [set, removed] = [keysWhere(true), keysWhere(false)];
  const words = [
    ...(set.length > 0 ? [`${set.join(', ')} changed`] : []),
    ...(removed.length > 0 ? [`${removed.join(', ')} removed`] : []),
    ...(isToBeDefault ? ['it is now the default'] : []),
  ];
  await report.show({
    document: {
      ...{ schema: 'paycli.profile-set/1', profile: name, file: after.path },
      ...{ changed: changes.map(({ path }) => path.join('.')), isDefault: isDefaultIn(after.content, name) },
    },
    text: () => `profile ${name}: ${words.join('; ')} (${after.path})\n`,
  });
  const needed = removed.filter((key) => ['base-url', 'login'].includes(key)).map((key) => `--${key}`);
  if (needed.length > 0) report.warn([`profile ${name} cannot be used without ${needed.join(' and ')} now`]);
}

async function warnOfDefault(name: string, kind: string | undefined, report: Reporter, runtime: Runtime) {
  try {
    await loadProfile({ profile: name }, runtime);
    if (kind === 'live')
      report.warn([
        `profile ${name} is live and moves real money: every command that queries or sends with it needs --live`,
      ]);
  } catch (error) {
    // Such as a class that does not fit its address.
    if (!isPaycliError(error)) throw error;
    report.warn([`every command that uses it will fail: ${error.message}; ${error.next}`]);
  }
  const overriddenBy = await overridesDefault(name, runtime);
  if (overriddenBy !== undefined) report.warn([`it has no effect here, because it is overridden by ${overriddenBy}`]);
}

/** Reads the settings and assumptions. Throws FIELD_INVALID with all mistakes in how they are written. */
function readChanges(
  profile: string,
  given: readonly string[],
  assume: readonly string[],
  opened: UserProfile | undefined,
): readonly SettingChange[] {
  const problems: string[] = [];
  const read = (text: string, at: number, form: string, why: (name: string) => string | undefined) => {
    const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    const problem =
      name === undefined ? `${form} ${at + 1} is not ${form === 'setting' ? 'KEY' : 'ID'}=VALUE` : why(name);
    if (problem !== undefined) problems.push(problem);
    return problem === undefined && name !== undefined ? [{ name, text: value }] : [];
  };
  const changes = [
    ...given
      .flatMap((text, at) => read(text, at, 'setting', (name) => keyProblem(name, profile)))
      .map(({ name, text }) => ({
        path: pathIn(name),
        value: text === '' ? undefined : readTyped(pathIn(name)[0] ?? '', text),
      })),
    ...assume
      .flatMap((text, at) => read(text, at, 'assumption', assumptionProblem))
      .map(({ name, text }) => ({ path: ['assume', assumptionKey(name, opened)], value: text || undefined })),
  ];
  const names = changes.map(({ path }) => path.join('.'));
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  problems.push(...new Set(twice.map((name) => `${name.replace('assume.', '')} is given twice`)));
  if (problems.length > 0) throw unchanged(problems);
  return changes;
}

function pathIn(name: string): string[] {
  const [key = '', ...rest] = name.split('.');
  return rest.length === 0 ? [key] : [key, rest.join('.')];
}

/** What the profile calls the assumption now, which may be its id or its switch. */
function assumptionKey(name: string, profile: UserProfile | undefined): string {
  const wanted = assumptionNamed(name)?.switch ?? name;
  const assumed = profile?.entries['assume'];
  const written = Object.keys(isMapping(assumed) ? assumed : {});
  return written.find((each) => assumptionNamed(each)?.switch === wanted) ?? wanted;
}

function assumptionProblem(name: string): string | undefined {
  if (isFixedAssumption(name)) return `${name} cannot be switched; see \`paycli help assumptions\``;
  return assumptionNamed(name) === undefined
    ? `there is no assumption ${name.slice(0, 40)}${suggestAssumption(name)}`
    : undefined;
}

function keyProblem(name: string, profile: string): string | undefined {
  const [key = '', inner] = pathIn(name);
  const secret = profileSecrets.find((each) => key === each || key.startsWith(`${each}-`));
  if (secret !== undefined) {
    // A word that cannot be a setting may be a misplaced secret, so it is not shown.
    const label = /^[a-z][a-z-]{0,30}$/i.test(key) ? printableName(key) : 'a key (not shown)';
    return `${label} is a secret: \`${commandToSet(secret, profile)}\` replaces it`;
  }
  if (key === 'assume') return 'assumptions are set with --assume ID=VALUE';
  const isMappingKey = ['endpoints', 'defaults'].includes(key);
  if (isMappingKey && inner === undefined) return `${key} takes several entries: write ${key}.NAME=VALUE`;
  return !isMappingKey && inner !== undefined ? `${printableName(key)} takes no .NAME` : undefined;
}

/** The problems of the file with the new settings, named as they were given: it had none before. */
function invalidSettings(profile: string, problems: readonly string[]): PaycliError {
  const above = nameOf(['profiles', profile]);
  return unchanged(problems.map((text) => text.replace(`${above}.`, '').replace(`${above} `, 'the profile ')));
}

function unchanged(problems: readonly string[]): PaycliError {
  return fail('FIELD_INVALID', { problems: `nothing was changed: ${problemsText([...new Set(problems)])}`, command });
}

/** Of a live profile. Throws CONFIRMATION_NEEDED, CANCELLED or INTERRUPTED. */
function confirm(name: string, changes: readonly SettingChange[], options: SetFlags, runtime: Runtime): Promise<void> {
  const what = changes
    .map(({ path, value }) => `${path.join('.')}${path[0] === 'assume' ? ` to ${value ?? 'its default'}` : ''}`)
    .join(', ');
  const message = `profile ${name} is live; change ${what}?`;
  const why = `profile ${name} is live, so setting ${what}`;
  return confirmChange({ verb: 'change', message, why, done: 'changed', profile: name }, options, runtime);
}
