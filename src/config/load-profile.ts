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
  describesConnection,
  type Environment,
  readEnvironment,
  readFlags,
  unknownVariables,
} from './given.js';
import { type ExplainRow, type Layer, merge, pick, rowsOf, type Sourced } from './layers.js';
import {
  type OutputFormat,
  type ProfileClass,
  profileSecrets,
  profileSettings,
  type SecretKey,
  type SecretSource,
  secretKeys,
} from './settings.js';
import { profilesIn, readSources, type Sources, userConfigPath } from './sources.js';

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
  /** Every value in force and where it came from, and those it hides. Keys are shown by their place only. */
  readonly rows: readonly ExplainRow[];
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
  readonly keys: Readonly<Partial<Record<SecretKey, SecretSource>>>;
}

/** Names the built-in sandbox wherever a profile is named; no file may have a profile of that name. */
export const builtInSandbox = 'sandbox';

/** The names of a connection described by variables or flags alone. */
export const adHocNames: readonly string[] = ['environment', 'flags'];

/** What there is to choose a profile from. */
interface Given {
  /** With what --profile says. */
  readonly flags: Layer;
  readonly environment: Environment;
  readonly sources: Sources;
  readonly isOptional: boolean;
  /** Path of the user file, which may not exist. */
  readonly userFile: string;
}

/**
 * Determines the connection of this run from flags, environment, project file, user file, in this order. Reads no
 * secret. Throws CONFIG_INVALID, PROFILE_NOT_CHOSEN, PROFILE_UNKNOWN, PROFILE_INCOMPLETE or PROFILE_CLASS_MISMATCH.
 */
export async function loadProfile(request: ProfileRequest, ports: ConfigPorts): Promise<LoadedProfile> {
  const environment = readEnvironment(ports.env);
  const { profile: named, overrides = {}, isOptional = false } = request;
  const flags: Layer = {
    ...(named === undefined ? {} : { profile: { value: named, origin: 'flag --profile' } }),
    ...readFlags(overrides, ports.files),
  };
  const sources = await readSources(ports);
  const chosen = chooseProfile({ flags, environment, sources, isOptional, userFile: userConfigPath(ports.files) });
  const name = chosen.value;
  const isBuiltIn = name === builtInSandbox;
  const own = adHocNames.includes(name) ? undefined : profilesIn(sources).get(name);
  const outside = [flags, environment.layer].map((layer) =>
    isBuiltIn ? pick(layer, (key) => !(key in profileSettings)) : layer,
  );
  const base = [...outside, sources.project?.common ?? {}, own ?? {}, sources.user?.common ?? {}];
  const layers = merge(base).profile === chosen ? base : [{ profile: chosen }, ...base];
  const stray = unknownVariables(ports.env, keyVariables(sources));
  const warnings = [...stray, ...(isBuiltIn ? unusedBySandbox(environment, flags) : [])];
  const profile = isBuiltIn ? undefined : buildProfile({ name, own, layers, sources });
  if (profile?.class === 'live') assertMayChooseLive(chosen, sources);
  const values = merge(layers);
  return {
    ...{ profile, chosenBy: chosen.origin, warnings, profiles: listed(sources) },
    ...{ output: values.output?.value, timeoutSeconds: values.timeout?.value, defaults: defaultsIn(values) },
    rows: profile?.rows ?? rowsOf(layers, values),
  };
}

/**
 * A named profile first, then variables that describe a connection, then the default of the files, then flags alone.
 * The built-in sandbox is used only when it is named: whoever lost their configuration must not seem to have paid.
 */
function chooseProfile(given: Given): Sourced<string> {
  const { flags, environment, sources, userFile } = given;
  const requested = flags.profile ?? environment.layer.profile;
  const usual = usualIn(sources);
  if (requested === undefined && environment.connection.length > 0)
    return { value: 'environment', origin: environment.connection.join(', ') };
  const chosen = requested ?? usual;
  if (chosen !== undefined) return assertKnown(chosen, given);
  if (describesConnection(flags)) return { value: 'flags', origin: 'flags' };
  if (profilesIn(sources).size > 0)
    throw fail('PROFILE_NOT_CHOSEN', { file: userFile, known: knownProfiles(sources.user) });
  if (given.isOptional) return { value: builtInSandbox, origin: 'built-in' };
  throw fail('PROFILE_NOT_CHOSEN', {
    why: `no profile is configured in ${userFile}, and none is named`,
    how: '`paycli init` sets one up',
  });
}

