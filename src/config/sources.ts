/** Finds and reads the configuration files of a run: the user's own, and the one of the project worked in. */
import { dirname, join } from 'node:path';
import type { Files } from '../runtime/ports.js';
import type { ConfigContent } from './content.js';
import { factsOfConfig } from './file-access.js';

/** The checked content of the configuration files of this run. That of a user file which does not exist is empty. */
export interface Sources {
  readonly user: ConfigContent;
  readonly project: ConfigContent | undefined;
}

/** The path of the user file, which may not exist. */
export function userConfigPath({ folders }: Pick<Files, 'folders'>): string {
  return join(folders.config, 'config.yaml');
}

/** Whether there is a file. Throws CONFIG_INVALID where that cannot be seen, as in a folder that may not be read. */
export function isThere(path: string, files: Files): boolean {
  return factsOfConfig(path, files) !== undefined;
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
  const path = userConfigPath(files);
  const project = searchFolders(files)
    .map((folder) => join(folder, '.paycli.yaml'))
    .find((each) => isThere(each, files));
  const none: ConfigContent = { path, common: {}, liveHosts: [], profiles: new Map() };
  const hasUser = isThere(path, files);
  if (!hasUser && project === undefined) return { user: none, project };
  // Loaded here and not above, as it brings the parsers: a run without configuration starts faster.
  const [{ readConfigFile }, { readContent, readProjectContent }] = await Promise.all([
    import('./config-file.js'),
    import('./content.js'),
  ]);
  return {
    user: hasUser ? readContent(readConfigFile(path, files), files) : none,
    project: project === undefined ? undefined : readProjectContent(readConfigFile(project, files), files),
  };
}
