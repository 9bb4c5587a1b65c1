import type { ConfigText } from '../../../config/config-file.js';
import { applyChanges, type Change, readUserFile, writeUserFile } from '../../../config/edit.js';
import { loadProfile, type Profile } from '../../../config/index.js';
import { isMapping } from '../../../config/sanitize.js';
import { fail, ifInterrupted, problemsText, suggest } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type Assumption, assumptionNamed, mayBe } from '../../../spec/index.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { type CommonOptions, mayPrompt, profileFilter, saysYes } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { actors, dependentsOf, suggestAssumption } from './list.js';

const command = 'assumptions set';

export const assumptionsSet = defineCommand<SetOptions>({
  name: command,
  summary: 'Set a switch in a profile of the user file',
  help: 'Set switches in a profile of the user file, or reset them to their defaults',
  args: [['[settings...]', 'SWITCH=VALUE, by the name of the switch or its id']],
  options: [
    ['--unset <switch>', 'reset it to its default; repeatable', { repeated: true }],
    profileFilter('the profile (default: the active one)'),
    ['--yes', 'do not ask for confirmation with a live profile'],
    ['--no-input', 'never prompt'],
  ],
  // Each is run after the one before it.
  examples: [
    'assumptions set control-encoding=hex-upper',
    'assumptions set A03=minor --unset control-encoding --profile shop-test',
  ],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'refusedHere', 'interrupted'],
  prints: ['assumptions-set'],
  run: ({ words, options, runtime }) => runAssumptionsSet(words, options, runtime),
});

/** One switch to change; without a value it is reset to its default. */
interface AssumptionChange {
  readonly assumption: Assumption;
  readonly value: string | undefined;
}

/**
 * Reads `SWITCH=VALUE` and the names of --unset. Throws FIELD_INVALID with all mistakes, or USAGE when nothing is
 * given.
 */
function parseAssumptionChanges(settings: readonly string[], unset: readonly string[]): AssumptionChange[] {
  if (settings.length + unset.length === 0) throw fail('noSwitchNamed', { command });
  const problems: string[] = [];
  const requested = [
    ...settings.map((text) => parseSetting(text, problems)),
    ...unset.map((name) => parseUnset(name, problems)),
  ].filter((change) => change !== undefined);
  const names = requested.map(({ assumption }) => assumption.switch);
  for (const name of new Set(names.filter((each, at) => names.indexOf(each) !== at)))
    problems.push(`${name} is given twice`);
  if (problems.length > 0) throw fail('FIELD_INVALID', { problems: problemsText(problems), command });
  return requested;
}

function parseSetting(text: string, problems: string[]): AssumptionChange | undefined {
  const cut = text.indexOf('=');
  if (cut < 1) {
    problems.push(`${text.slice(0, 40)} is not SWITCH=VALUE`);
    return undefined;
  }
  const assumption = findAssumption(text.slice(0, cut), problems);
  if (assumption === undefined) return undefined;
  const value = text.slice(cut + 1);
  if (mayBe(assumption, value)) return { assumption, value };
  const values = [assumption.default, ...assumption.others];
  const words = values.length === 1 ? `${assumption.default} (the only value)` : `one of ${values.join(', ')}`;
  problems.push(`${assumption.switch}: use ${words}${suggest(value, values)}`);
  return undefined;
}

function parseUnset(name: string, problems: string[]): AssumptionChange | undefined {
  const assumption = findAssumption(name, problems);
  return assumption === undefined ? undefined : { assumption, value: undefined };
}

function findAssumption(name: string, problems: string[]): Assumption | undefined {
  const assumption = assumptionNamed(name);
  if (assumption === undefined) problems.push(`there is no assumption ${name.slice(0, 40)}${suggestAssumption(name)}`);
  return assumption;
}

interface SetOptions extends CommonOptions {
  readonly unset?: readonly string[];
  readonly yes?: boolean;
}

/** One switch before and after the change. */
interface AppliedChange extends AssumptionChange {
  readonly before: string | undefined;
}

/** Sets or resets switches in a profile of the user file. */
async function runAssumptionsSet(given: readonly string[], options: SetOptions, runtime: Runtime): Promise<number> {
  const requested = parseAssumptionChanges(given, options.unset ?? []);
  const profile = await chosenProfile(options, runtime);
  const report = new Reporter(options, undefined, runtime);
  const before = readUserFile(runtime.files);
  const found = applyChanges(before, [], runtime.files).content.profiles.get(profile.name);
  if (found === undefined) throw notInUserFile(profile, before.path);
  const applied = requested.map((change): AppliedChange => ({ ...change, before: assumedValue(found.assume, change) }));
  const changes = applied.filter(({ value, before: old }) => value !== old);
  if (changes.length > 0) {
    if (profile.class === 'live' && options.yes !== true) await confirm(changes, profile, options, runtime);
    const after = applyChanges(
      before,
      changes.map((change) => changeOf(change, profile.name, before)),
      runtime.files,
    );
    writeUserFile(after, runtime.files);
  }
  await show(applied, profile.name, before.path, report);
  await warnIfOverridden(applied, options, report, runtime);
  return 0;
}

