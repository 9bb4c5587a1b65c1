import { join } from 'node:path';
import { openSeal, type Seal } from '../../callbacks/seal.js';
import { fail } from '../../errors/index.js';
import type { Files, Runtime } from '../../runtime/ports.js';
import { createKeyFile } from './create-key-file.js';

const mostBytes = 65_536;

/**
 * Where the keys lie that open stored callbacks: in the configuration folder, so that a copy of the state folder alone
 * says nothing.
 */
export function callbackKeyPath(files: Pick<Files, 'folders'>): string {
  return join(files.folders.config, 'callback-seal.key');
}

/**
 * The seal of stored callbacks. Its file has one key a line: the last one seals, all of them open. Read, or made, when
 * it is first needed; made again, with the same key, if it is gone while a listener runs: what comes then must stay
 * readable. Throws STORAGE.
 */
export function callbackSeal({ files, random }: Pick<Runtime, 'files' | 'random'>): Seal {
  const path = callbackKeyPath(files);
  let keys: readonly string[] = [];
  return openSeal(() => {
    if (keys.length === 0) keys = keysIn(path, files, () => random.letters(43));
    else if (!files.exists(path)) createKeyFile(path, files, keys);
    return keys;
  });
}

type Port = Pick<Files, 'exists' | 'readText' | 'createText'>;

function keysIn(path: string, files: Port, make: () => string): readonly string[] {
  const keys = read(path, files, make);
  if (keys.length > 0 && keys.every((key) => key.length >= 32)) return keys;
  throw fail('callbackKeysDamaged', { what: path });
}

function read(path: string, files: Port, make: () => string): readonly string[] {
  try {
    if (!files.exists(path)) createKeyFile(path, files, [make()]);
    return files
      .readText(path, mostBytes)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  } catch (cause) {
    throw fail('callbackKeysUnusable', { what: path }, { cause });
  }
}
