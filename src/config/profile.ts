import { fail } from '../errors/index.js';
import { adHocNames, builtInSandbox, type Choice, choose, unknownProfile } from './choice.js';
import { connect, type Profile } from './connection.js';
import type { Defaults } from './content.js';
import type { Draft, ExplainRow, ProfileClass } from './draft.js';
import { type EnvironmentSays, readEnvironment, strayVariables } from './environment.js';
import { type ConnectionFlags, readFlags, speakOfConnection } from './flags.js';
import { hiddenBy } from './hidden.js';
import type { OutputForm } from './output-forms.js';
import { userPlace } from './places.js';
import { type ConfigPorts, contentsOf, namedVariables, profilesOf, readSources, type Sources } from './sources.js';

export type { Profile } from './connection.js';

export interface ProfileRequest {
  /** What --profile says. */
  readonly profile?: string | undefined;
  readonly overrides?: ConnectionFlags | undefined;
}

export interface Settings {
  readonly output?: OutputForm;
  readonly timeoutSeconds?: number;
  readonly noInput?: boolean;
}

export interface Loaded {
  /** Undefined means the sandbox in the box. */
  readonly profile: Profile | undefined;
  readonly settings: Settings;
  /** Those of the profile; without one, those that stand outside any profile. */
  readonly defaults: Defaults;
  readonly warnings: readonly string[];
  /** Where the choice of the profile and each setting came from. */
  readonly origins: Readonly<Record<string, string>>;
  /** What stands somewhere and lost to a stronger source, besides the values of the connection. */
  readonly hidden: readonly ExplainRow[];
}

/** One profile of the files, as lists and completions show it. */
export interface ListedProfile {
  readonly name: string;
  readonly class: ProfileClass;
  readonly file: string;
  readonly isDefault: boolean;
}

/**
 * Settles which connection this run is about, from flags, environment, project file, user file, in this order. Reads no secret.
 * Throws CONFIG_INVALID, CONFIG_UNTRUSTED, PROFILE_UNKNOWN, PROFILE_INCOMPLETE or PROFILE_CLASS_MISMATCH.
 */
export async function loadProfile(request: ProfileRequest, ports: ConfigPorts): Promise<Loaded> {
  const environment = readEnvironment(ports.env);
  const flags = readFlags(request.overrides ?? {}, ports.files);
  const sources = await readSources(ports);
  const choice = choose({ flag: request.profile, flags, environment, sources, userFile: userPlace(ports.files) });
  const defaults = defaultsFor(choice, sources);
  const layers = { flags, environment: environment.draft, sources, defaults };
  const stray = strayVariables(ports.env, namedVariables(sources));
  return {
    profile: choice.kind === 'builtIn' ? undefined : connect(choice, layers),
    defaults,
    warnings: [...stray, ...(choice.kind === 'builtIn' ? unusedBySandbox(environment, flags) : [])],
    ...settingsFrom(environment, sources, choice),
    hidden: hiddenBy(choice, request.profile, environment, sources),
  };
}

/** The profiles of the files, by name. Throws as loadProfile does for the files. */
export async function listProfiles(ports: ConfigPorts): Promise<ListedProfile[]> {
  const sources = await readSources(ports);
  const usual = contentsOf(sources).find(({ defaultProfile }) => defaultProfile !== undefined)?.defaultProfile?.value;
  return [...profilesOf(sources).values()]
    .map(({ name, file, class: kind }) => ({ name, class: kind, file, isDefault: name === usual }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Reads no key and asks for no connection: what was kept under a profile can be looked at whatever became of its keys.
 * Throws PROFILE_UNKNOWN for a name that no connection can have, and what reading the files throws.
 */
export async function checkProfileName(name: string, ports: ConfigPorts): Promise<void> {
  const sources = await readSources(ports);
  const others: readonly string[] = [builtInSandbox, ...adHocNames];
  if (profilesOf(sources).has(name) || others.includes(name)) return;
  throw unknownProfile(name, { sources, userFile: userPlace(ports.files) });
}

// The project file goes before the user file, and within a file the profile before what stands outside it.
function defaultsFor(choice: Choice, sources: Sources): Defaults {
  const content = choice.kind === 'named' ? choice.content : undefined;
  const layers = contentsOf(sources).flatMap(({ path, defaults }) => [content?.file === path ? content.defaults : {}, defaults]);
  return Object.assign({}, ...layers.reverse());
}

function settingsFrom(environment: EnvironmentSays, sources: Sources, choice: Choice): Pick<Loaded, 'settings' | 'origins'> {
  const contents = contentsOf(sources);
  const output = environment.output ?? contents.find((content) => content.output !== undefined)?.output;
  const timeout = environment.timeoutSeconds ?? contents.find((content) => content.timeoutSeconds !== undefined)?.timeoutSeconds;
  const { noInput } = environment;
  return {
    settings: {
      ...(output === undefined ? {} : { output: output.value }),
      ...(timeout === undefined ? {} : { timeoutSeconds: timeout.value }),
      ...(noInput === undefined ? {} : { noInput: noInput.value }),
    },
    origins: {
      profile: choice.origin,
      ...(output === undefined ? {} : { output: output.origin }),
      ...(timeout === undefined ? {} : { timeout: timeout.origin }),
      ...(noInput === undefined ? {} : { 'no-input': noInput.origin }),
    },
  };
}

function unusedBySandbox(environment: EnvironmentSays, flags: Draft): string[] {
  if (speakOfConnection(flags)) {
    throw fail('PROFILE_CLASS_MISMATCH', {
      why: 'the sandbox in the box has an address and keys of its own; leave out the flags that name others',
    });
  }
  const { connection } = environment;
  return connection.length === 0 ? [] : [`the sandbox in the box was asked for, so ${connection.join(', ')} were not used`];
}
