import { dirname } from 'node:path';
// Its index asks for the home folder as it is loaded, and throws where there is none.
import { loadJson, loadYaml } from 'cosmiconfig/dist/loaders.js';
import { parseDocument } from 'yaml';
import { fail, isPaycliError, shellWord } from '../errors/index.js';
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
  for (const each of [path, ...folders]) assertNotExposed(each, path, files);
  const text = readText(path, files);
  return { path, text, data: parseConfig(path, text) };
}

function readText(path: string, files: Files): string {
  const facts = fileFacts(path, files, unreadable(path));
  if (facts === undefined) throw unreadable(path)('there is no such file');
  if (!facts.isFile) throw unreadable(path)('is not a regular file');
  if (facts.size > maxBytes) throw unreadable(path)('is larger than 1 MiB');
  try {
    return files.readText(path, maxBytes).replace(/^\uFEFF/, '');
  } catch (error) {
    throw unreadable(path)(reasonOf(error), error);
  }
}

/** Parses a text by the extension of its file's name. Throws CONFIG_INVALID. */
export function parseConfig(path: string, text: string): unknown {
  if (text.trim() === '') return {};
  const isJson = path.endsWith('.json');
  try {
    const data: unknown = (isJson ? loadJson : loadYaml)(path, text);
    // JSON takes the last of two values under one name, while a reader may see the first.
    if (isJson && parseDocument(text).errors.some(({ code }) => code === 'DUPLICATE_KEY'))
      throw unreadable(path)('has a duplicate key');
    return data ?? {};
  } catch (error) {
    if (isPaycliError(error)) throw error;
    // The parsers' own messages quote the file, which may hold a key: no message, no cause.
    throw unreadable(path)(isJson ? 'is not valid JSON' : `is not valid YAML${lineOf(error)}`);
  }
}

/** Where a parser of YAML stopped, and why if that quotes nothing. */
function lineOf(error: unknown): string {
  const { mark, reason } = (error ?? {}) as { mark?: { line?: unknown } | null; reason?: unknown };
  if (typeof mark?.line !== 'number') return '';
  const why = typeof reason === 'string' && /^[a-z ,;]+$/.test(reason) ? `: ${reason}` : '';
  return ` (line ${mark.line + 1}${why})`;
}

/** Makes the error of a file that cannot be used. */
export function unreadable(file: string) {
  return (problems: string, cause?: unknown) => fail('CONFIG_INVALID', { file, problems }, { cause });
}

/**
 * A configuration file says which key signs and where money is sent, so only its user and root may be able to write or
 * replace it. Throws CONFIG_EXPOSED.
 */
function assertNotExposed(path: string, file: string, files: Files): void {
  const facts = fileFacts(path, files, unreadable(file));
  if (facts === undefined) return;
  const about = { file: path, path: `${path}${path === file ? '' : `, the folder of ${file},`}` };
  if (!facts.ownedByUser && !facts.ownedByRoot)
    throw fail('CONFIG_EXPOSED', {
      ...about,
      why: 'belongs to another user',
      how: 'make it your own, or remove it',
    });
  if (facts.isWritableByOthers)
    throw fail('CONFIG_EXPOSED', {
      ...about,
      why: 'can be changed by other users',
      how: `run \`chmod go-w ${shellWord(path, 'FILE')}\``,
    });
}
