import { dirname, join } from 'node:path';
import { fail } from '../errors/index.js';
import type { Env, Files } from '../runtime/ports.js';
import type { ConfigContent, ProfileContent } from './content.js';
import { fileFacts } from './file-access.js';
import type { FoundContent } from './trust.js';

export interface ConfigPorts {
  readonly env: Env;
  readonly files: Files;
}

/** The configuration files of this run. */
export interface Sources {
  readonly user: ConfigContent | undefined;
  readonly project: FoundContent | undefined;
}

/** Reads what there is. With no file there, neither parser nor shape is loaded. */
export async function readSources({ files }: ConfigPorts): Promise<Sources> {
  const places = findConfig(files);
  if (places.user === undefined && places.project === undefined) return { user: undefined, project: undefined };
  const { readTrustedContent } = await import('./trust.js');
  const user = places.user === undefined ? undefined : readTrustedContent(places.user, 'user', files);
  const project =
    places.project === undefined ? undefined : readTrustedContent(places.project, 'project', files, places.folders);
  return { user, project };
}

/** The strongest first. */
export function contentsOf({ project, user }: Sources): ConfigContent[] {
  return [project, user].filter((content) => content !== undefined);
}

/**
 * Profiles by name. One of the project file replaces one of the user file as a whole: the key of one must never be used
 * with the address of the other.
 */
export function profilesOf(sources: Sources): ReadonlyMap<string, ProfileContent & { readonly file: string }> {
  const all = contentsOf(sources)
    .reverse()
    .flatMap(({ path, profiles }) =>
      [...profiles.values()].map((profile) => [profile.name, { ...profile, file: path }] as const),
    );
  return new Map(all);
}

/** Variables a file refers to, which are therefore known. */
export function namedVariables(sources: Sources): string[] {
  return contentsOf(sources)
    .flatMap(({ profiles }) => [...profiles.values()])
    .flatMap(({ draft }) => Object.values(draft.secrets))
    .flatMap((source) => (source.kind === 'environment' ? [source.name] : []));
}

// Closed lists: no file of these names is executed.
const userNames = ['config.json', 'config.yaml', 'config.yml'];
const projectNames = ['.paycli.json', '.paycli.yaml', '.paycli.yml'];

interface ConfigLocations {
  readonly user: string | undefined;
  readonly project: string | undefined;
  /** From that of the project file up to the root of its repository. */
  readonly folders: readonly string[];
}

/**
 * Where configuration is; no file is opened. Loads no library, so that a run without configuration stays quick.
 */
export function findConfig(files: Files): ConfigLocations {
  const { config, working, home } = files.folders;
  const folders = searchFolders(files, working, home);
  const found = folders.map((folder) => singleFile(files, folder, projectNames));
  const at = found.findIndex((path) => path !== undefined);
  return { user: singleFile(files, config, userNames), project: found[at], folders: at < 0 ? [] : folders.slice(at) };
}

/** Where the user file is, or would be. */
export function userConfigPath(files: Files): string {
  return singleFile(files, files.folders.config, userNames) ?? join(files.folders.config, 'config.yaml');
}

/**
 * From the working folder up to the root of its repository; the working folder alone when it is in none, or only in one
 * at or above home.
 */
function searchFolders(files: Files, working: string, home: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = working; ; folder = dirname(folder)) {
    if (folder === home && folder !== working) return [working];
    folders.push(folder);
    if (files.exists(join(folder, '.git'))) return folders;
    if (dirname(folder) === folder || folder === home) return [working];
  }
}

function singleFile(files: Files, folder: string, names: readonly string[]): string | undefined {
  // Not by `exists`, which calls a folder without permission empty: a run must not end in the sandbox because of that.
  const refuse = (path: string) => (problems: string, cause: unknown) =>
    fail('CONFIG_INVALID', { file: path, problems }, { cause });
  const paths = names.map((name) => join(folder, name));
  const found = paths.filter((path) => fileFacts(path, files, refuse(path)) !== undefined);
  if (found.length > 1) throw fail('severalConfigFiles', { file: found.join(' and ') });
  return found[0];
}

/** Who may approve batches by the user's own file: by name, the path of a public key, or the key itself in Base64. */
export async function approversIn(ports: ConfigPorts): Promise<ReadonlyMap<string, string>> {
  return (await readSources(ports)).user?.approvers ?? new Map();
}
