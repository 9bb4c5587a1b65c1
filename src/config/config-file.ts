import { dirname } from 'node:path';
// Its index asks for the home folder as it is loaded, and throws where there is none.
import { loadYaml } from 'cosmiconfig/dist/loaders.js';
import { fail, shellWord } from '../errors/index.js';
import type { Files } from '../runtime/ports.js';
import { factsOfConfig, invalidConfig, reasonOf } from './file-access.js';

/** A configuration file as it was read; `data` is not checked yet. */
export interface ConfigText {
  readonly path: string;
  readonly text: string;
  readonly data: unknown;
}

const maxBytes = 1024 * 1024;

/**
 * Reads one YAML file that nobody else may write, nor `folders`, by default its own. Throws CONFIG_EXPOSED and
 * CONFIG_INVALID. Uses the parser of cosmiconfig and never its explorers: making one runs
 * `.config/config.js` of the working folder, whatever search places it is given, and follows `$import`.
 */
export function readConfigFile(path: string, files: Files, folders: readonly string[] = [dirname(path)]): ConfigText {
  for (const each of [path, ...folders]) assertNotExposed(each, path, files);
  const text = readText(path, files);
  return { path, text, data: parseConfig(path, text) };
}

function readText(path: string, files: Files): string {
  const facts = factsOfConfig(path, files);
  if (facts?.isFile !== true) throw invalidConfig(path, 'is not a regular file');
  if (facts.size > maxBytes) throw invalidConfig(path, 'is larger than 1 MiB');
  try {
    return files.readText(path, maxBytes).replace(/^\uFEFF/, '');
  } catch (error) {
    throw invalidConfig(path, reasonOf(error), error);
  }
}

/** Throws CONFIG_INVALID. */
export function parseConfig(path: string, text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return loadYaml(path, text) ?? {};
  } catch (error) {
    // The parser's own message quotes the file, which may hold a key: no message, no cause.
    throw invalidConfig(path, `is not valid YAML${lineOf(error)}`);
  }
}

/** Where the parser stopped, and why if that quotes nothing. */
function lineOf(error: unknown): string {
  const { mark, reason } = (error ?? {}) as { mark?: { line?: unknown } | null; reason?: unknown };
  if (typeof mark?.line !== 'number') return '';
  const why = typeof reason === 'string' && /^[a-z ,;]+$/.test(reason) ? `: ${reason}` : '';
  return ` (line ${mark.line + 1}${why})`;
}

/**
 * A configuration file says which key signs and where money is sent, so only its user and root may be able to write or
 * replace it. Throws CONFIG_EXPOSED.
 */
function assertNotExposed(path: string, file: string, files: Files): void {
  const facts = factsOfConfig(path, files);
  if (facts === undefined) return;
  const about = { file, path: `${path}${path === file ? '' : `, the folder of ${file},`}` };
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
