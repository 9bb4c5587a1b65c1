import type { Journal } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { journalPath, openUserJournal } from '../../core/user-stores.js';

/**
 * The journal of this user, opened at the first use at which it exists: a listener may run before the first payment.
 */
export interface LazyJournal {
  /** Undefined while there is no journal. */
  readonly open: () => Promise<Journal | undefined>;
  close(): void;
}

export function openLazily(runtime: Runtime): LazyJournal {
  let opened: Promise<Journal> | undefined;
  let known: Journal | undefined;
  return {
    async open() {
      if (opened === undefined && !runtime.files.exists(journalPath(runtime))) return undefined;
      opened ??= openUserJournal(runtime);
      known = await opened;
      return known;
    },
    close: () => known?.close(),
  };
}