function assertKnown(chosen: Sourced<string>, { sources, userFile }: Given): Sourced<string> {
  const name = chosen.value;
  if (secretIn(name) === undefined && (name === builtInSandbox || profilesIn(sources).has(name))) return chosen;
  throw unknownProfile(name, profilesIn(sources).keys(), userFile, builtInSandbox);
}

/** The error for a profile that no file has. `others` may be meant as well. */
export function unknownProfile(
  name: string,
  profiles: Iterable<string>,
  file: string,
  ...others: readonly string[]
): PaycliError {
  const known = [...profiles];
  const meant = nearest(name, [...known, ...others]);
  return fail('PROFILE_UNKNOWN', { name: printableName(name), meant, known: known.join(', ') || 'none', file });
}

function knownProfiles(user: Sources['user']): string {
  return [...(user?.profiles.keys() ?? [])].join(', ');
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

function unusedBySandbox({ connection }: Environment, flags: Layer): string[] {
  if (describesConnection(flags))
    throw fail('PROFILE_CLASS_MISMATCH', {
      why: 'the built-in sandbox has its own address and keys; omit the flags that set others',
      how: 'to use another address, choose its profile',
    });
  return connection.length === 0
    ? []
    : [`the built-in sandbox was selected, so ${connection.join(', ')} were not used`];
}

/** Names of the environment variables that profiles take a secret from: no warning calls these unknown. */
function keyVariables(sources: Sources): string[] {
  return [...profilesIn(sources).values()]
    .flatMap((profile) => profileSecrets.map((key) => profile[key]?.value))
    .flatMap((source) => (source?.kind === 'environment' ? [source.name] : []));
}

/** The profiles of the user file, by name. Throws as loadProfile does for the files. */
export async function listProfiles(ports: ConfigPorts): Promise<ListedProfile[]> {
  return listed(await readSources(ports));
}

/** The name of the profile that the files choose, which may be the built-in sandbox. Throws as loadProfile does for them. */
export async function defaultProfileName(ports: ConfigPorts): Promise<string | undefined> {
  return usualIn(await readSources(ports))?.value;
}

function usualIn({ project, user }: Sources): Sourced<string> | undefined {
  return project?.common.profile ?? user?.common.profile;
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
  const name = profile ?? usualIn(sources)?.value ?? '';
  return sharedJournalIn(name, profilesIn(sources).get(name) ?? {});
}

/** Every journal that a profile names, once. */
export async function sharedJournals(ports: ConfigPorts): Promise<readonly SharedJournal[]> {
  const profiles = [...profilesIn(await readSources(ports))];
  const named = profiles.flatMap(([name, layer]) => sharedJournalIn(name, layer) ?? []);
  return [...new Map(named.map((journal) => [journal.shown, journal])).values()];
}

function listed(sources: Sources): ListedProfile[] {
  const usual = usualIn(sources)?.value;
  return [...profilesIn(sources)]
    .map(([name, layer]) => ({
      ...{ name, class: layer.class?.value ?? 'live', isDefault: name === usual },
      ...{ baseUrl: layer['base-url']?.value, login: layer.login?.value, keys: keysIn(layer) },
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function keysIn(layer: Layer): ListedProfile['keys'] {
  const keys = secretKeys.flatMap((key) => {
    const source = layer[key]?.value;
    return source === undefined ? [] : [[key, source] as const];
  });
  return Object.fromEntries(keys);
}

/**
 * Needs no key and no complete connection: stored data of a profile can be viewed even when its keys are gone. Throws
 * PROFILE_UNKNOWN for a name that no connection can have, and what reading the files throws.
 */
export async function checkProfileName(name: string, ports: ConfigPorts): Promise<void> {
  const profiles = profilesIn(await readSources(ports));
  if (profiles.has(name) || name === builtInSandbox || adHocNames.includes(name)) return;
  throw unknownProfile(name, profiles.keys(), userConfigPath(ports.files), builtInSandbox);
}
