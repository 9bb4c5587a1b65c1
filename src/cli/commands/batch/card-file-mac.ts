import { join } from 'node:path';
import { fail } from '../../../errors/index.js';
import { contentHash } from '../../../journal/intent.js';
import type { Files, Runtime } from '../../../runtime/ports.js';
import { createKeyFile } from '../../core/create-key-file.js';

const maxBytes = 256;

/**
 * The keyed hash that vouches for files with card numbers. Its key lies in the configuration folder: whoever has a copy
 * of the state folder alone cannot try out the few possible numbers against a plan. Read, or made, when it is first
 * needed. Throws STORAGE.
 */
export function cardFileMac({
  files,
  random,
}: Pick<Runtime, 'files' | 'random'>): (parts: readonly string[]) => string {
  let key: string | undefined;
  return (parts) => {
    key ??= keyIn(join(files.folders.config, 'card-seal.key'), files, () => random.letters(43));
    return contentHash(key, parts);
  };
}

function keyIn(path: string, files: Pick<Files, 'exists' | 'readText' | 'createText'>, make: () => string): string {
  try {
    if (!files.exists(path)) createKeyFile(path, files, [make()]);
    const key = files.readText(path, maxBytes).trim();
    if (key.length >= 32) return key;
  } catch (cause) {
    throw fail('cardFileKeyUnusable', { what: path }, { cause });
  }
  throw fail('cardFileKeyMissing', { what: path });
}
