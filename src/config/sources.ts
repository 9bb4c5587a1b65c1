/** Finds and reads the configuration files of a run: the user's own, and the one of the project worked in. */
import { dirname, join } from 'node:path';
import type { Files } from '../runtime/ports.js';
import type { ConfigContent } from './content.js';
import { factsOfConfig } from './file-access.js';
import type { Layer } from './layers.js';

/** The checked content of the configuration files of this run; undefined for a file that does not exist. */
export interface Sources {
  readonly user: ConfigContent | undefined;
  readonly project: ConfigContent | undefined;
}

/** Absolute paths of the configuration files; undefined for a file that does not exist. */
interface ConfigPaths {
  readonly user: string | undefined;
  readonly project: string | undefined;
  /** The folder of the project file and those above it, up to the root of its repository; none without the file. */
  readonly projectFolders: readonly string[];
}

/** The path of the user file, which may not exist. */
export function userConfigPath({ folders }: Pick<Files, 'folders'>): string {
  return join(folders.config, 'config.yaml');
}

/** Says where the configuration files are, without opening one. Throws CONFIG_INVALID where they cannot be looked for. */
export function findConfigFiles(files: Files): ConfigPaths {
  // `files.exists` would be false in a folder that may not be read: a failure to look is an error of its own.
  const isThere = (path: string) => factsOfConfig(path, files) !== undefined;
  const user = userConfigPath(files);
  const folders = searchFolders(files);
  const at = folders.findIndex((folder) => isThere(join(folder, '.paycli.yaml')));
  return {
    user: isThere(user) ? user : undefined,
    project: at === -1 ? undefined : join(folders[at] ?? '', '.paycli.yaml'),
    projectFolders: at === -1 ? [] : folders.slice(at),
  };
}

/**
 * Where a project file is looked for: from the working folder up to the root of its repository (the folder with .git).
 * Outside a repository only the working folder: a file further up may be anybody's. A repository at the home folder or
 * above counts as none, since it usually holds the user's settings and not a project.
 */
function searchFolders(files: Files): readonly string[] {
  const { working, home } = files.folders;
  const folders: string[] = [];
  for (let folder = working; folder !== home; folder = dirname(folder)) {
    folders.push(folder);
    if (files.exists(join(folder, '.git'))) return folders;
    if (dirname(folder) === folder) break;
  }
  return [working];
}

/**
 * Reads and checks the files there are. Throws CONFIG_INVALID (unreadable or wrong, or a project file that sets more
 * than it may) or CONFIG_EXPOSED (others may write the file or its folder).
 */
export async function readSources({ files }: { readonly files: Files }): Promise<Sources> {
  const { user, project, projectFolders } = findConfigFiles(files);
  if (user === undefined && project === undefined) return { user, project };
  // Loaded here and not above, as it brings the parsers: a run without configuration starts faster.
  const [{ readConfigFile }, { readContent, readProjectContent }] = await Promise.all([
    import('./config-file.js'),
    import('./content.js'),
  ]);
  return {
    user: user === undefined ? undefined : readContent(readConfigFile(user, files), files),
    project:
      project === undefined ? undefined : readProjectContent(readConfigFile(project, files, projectFolders), files),
  };
}

export function profilesIn({ user }: Sources): ReadonlyMap<string, Layer> {
  return user?.profiles ?? new Map();
}
