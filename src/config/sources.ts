import type { Env, Files } from '../runtime/ports.js';
import type { ConfigContent, ProfileContent } from './content.js';
import { findConfig } from './places.js';

export interface ConfigPorts {
  readonly env: Env;
  readonly files: Files;
}

/** The configuration files of this run. */
export interface Sources {
  readonly user: ConfigContent | undefined;
  readonly project: ConfigContent | undefined;
}

/** Reads what there is. With no file there, neither parser nor shape is loaded. */
export async function readSources({ files }: ConfigPorts): Promise<Sources> {
  const places = findConfig(files);
  if (places.user === undefined && places.project === undefined) return { user: undefined, project: undefined };
  const { readContent } = await import('./reading.js');
  const user = places.user === undefined ? undefined : readContent(places.user, 'user', files);
  const project = places.project === undefined ? undefined : readContent(places.project, 'project', files, places.folders);
  return { user, project };
}

/** The strongest first. */
export function contentsOf({ project, user }: Sources): ConfigContent[] {
  return [project, user].filter((content) => content !== undefined);
}

/** Profiles by name. One of the project file replaces one of the user file as a whole: the key of one and the address of the other must not meet. */
export function profilesOf(sources: Sources): ReadonlyMap<string, ProfileContent & { readonly file: string }> {
  const all = contentsOf(sources)
    .reverse()
    .flatMap(({ path, profiles }) => [...profiles.values()].map((profile) => [profile.name, { ...profile, file: path }] as const));
  return new Map(all);
}

/** Variables a file refers to, which are therefore known. */
export function namedVariables(sources: Sources): string[] {
  return contentsOf(sources)
    .flatMap(({ profiles }) => [...profiles.values()])
    .flatMap(({ draft }) => Object.values(draft.secrets))
    .flatMap((source) => (source.kind === 'environment' ? [source.name] : []));
}
