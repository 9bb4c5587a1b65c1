import type { Stats } from 'node:fs';

/** The file belongs to the user of this process. Windows has no such notion, so there every file does. */
export function isOwnedByUser({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

/**
 * Whether others than the owner may write it: everybody, or a group other than the owner's own, which has the same
 * number and no other members. Windows has no such bits.
 */
export function isWritableByOthers({ mode, uid, gid }: Stats): boolean {
  return process.getuid !== undefined && ((mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid));
}
