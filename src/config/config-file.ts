import { dirname } from 'node:path';
// Its index asks for the home folder as it is loaded, and throws where there is none.
import { loadJson, loadYaml } from 'cosmiconfig/dist/loaders.js';
import { fail, isPaycliError, type PaycliError, shellWord } from '../errors/index.js';
import type { Files } from '../runtime/ports.js';
import { fileFacts, reasonOf } from './file-access.js';

/** A configuration file as it was read; `data` is not checked yet. */
export interface ConfigText {
  readonly path: string;
  readonly text: string;
  readonly data: unknown;
}

const maxBytes = 1024 * 1024;

/**
 * Reads one JSON or YAML file that nobody else may write, nor `folders`, by default its own. Throws CONFIG_EXPOSED and
 * CONFIG_INVALID. Uses the parsers of cosmiconfig and never its explorers: making one runs
 * `.config/config.js` of the working folder, whatever search places it is given, and follows `$import`.
 */
export function readConfigFile(path: string, files: Files, folders: readonly string[] = [dirname(path)]): ConfigText {
  checkNotExposed(path, folders, files);
  const text = readText(path, files);
  return { path, text, data: parseConfig(path, text) };
}

function readText(path: string, files: Files): string {
  const facts = fileFacts(path, files, (problems, cause) => unreadable(path, problems, cause));
  if (facts === undefined) throw fail('CONFIG_INVALID', { file: path, problems: 'there is no such file' });
  if (!facts.isFile) throw fail('CONFIG_INVALID', { file: path, problems: 'is not a regular file' });
  if (facts.size > maxBytes) throw fail('CONFIG_INVALID', { file: path, problems: 'is larger than 1 MiB' });
  try {
    return files.readText(path, maxBytes).replace(/^\uFEFF/, '');
  } catch (error) {
    throw unreadable(path, reasonOf(error), error);
  }
}

/** Parses a text by the extension of its file's name. Throws CONFIG_INVALID. */
export function parseConfig(path: string, text: string): unknown {
  if (text.trim() === '') return {};
  const isJson = path.endsWith('.json');
  try {
    const data: unknown = (isJson ? loadJson : loadYaml)(path, text);
    if (isJson) rejectDuplicateKeys(path, text);
    return data ?? {};
  } catch (error) {
    if (isPaycliError(error)) throw error;
    // The parsers' own messages quote the file, which may hold a key: no message, no cause.
    throw isJson
      ? fail('CONFIG_INVALID', { file: path, problems: 'is not valid JSON' })
      : fail('CONFIG_INVALID', { file: path, problems: `is not valid YAML${lineOf(error)}` });
  }
}

/**
 * JSON takes the last of two values under one name, while a reader may see the first: YAML, of which JSON is a subset,
 * refuses duplicates.
 */
function rejectDuplicateKeys(path: string, text: string): void {
  try {
    // Tabs between tokens are JSON, but no YAML; nor is a line end before a colon. Within a string, JSON has neither.
    loadYaml(path, text.replaceAll(/[\t\r\n]/g, ' '));
  } catch (error) {
    if (lineOf(error).includes('duplicated mapping key'))
      throw fail('CONFIG_INVALID', { file: path, problems: 'has a duplicate key' });
  }
}

function lineOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('mark' in error)) return '';
  const mark = error.mark;
  if (typeof mark !== 'object' || mark === null || !('line' in mark) || typeof mark.line !== 'number') return '';
  const why =
    'reason' in error && typeof error.reason === 'string' && /^[a-z ,;]+$/.test(error.reason)
      ? `: ${error.reason}`
      : '';
  return ` (line ${mark.line + 1}${why})`;
}

function unreadable(file: string, problems: string, cause: unknown): PaycliError {
  return fail('CONFIG_INVALID', { file, problems }, { cause });
}

/**
 * A configuration file says which key signs and where money is sent, so only its user and root may be able to write or
 * replace it. Throws CONFIG_EXPOSED for the first of these paths that others can write.
 */
function checkNotExposed(file: string, folders: readonly string[], files: Files): void {
  for (const path of [file, ...folders]) {
    const facts = fileFacts(path, files, (problems, cause) => unreadable(path, problems, cause));
    if (facts === undefined) continue;
    const about = path === file ? '' : `, the folder of ${file},`;
    if (!facts.ownedByUser && !facts.ownedByRoot)
      throw fail('CONFIG_EXPOSED', {
        why: 'belongs to another user',
        how: 'make it your own, or remove it',
        file: path,
        path: `${path}${about}`,
      });
    if (facts.isWritableByOthers)
      throw fail('CONFIG_EXPOSED', {
        why: 'can be changed by other users',
        how: `run \`chmod go-w ${shellWord(path, 'FILE')}\``,
        file: path,
        path: `${path}${about}`,
      });
  }
}
