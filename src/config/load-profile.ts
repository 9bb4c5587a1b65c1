import { fail } from '../errors/index.js';
import type { Env, Files } from '../runtime/ports.js';
import { buildProfile, type Profile } from './connection.js';
import type { Defaults } from './content.js';
import { type EnvironmentSettings, readEnvironment, unknownVariables } from './environment.js';
import { type ConnectionFlags, describesConnection, readFlags } from './flags.js';
import { adHocNames, builtInSandbox, type Choice, chooseConnection, unknownProfile } from './profile-choice.js';
import type { Draft, ExplainRow, OutputFormat, ProfileClass, Sourced } from './settings.js';
import type { SharedJournal } from './shared-journal.js';
import { contentsByPriority, keyVariables, profilesIn, readSources, type Sources, userConfigPath } from './sources.js';

export type { Profile } from './connection.js';

interface ConfigPorts {
  readonly env: Env;
  readonly files: Files;
}

interface ProfileRequest {
  /** What --profile says. */
  readonly profile?: string | undefined;
  readonly overrides?: ConnectionFlags | undefined;
  /** Without any profile configured, the settings of the built-in sandbox will do: nothing is sent. */
  readonly isOptional?: true;
}

interface Settings {
  readonly output?: OutputFormat;
  readonly timeoutSeconds?: number;
  readonly noInput?: boolean;
}

export interface LoadedProfile {
  /** Undefined means the built-in sandbox. */
  readonly profile: Profile | undefined;
  readonly settings: Settings;
  /** Those of the profile; without one, those outside any profile. */
  readonly defaults: Defaults;
  readonly warnings: readonly string[];
  /** Where the choice of the profile and each setting came from. */
  readonly origins: Readonly<Record<string, string>>;
  /** Values that lost to a stronger source, besides those of the connection. */
  readonly hidden: readonly ExplainRow[];
  /** Every profile of the user file. */
  readonly profiles: readonly ListedProfile[];
}

/** One profile of the user file, as lists and completions show it. */
export interface ListedProfile {
  readonly name: string;
  readonly class: ProfileClass;
  readonly isDefault: boolean;
  readonly baseUrl: string | undefined;
  readonly login: string | undefined;
  readonly keys: Draft['secrets'];
}

/**
 * Determines the connection of this run from flags, environment, project file, user file, in this order. Reads no
 * secret. Throws CONFIG_INVALID, PROFILE_NOT_CHOSEN, PROFILE_UNKNOWN, PROFILE_INCOMPLETE or PROFILE_CLASS_MISMATCH.
 */
export async function loadProfile(request: ProfileRequest, ports: ConfigPorts): Promise<LoadedProfile> {
  const environment = readEnvironment(ports.env);
  const flags = readFlags(request.overrides ?? {}, ports.files);
  const sources = await readSources(ports);
  const choice = chooseConnection({
    flag: request.profile,
    flags,
    environment,
    sources,
    userFile: userConfigPath(ports.files),
    isOptional: request.isOptional === true,
  });
  const defaults = defaultsFor(choice, sources);
  const layers = { flags, environment: environment.draft, sources, defaults };
  const profile = choice.kind === 'builtIn' ? undefined : buildProfile(choice, layers);
  if (profile?.class === 'live') checkLiveChoice(choice, sources);
  const stray = unknownVariables(ports.env, keyVariables(sources));
  return {
    profile,
    defaults,
    warnings: [...stray, ...(choice.kind === 'builtIn' ? unusedBySandbox(environment, flags) : [])],
    ...settingsFrom(environment, sources, choice),
    hidden: overriddenSettings(choice, request.profile, environment, sources),
    profiles: listed(sources),
  };
}

/** A project file may not choose a live profile. Throws CONFIG_INVALID. */
function checkLiveChoice({ origin }: Choice, { project }: Sources): void {
  if (project?.defaultProfile?.origin !== origin) return;
  throw fail('CONFIG_INVALID', {
    file: project.path,
    problems: `chooses the live profile ${project.defaultProfile.value}, which only --profile, PAYCLI_PROFILE and the user file may do`,
    profile: project.defaultProfile.value,
  });
}

/** The profiles of the user file, by name. Throws as loadProfile does for the files. */
export async function listProfiles(ports: ConfigPorts): Promise<ListedProfile[]> {
  return listed(await readSources(ports));
}

/** The name of the profile that the files choose, which may be the built-in sandbox. Throws as loadProfile does for them. */
export async function defaultProfileName(ports: ConfigPorts): Promise<string | undefined> {
  return usualIn(await readSources(ports));
}

/**
 * The journal that a profile names, else that of the profile which the files choose; undefined for that of this machine.
 * Throws as loadProfile does for the files.
 */
export async function journalNamedBy(
  profile: string | undefined,
  ports: ConfigPorts,
): Promise<SharedJournal | undefined> {
  const sources = await readSources(ports);
  return profilesIn(sources).get(profile ?? usualIn(sources) ?? '')?.journal;
}

/** Every journal that a profile names, once. */
export async function sharedJournals(ports: ConfigPorts): Promise<readonly SharedJournal[]> {
  const named = [...profilesIn(await readSources(ports)).values()].flatMap(({ journal }) => journal ?? []);
  return [...new Map(named.map((journal) => [journal.shown, journal])).values()];
}

function usualIn(sources: Sources): string | undefined {
  return contentsByPriority(sources).find(({ defaultProfile }) => defaultProfile !== undefined)?.defaultProfile?.value;
}

