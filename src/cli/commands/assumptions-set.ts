import { type Change, edited, readUserFile, writeUserFile } from '../../config/edit.js';
import type { ConfigText } from '../../config/files.js';
import { loadProfile, type Profile } from '../../config/index.js';
import { isMapping } from '../../config/screen.js';
import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { assumptionNamed } from '../../spec/index.js';
import { dependentsOf } from '../assumption-facts.js';
import { readWishes, type Wish } from '../assumption-wishes.js';
import type { CommonOptions } from '../options.js';
import { Reporter } from '../reporter.js';
import { mayAsk } from '../resolve.js';
import { actors } from './assumptions.js';

export interface SetOptions extends CommonOptions {
  readonly unset?: readonly string[];
  readonly yes?: boolean;
}

/** One switch as it was in the profile and as it is now. */
interface Turned extends Wish {
  readonly before: string | undefined;
}

const command = 'assumptions set';

/** Writes switches into a profile of the user file, or takes them out. */
export async function runAssumptionsSet(given: readonly string[], options: SetOptions, runtime: Runtime): Promise<number> {
  const wishes = readWishes(given, options.unset ?? []);
  const profile = await chosenProfile(options, runtime);
  const report = new Reporter(options, undefined, runtime);
  const before = readUserFile(runtime.files);
  const found = edited(before, [], runtime.files).content.profiles.get(profile.name);
  if (found === undefined) throw notThere(profile, before.path);
  const turned = wishes.map((wish): Turned => ({ ...wish, before: assumedValue(found.assume, wish) }));
  const changes = turned.filter(({ value, before: old }) => value !== old);
  if (changes.length > 0) {
    if (profile.class === 'live' && options.yes !== true) await confirm(changes, profile, options, runtime);
    const after = edited(
      before,
      changes.map((wish) => changeOf(wish, profile.name, before)),
      runtime.files,
    );
    writeUserFile(after, runtime.files);
  }
  await show(turned, profile.name, before.path, report);
  await warnOfStronger(turned, options, report, runtime);
  return 0;
}

/** The profile meant. Throws USAGE for the sandbox in the box. */
async function chosenProfile({ profile: named }: SetOptions, runtime: Runtime): Promise<Profile> {
  const { profile } = await loadProfile({ profile: named }, runtime);
  if (profile !== undefined) return profile;
  throw fail('USAGE', {
    why: 'the sandbox in the box has no profile, and goes by every default; `paycli sandbox start --assume SWITCH=VALUE` starts one that does not, and `paycli profile add` makes a profile for its address',
    command,
  });
}

function notThere({ name, origins }: Profile, path: string): Error {
  const where = origins['base-url'];
  const hint = where === undefined ? '' : `; it comes from ${where}, so change it there`;
  return fail('USAGE', { why: `profile ${name} does not stand in the user file ${path}${hint}`, command });
}

function assumedValue(assume: Readonly<Record<string, { readonly value: string } | undefined>>, { assumption }: Wish): string | undefined {
  return assume[assumption.switch]?.value;
}

/** The key the file has for it already, which may be the id. */
function changeOf({ assumption, value }: Wish, name: string, { data }: ConfigText): Change {
  const at = (mapping: unknown, key: string) => (isMapping(mapping) ? mapping[key] : undefined);
  const assume = at(at(at(data, 'profiles'), name), 'assume');
  const keys = isMapping(assume) ? Object.keys(assume) : [];
  const key = keys.find((each) => assumptionNamed(each)?.switch === assumption.switch) ?? assumption.switch;
  return { kind: 'assume', name, key, value };
}

async function confirm(changes: readonly Turned[], { name }: Profile, options: SetOptions, runtime: Runtime): Promise<void> {
  const what = changes
    .map(({ assumption, value }) => `${assumption.switch} ${value ?? `to its default, ${assumption.default}`}`)
    .join(', ');
  if (!mayAsk(options, runtime))
    throw fail('CONFIRMATION_NEEDED', {
      why: `profile ${name} is live, so setting ${what} needs a yes, and there is no terminal to ask on`,
      how: 'add --yes if that is meant',
    });
  const prompter = await runtime.prompter(options.color);
  const message = `profile ${name} is live: set ${what}?`;
  const answer = await prompter.ask({ name: 'assume', message, choices: ['no', 'yes'], initial: 'no' });
  if (answer !== 'yes') throw fail('CONFIRMATION_NEEDED', { why: 'nothing was changed', how: 'the answer was no' });
}

function show(turned: readonly Turned[], profile: string, file: string, report: Reporter): Promise<void> {
  const rows = turned.map(({ assumption, before, value }) => ({
    ...{ id: assumption.id, switch: assumption.switch, before: before ?? null, after: value ?? null, default: assumption.default },
    ...{ acts: assumption.acts, dependents: dependentsOf(assumption), changed: before !== value },
  }));
  return report.show({
    document: { schema: 'paycli.assumptions-set/1', profile, file, switches: rows },
    list: 'switches',
    text: () => `${turned.map((each) => turnedText(each, report)).join('')}profile ${profile}, ${file}\n`,
  });
}

function turnedText({ assumption, before, value }: Turned, { paint }: Reporter): string {
  const { id, switch: name, default: usual, about, acts } = assumption;
  const words = (each: string | undefined) => (each === undefined ? `${usual} (the default)` : each);
  const change = before === value ? `${words(value)}, as it was` : `${words(before)} → ${words(value)}`;
  const commands = dependentsOf(assumption);
  const on = commands.length === 0 ? 'no operation alone, but whatever it speaks of' : commands.join(', ');
  return `${paint.bold(`${id} ${name}`)}: ${change}\n  by default: ${about}\n  acts on ${actors[acts]}; depends on it: ${on}\n`;
}

/** A project file may say otherwise. */
async function warnOfStronger(
  turned: readonly Turned[],
  { profile: named }: SetOptions,
  report: Reporter,
  runtime: Runtime,
): Promise<void> {
  const { profile } = await loadProfile({ profile: named }, runtime);
  for (const { assumption, value } of turned) {
    const inForce = Object.entries(profile?.assume ?? {}).find(([name]) => name === assumption.switch)?.[1];
    const origin = Object.entries(profile?.assumeOrigins ?? {}).find(([name]) => name === assumption.switch)?.[1];
    if (inForce !== (value ?? assumption.default))
      report.warn([`here something else goes before it: ${assumption.switch} is ${inForce ?? ''} by ${origin ?? 'default'}`]);
  }
}
