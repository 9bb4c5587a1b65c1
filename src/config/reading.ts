import type { Files } from '../runtime/ports.js';
import { type ConfigContent, contentOf } from './content.js';
import { readConfig } from './files.js';
import { checkTrust } from './trust.js';

/** Reads and checks one file; a project file's guarded keys need trust. `folders` are those that others may not write, besides the file. Loaded only when there is a file. */
export function readContent(path: string, kind: 'user' | 'project', files: Files, folders?: readonly string[]): ConfigContent {
  const text = readConfig(path, files, folders);
  if (kind === 'project') checkTrust(text, files);
  return contentOf(text, kind, files);
}
