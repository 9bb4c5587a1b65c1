import { join } from 'node:path';
import { openSeal, type Seal } from '../../callbacks/seal.js';
import { fail } from '../../errors/index.js';
import type { Files, Runtime } from '../../runtime/ports.js';
import { createKeyFile, readOrCreateKeyFile } from './key-file.js';

const callbacksStopped =
  'no callback was accepted or answered, so the gateway sends each again; everything except callbacks still works. Make the file readable by you, or restore it from a backup; if you move it away, a new key is made, and older callbacks are listed but not readable until the line with their key is back in the file';

const maxKeyFileBytes = 65_536;

/**
 * The file with the keys of stored callbacks. In the configuration folder, so that a copy of the state folder alone
 * cannot be read.
 */
export function callbackKeyPath(files: Pick<Files, 'folders'>): string {
  return join(files.folders.config, 'callback-seal.key');
}

/**
 * Encrypts stored callbacks. The key file has one key per line: the last encrypts, all decrypt. It is read or created
 * when first needed, and written again with the same keys if it disappears while a listener runs, so that new callbacks
 * stay readable. Throws STORAGE.
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
  throw fail('STORAGE', {
    what: path,
    why: 'it is damaged: not every line of it is a key for stored callbacks',
    how: callbacksStopped,
  });
}

function read(path: string, files: Port, make: () => string): readonly string[] {
  try {
    return readOrCreateKeyFile(path, maxKeyFileBytes, files, make)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  } catch (cause) {
    throw fail(
      'STORAGE',
      { what: path, why: 'the key of stored callbacks cannot be read or written there', how: callbacksStopped },
      { cause },
    );
  }
}
