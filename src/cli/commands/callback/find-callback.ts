import type { CallbackStore, StoredCallback } from '../../../callbacks/store.js';
import { fail } from '../../../errors/index.js';

/** The callback a user means by its number in the list. Throws USAGE. */
export function findCallback(store: CallbackStore, id: string, command: string): StoredCallback {
  const callback = /^#?\d{1,15}$/.test(id) ? store.get(Number(id.replace('#', ''))) : undefined;
  if (callback !== undefined) return callback;
  throw fail('noSuchCallback', { id: id.slice(0, 40), command });
}