/** The selected profile. Throws USAGE for the built-in sandbox. */
async function chosenProfile({ profile: named }: SetOptions, runtime: Runtime): Promise<Profile> {
  const { profile } = await loadProfile({ profile: named }, runtime);
  if (profile !== undefined) return profile;
  throw fail('sandboxHasNoSwitches', { command });
}

function notInUserFile({ name, origins }: Profile, path: string): Error {
  const where = origins['base-url'];
  const hint = where === undefined ? '' : `; it comes from ${where}, so change it there`;
  return fail('profileNotInUserFile', { profile: name, file: path, hint, command });
}

function assumedValue(
  assume: Readonly<Record<string, { readonly value: string } | undefined>>,
  { assumption }: AssumptionChange,
): string | undefined {
  return assume[assumption.switch]?.value;
}

/** Uses the key already in the file, which may be the id. */
function changeOf({ assumption, value }: AssumptionChange, name: string, { data }: ConfigText): Change {
  const at = (mapping: unknown, key: string) => (isMapping(mapping) ? mapping[key] : undefined);
  const assume = at(at(at(data, 'profiles'), name), 'assume');
  const keys = isMapping(assume) ? Object.keys(assume) : [];
  const key = keys.find((each) => assumptionNamed(each)?.switch === assumption.switch) ?? assumption.switch;
  return { kind: 'assume', name, key, value };
}

async function confirm(
  changes: readonly AppliedChange[],
  { name }: Profile,
  options: SetOptions,
  runtime: Runtime,
): Promise<void> {
  const what = changes
    .map(({ assumption, value }) => `${assumption.switch} ${value ?? `to its default, ${assumption.default}`}`)
    .join(', ');
  if (!mayPrompt(options, runtime)) throw fail('liveSwitchNeedsYes', { profile: name, what });
  const message = `profile ${name} is live: set ${what}?`;
  const isAgreed = await saysYes('assume', message, options, runtime).catch(ifInterrupted('nothing was changed'));
  if (!isAgreed) throw fail('switchChangeDeclined', { profile: name });
}

function show(applied: readonly AppliedChange[], profile: string, file: string, report: Reporter): Promise<void> {
  const rows = applied.map(({ assumption, before, value }) => ({
    ...{
      id: assumption.id,
      switch: assumption.switch,
      before: before ?? null,
      after: value ?? null,
      default: assumption.default,
    },
    ...{ acts: assumption.acts, dependents: dependentsOf(assumption), changed: before !== value },
  }));
  return report.show({
    document: { schema: 'paycli.assumptions-set/1', profile, file, switches: rows },
    list: 'switches',
    text: () => `${applied.map((each) => changeText(each, report)).join('')}profile ${profile}, ${file}\n`,
  });
}

function changeText({ assumption, before, value }: AppliedChange, { paint }: Reporter): string {
  const { id, switch: name, default: usual, about, acts } = assumption;
  const words = (each: string | undefined) => (each === undefined ? `${usual} (the default)` : each);
  const change = before === value ? `${words(value)}, unchanged` : `${words(before)} → ${words(value)}`;
  const commands = dependentsOf(assumption);
  const on = commands.length === 0 ? 'no operation in particular' : commands.join(', ');
  return `${paint.bold(`${id} ${name}`)}: ${change}\n  by default: ${about}\n  applies to ${actors[acts]}; affects: ${on}\n`;
}

/** Warns where a project file overrides the change. */
async function warnIfOverridden(
  applied: readonly AppliedChange[],
  { profile: named }: SetOptions,
  report: Reporter,
  runtime: Runtime,
): Promise<void> {
  const { profile } = await loadProfile({ profile: named }, runtime);
  for (const { assumption, value } of applied) {
    const inForce = Object.entries(profile?.assume ?? {}).find(([name]) => name === assumption.switch)?.[1];
    const origin = Object.entries(profile?.assumeOrigins ?? {}).find(([name]) => name === assumption.switch)?.[1];
    if (inForce !== (value ?? assumption.default))
      report.warn([
        `another setting takes precedence here: ${assumption.switch} is ${inForce ?? ''}, set by ${origin ?? 'default'}`,
      ]);
  }
}
