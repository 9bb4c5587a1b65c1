import { fail, nearest, type PaycliError } from '../errors/index.js';
import type { Env, Files } from '../runtime/ports.js';
import { secretIn } from '../wire/secret-names.js';
import {
  buildProfile,
  type Defaults,
  defaultsIn,
  type Profile,
  type SharedJournal,
  sharedJournalIn,
} from './connection.js';
import { printableName } from './file-access.js';
import {
  type ConnectionFlags,
  connectionVariables,
  describesConnection,
  readEnvironment,
  readFlags,
  unknownVariables,
} from './given.js';
import { type ExplainRow, type Layer, layerWith, merge, pick, rowsOf, type Sourced } from './layers.js';
import { type OutputFormat, type ProfileClass, profileSecrets, profileSettings } from './settings.js';
import { readSources, type Sources } from './sources.js';

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

export interface LoadedProfile {
  /** Undefined means the built-in sandbox. */
  readonly profile: Profile | undefined;
  /** What selected the profile. */
  readonly chosenBy: string;
  readonly output: OutputFormat | undefined;
  readonly timeoutSeconds: number | undefined;
  /** Those of the profile; without one, those outside any profile. */
  readonly defaults: Defaults;
  readonly warnings: readonly string[];
  /** Every value in force and where it came from. Keys are shown by their place only. */
  readonly rows: readonly ExplainRow[];
}

/** One profile of the user file, as lists and completions show it. */
export interface ListedProfile {
  readonly name: string;
  readonly class: ProfileClass;
  readonly isDefault: boolean;
  readonly baseUrl: string | undefined;
  readonly login: string | undefined;
}

/** Names the built-in sandbox wherever a profile is named; no file may have a profile of that name. */
export const builtInSandbox = 'sandbox';

/** The names of a connection described by variables or flags alone. */
export const adHocNames: readonly string[] = ['environment', 'flags'];

/**
 * Determines the connection of this run from flags, environment, project file, user file, in this order. Reads no
 * secret. Throws CONFIG_INVALID, PROFILE_NOT_CHOSEN, PROFILE_UNKNOWN, PROFILE_INCOMPLETE or PROFILE_CLASS_MISMATCH.
 */
export async function loadProfile(request: ProfileRequest, ports: ConfigPorts): Promise<LoadedProfile> {
  const environment = readEnvironment(ports.env);
  const { profile: named, overrides = {}, isOptional = false } = request;
  const flags: Layer = {
    ...(named === undefined ? {} : layerWith('profile', named, 'flag --profile')),
    ...readFlags(overrides, ports.files),
  };
  const sources = await readSources(ports);
  const chosen = chooseProfile(flags, environment, sources, isOptional);
  const name = chosen.value;
  const isBuiltIn = name === builtInSandbox;
  const own = adHocNames.includes(name) ? undefined : sources.user.profiles.get(name);
  const outside = [flags, environment].map((layer) =>
    isBuiltIn ? pick(layer, (key) => !(key in profileSettings)) : layer,
  );
  const values = merge([
    { profile: chosen },
    ...outside,
    sources.project?.common ?? {},
    own ?? {},
    sources.user.common,
  ]);
  const warnings = unknownVariables(ports.env, keyVariables(sources));
  if (isBuiltIn) assertNoConnection(flags);
  const profile = isBuiltIn ? undefined : buildProfile(name, own, values, sources.user);
  if (profile?.class === 'live') assertMayChooseLive(chosen, sources);
  return {
    ...{ profile, chosenBy: chosen.origin, warnings },
    ...{ output: values.output?.value, timeoutSeconds: values.timeout?.value, defaults: defaultsIn(values) },
    rows: profile?.rows ?? rowsOf(values),
  };
}

/**
 * A named profile first, then variables that describe a connection, then the default of the files, then flags alone.
 * The built-in sandbox is used only when it is named: whoever lost their configuration must not seem to have paid.
 */
