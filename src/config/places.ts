import { dirname, join } from 'node:path';
import { fail } from '../errors/index.js';
import type { Files } from '../runtime/ports.js';
import { lookAt } from './reason.js';

// Closed lists: no name here can make anything run.
const userNames = ['config.json', 'config.yaml', 'config.yml'];
const projectNames = ['.paycli.json', '.paycli.yaml', '.paycli.yml'];

export interface Places {
  readonly user: string | undefined;
  readonly project: string | undefined;
  /** From that of the project file up to the root of its repository. */
  readonly folders: readonly string[];
}

/** Where configuration is, by looking only: nothing is opened. Loads no library, so that a run without configuration stays quick. */
export function findConfig(files: Files): Places {
  const { config, working, home } = files.folders;
  const folders = searchFolders(files, working, home);
  const found = folders.map((folder) => onlyOne(files, folder, projectNames));
  const at = found.findIndex((path) => path !== undefined);
  return { user: onlyOne(files, config, userNames), project: found[at], folders: at < 0 ? [] : folders.slice(at) };
}

/** Where the user file is, or would be. */
export function userPlace(files: Files): string {
  return onlyOne(files, files.folders.config, userNames) ?? join(files.folders.config, 'config.yaml');
}

/** From the working folder up to the root of its repository; the working folder alone when it is in none, or only in one at or above home. */
function searchFolders(files: Files, working: string, home: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = working; ; folder = dirname(folder)) {
    if (folder === home && folder !== working) return [working];
    folders.push(folder);
    if (files.exists(join(folder, '.git'))) return folders;
    if (dirname(folder) === folder || folder === home) return [working];
  }
}

function onlyOne(files: Files, folder: string, names: readonly string[]): string | undefined {
  // Not by `exists`, which calls a folder without permission empty: a run must not end in the sandbox because of that.
  const refuse = (path: string) => (problems: string, cause: unknown) => fail('CONFIG_INVALID', { file: path, problems }, { cause });
  const paths = names.map((name) => join(folder, name));
  const found = paths.filter((path) => lookAt(path, files, refuse(path)) !== undefined);
  if (found.length > 1) throw fail('CONFIG_INVALID', { file: found.join(' and '), problems: 'only one of them may be there' });
  return found[0];
}
