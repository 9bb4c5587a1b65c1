import type { Files } from '../../runtime/ports.js';

/** Writes a new key file readable by its owner only. A file that another process created first is left as it is. */
export function createKeyFile(path: string, files: Pick<Files, 'createText'>, keys: readonly string[]): void {
  try {
    files.createText(path, `${keys.join('\n')}\n`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