function listed(sources: Sources): ListedProfile[] {
  const usual = usualIn(sources);
  return [...profilesIn(sources).values()]
    .map(({ name, class: kind, draft: { texts, secrets } }) => ({
      ...{ name, class: kind, isDefault: name === usual, keys: secrets },
      ...{ baseUrl: texts['base-url']?.value, login: texts.login?.value },
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Needs no key and no complete connection: stored data of a profile can be viewed even when its keys are gone. Throws
 * PROFILE_UNKNOWN for a name that no connection can have, and what reading the files throws.
 */
export async function checkProfileName(name: string, ports: ConfigPorts): Promise<void> {
  const sources = await readSources(ports);
  const others: readonly string[] = [builtInSandbox, ...adHocNames];
  if (profilesIn(sources).has(name) || others.includes(name)) return;
  throw unknownProfile(name, { sources, userFile: userConfigPath(ports.files) });
}

function defaultsFor(choice: Choice, sources: Sources): Defaults {
  return Object.assign({}, ...defaultsByPriority(choice, sources).reverse());
}

/** The project file wins over the user file, and there the profile over what is outside it. */
function defaultsByPriority(choice: Choice, { project, user }: Sources): Defaults[] {
  return [project?.defaults ?? {}, choice.kind === 'named' ? choice.content.defaults : {}, user?.defaults ?? {}];
}

function settingsFrom(
  environment: EnvironmentSettings,
  sources: Sources,
  choice: Choice,
): Pick<LoadedProfile, 'settings' | 'origins'> {
  const contents = contentsByPriority(sources);
  const output = environment.output ?? contents.find((content) => content.output !== undefined)?.output;
  const timeout =
    environment.timeoutSeconds ?? contents.find((content) => content.timeoutSeconds !== undefined)?.timeoutSeconds;
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

function unusedBySandbox(environment: EnvironmentSettings, flags: Draft): string[] {
  if (describesConnection(flags)) {
    throw fail('PROFILE_CLASS_MISMATCH', {
      why: 'the built-in sandbox has its own address and keys; omit the flags that set others',
      how: 'to use another address, choose its profile',
    });
  }
  const { connection } = environment;
  return connection.length === 0
    ? []
    : [`the built-in sandbox was selected, so ${connection.join(', ')} were not used`];
}

/**
 * What a stronger source hides, besides the values of the connection: other choices of the profile, settings, defaults.
 */
function overriddenSettings(
  choice: Choice,
  profileFlag: string | undefined,
  environment: EnvironmentSettings,
  sources: Sources,
): ExplainRow[] {
  const contents = contentsByPriority(sources);
  const flag = profileFlag === undefined ? undefined : { value: profileFlag, origin: 'flag --profile' };
  const choices = [flag, environment.profile, ...contents.map(({ defaultProfile }) => defaultProfile)];
  return [
    ...overriddenRows('profile', choices).filter(({ origin }) => origin !== choice.origin),
    ...overriddenRows('output', [environment.output, ...contents.map(({ output }) => output)]).slice(1),
    ...overriddenRows('timeout', [
      withUnit(environment.timeoutSeconds),
      ...contents.map(({ timeoutSeconds }) => withUnit(timeoutSeconds)),
    ]).slice(1),
    ...overriddenDefaults(defaultsByPriority(choice, sources)),
  ];
}

/** A timeout as `explain` shows it. */
function secondsText(value: number | undefined): string | undefined {
  return value === undefined ? undefined : `${value}s`;
}

function withUnit(timeout: Sourced<number> | undefined): Sourced<string> | undefined {
  return timeout && { value: `${timeout.value}s`, origin: timeout.origin };
}

function overriddenRows(key: string, values: readonly (Sourced<unknown> | undefined)[]): ExplainRow[] {
  return values
    .filter((value) => value !== undefined)
    .map(({ value, origin }) => ({ key, value: String(value), origin, hidden: true }));
}

/** `layers` with the strongest first. */
function overriddenDefaults(layers: readonly Readonly<Record<string, Sourced<string>>>[]): ExplainRow[] {
  return layers.flatMap((layer, at) =>
    Object.entries(layer)
      .filter(([key]) => layers.slice(0, at).some((stronger) => key in stronger))
      .map(([key, { value, origin }]) => ({ key: `defaults.${key}`, value, origin, hidden: true })),
  );
}

/**
 * Every value in force and where it came from, and those a stronger source hides. Keys are shown by their place only.
 */
export function explain({ profile, settings, defaults, origins, hidden }: LoadedProfile): ExplainRow[] {
  const row = (key: string, value: string, origin: string): ExplainRow => ({ key, value, origin, hidden: false });
  const set = { output: settings.output, timeout: secondsText(settings.timeoutSeconds), 'no-input': settings.noInput };
  const assumed = Object.entries(profile?.assumeOrigins ?? {});
  return [
    row('profile', profile?.name ?? builtInSandbox, origins['profile'] ?? ''),
    ...(profile?.rows ?? []),
    ...assumed.map(([name, origin]) =>
      row(`assume.${name}`, Object.entries(profile?.assume ?? {}).find(([key]) => key === name)?.[1] ?? '', origin),
    ),
    ...Object.entries(defaults).map(([key, { value, origin }]) => row(`defaults.${key}`, value, origin)),
    ...Object.entries(set).flatMap(([key, value]) =>
      value === undefined ? [] : [row(key, String(value), origins[key] ?? '')],
    ),
    ...hidden,
  ];
}
