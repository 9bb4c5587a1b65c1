/** Finds and reads the configuration files of a run: the user's own, and the one of the project worked in. */
import { dirname, join } from 'node:path';
import { fail } from '../errors/index.js';
import type { Files } from '../runtime/ports.js';
import type { ConfigContent } from './content.js';
import { fileFacts } from './file-access.js';
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

// Only these names are looked for: none of them is a format that would be executed, as config.js would be.
const userNames = ['config.json', 'config.yaml', 'config.yml'];
const projectNames = ['.paycli.json', '.paycli.yaml', '.paycli.yml'];

/**
 * Says where the configuration files are, without opening one. Throws CONFIG_INVALID for a folder with two of them, or
 * one in which they cannot be looked for.
 */
export function findConfigFiles(files: Files): ConfigPaths {
  const { config, working, home } = files.folders;
  const folders = searchFolders(files, working, home);
  // Every folder is looked at, the ones above the project file too: two files in one of them are an error as well.
  const found = folders.map((folder) => onlyFile(files, folder, projectNames));
  const at = found.findIndex((path) => path !== undefined);
  return {
    user: onlyFile(files, config, userNames),
    project: at === -1 ? undefined : found[at],
    projectFolders: at === -1 ? [] : folders.slice(at),
  };
}

/** The path of the user file, or the path to create it at. Throws as `findConfigFiles` does. */
export function userConfigPath(files: Files): string {
  const { config } = files.folders;
  return onlyFile(files, config, userNames) ?? join(config, 'config.yaml');
}

/**
 * Where a project file is looked for: from the working folder up to the root of its repository (the folder with .git).
 * Outside a repository only the working folder: a file further up may be anybody's. A repository at the home folder or
 * above counts as none, since it usually holds the user's settings and not a project.
 */
function searchFolders(files: Files, working: string, home: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = working; folder !== home; folder = dirname(folder)) {
    folders.push(folder);
    if (files.exists(join(folder, '.git'))) return folders;
    const isTop = dirname(folder) === folder;
    if (isTop) break;
  }
  return [working];
}

/** The path of the one file with any of these names; undefined where there is none. Throws CONFIG_INVALID for two. */
function onlyFile(files: Files, folder: string, names: readonly string[]): string | undefined {
  // `files.exists` would be false in a folder that may not be read: a failure to look is an error of its own.
  const refuse = (file: string) => (problems: string, cause?: unknown) =>
    fail('CONFIG_INVALID', { file, problems }, { cause });
  const paths = names.map((name) => join(folder, name));
  const found = paths.filter((path) => fileFacts(path, files, refuse(path)) !== undefined);
  if (found.length > 1) throw refuse(found.join(' and '))('only one of them may exist');
  return found[0];
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
