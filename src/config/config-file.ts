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
 * Reads one YAML file that nobody else may write, nor its folder. Throws CONFIG_EXPOSED and CONFIG_INVALID. Uses the parser of cosmiconfig and never its explorers: making one runs
 * `.config/config.js` of the working folder, whatever search places it is given, and follows `$import`.
 */
export function readConfigFile(path: string, files: Files): ConfigText {
  for (const each of [path, dirname(path)]) assertNotExposed(each, path, files);
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
    const { mark } = (error ?? {}) as { mark?: { line?: unknown } | null };
    const line = typeof mark?.line === 'number' ? ` (line ${mark.line + 1})` : '';
    throw invalidConfig(path, `is not valid YAML${line}`);
  }
}

/**
 * A configuration file says which key signs and where money is sent, so only its user and root may be able to write or
 * replace it. Throws CONFIG_EXPOSED.
 */
function assertNotExposed(path: string, file: string, files: Files): void {
  const facts = factsOfConfig(path, files);
  if (facts?.isTrusted !== false) return;
  throw fail('CONFIG_EXPOSED', {
    file,
    path: `${path}${path === file ? '' : `, the folder of ${file},`}`,
    why: 'can be changed by other users',
    how: `make it your own, and run \`chmod go-w ${shellWord(path, 'FILE')}\``,
  });
}