function chooseProfile(flags: Layer, environment: Layer, sources: Sources, isOptional: boolean): Sourced<string> {
  const requested = flags.profile ?? environment.profile;
  const described = connectionVariables(environment);
  if (requested === undefined && described.length > 0) return { value: 'environment', origin: described.join(', ') };
  const chosen = requested ?? usualIn(sources);
  const profiles = sources.user.profiles;
  const { path: file } = sources.user;
  if (chosen !== undefined) {
    const isKnown = chosen.value === builtInSandbox || profiles.has(chosen.value);
    if (isKnown && secretIn(chosen.value) === undefined) return chosen;
    throw unknownProfile(chosen.value, profiles.keys(), file);
  }
  if (describesConnection(flags)) return { value: 'flags', origin: 'flags' };
  if (profiles.size > 0) throw fail('PROFILE_NOT_CHOSEN', { file, known: [...profiles.keys()].join(', ') });
  if (isOptional) return { value: builtInSandbox, origin: 'built-in' };
  throw fail('PROFILE_NOT_CHOSEN', {
    why: `no profile is configured in ${file}, and none is named`,
    how: '`paycli init` sets one up',
  });
}

/** The error for a profile that no file has. */
export function unknownProfile(name: string, profiles: Iterable<string>, file: string): PaycliError {
  const known = [...profiles];
  const meant = nearest(name, [...known, builtInSandbox]);
  return fail('PROFILE_UNKNOWN', { name: printableName(name), meant, known: known.join(', ') || 'none', file });
}

/** A project file may not choose a live profile. Throws CONFIG_INVALID. */
function assertMayChooseLive(chosen: Sourced<string>, { project }: Sources): void {
  if (project === undefined || project.common.profile !== chosen) return;
  throw fail('CONFIG_INVALID', {
    file: project.path,
    problems: `chooses the live profile ${chosen.value}, which only --profile, PAYCLI_PROFILE and the user file may do`,
    profile: chosen.value,
  });
}

/** Throws PROFILE_CLASS_MISMATCH. */
function assertNoConnection(flags: Layer): void {
  if (!describesConnection(flags)) return;
  throw fail('PROFILE_CLASS_MISMATCH', {
    why: 'the built-in sandbox has its own address and keys; omit the flags that set others',
    how: 'to use another address, choose its profile',
  });
}

/** Names of the environment variables that profiles take a secret from: no warning calls these unknown. */
function keyVariables(sources: Sources): string[] {
  return [...sources.user.profiles.values()]
    .flatMap((profile) => profileSecrets.map((key) => profile[key]?.value))
    .flatMap((source) => (source?.kind === 'environment' ? [source.name] : []));
}

/** The profiles of the user file, by name. Throws as loadProfile does for the files. */
export async function listProfiles(ports: ConfigPorts): Promise<ListedProfile[]> {
  const { user, project } = await readSources(ports);
  const usual = usualIn({ user, project })?.value;
  return [...user.profiles].sort().map(([name, layer]) => ({
    ...{ name, class: layer.class?.value ?? 'live', isDefault: name === usual },
    ...{ baseUrl: layer['base-url']?.value, login: layer.login?.value },
  }));
}

/** What the files say of profiles and their journals. Throws as loadProfile does for the files. */
export async function readProfiles(ports: ConfigPorts): Promise<{
  /** The name of the profile that they choose, which may be the built-in sandbox. */
  readonly usual: string | undefined;
  /** By the profile that names one; every other uses that of this machine. */
  readonly journals: ReadonlyMap<string, SharedJournal>;
}> {
  const sources = await readSources(ports);
  const journals = [...sources.user.profiles].flatMap(([name, layer]) => {
    const journal = sharedJournalIn(name, layer);
    return journal === undefined ? [] : [[name, journal] as const];
  });
  return { usual: usualIn(sources)?.value, journals: new Map(journals) };
}

function usualIn({ project, user }: Sources): Sourced<string> | undefined {
  return project?.common.profile ?? user.common.profile;
}

/**
 * Needs no key and no complete connection: stored data of a profile can be viewed even when its keys are gone. Throws
 * PROFILE_UNKNOWN for a name that no connection can have, and what reading the files throws.
 */
export async function checkProfileName(name: string, ports: ConfigPorts): Promise<void> {
  const { profiles, path } = (await readSources(ports)).user;
  if (profiles.has(name) || name === builtInSandbox || adHocNames.includes(name)) return;
  throw unknownProfile(name, profiles.keys(), path);
}
