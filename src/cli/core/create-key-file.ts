import type { Files } from '../../runtime/ports.js';

/** Writes a new key file, for its owner alone, unless another process was first: then that file stays as it is. */
export function createKeyFile(path: string, files: Pick<Files, 'createText'>, keys: readonly string[]): void {
  try {
    files.createText(path, `${keys.join('\n')}\n`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
