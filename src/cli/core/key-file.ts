import type { Files } from '../../runtime/ports.js';

/** The text of a key file. A missing one is made first, with one new key. */
export function readOrCreateKeyFile(
  path: string,
  maxBytes: number,
  files: Pick<Files, 'exists' | 'readText' | 'createText'>,
  makeKey: () => string,
): string {
  if (!files.exists(path)) createKeyFile(path, files, [makeKey()]);
  return files.readText(path, maxBytes);
}

/** Writes a key file that only its owner may read, with a key per line. One that another process made first is kept. */
export function createKeyFile(path: string, files: Pick<Files, 'createText'>, keys: readonly string[]): void {
  try {
    files.createText(path, `${keys.join('\n')}\n`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
