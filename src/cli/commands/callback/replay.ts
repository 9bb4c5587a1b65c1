import { forwardCallback, parseHandlerAddress } from '../../../callbacks/forward.js';
import type { Forwarded, RawCallback, StoredCallback } from '../../../callbacks/store.js';
import { exits, fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { callbackKeyPath } from '../../core/callback-seal.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { openCallbackHistory } from '../../core/user-stores.js';
import { forwardDocument, forwardLine } from './format.js';
import { findCallback } from './history.js';

export interface ReplayFlags extends CommonOptions {
  readonly to?: string;
}

/** Hands a stored callback to a handler once more, byte for byte. */
export async function runCallbackReplay(id: string, flags: ReplayFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter(flags, undefined, runtime);
  const store = await openCallbackHistory(runtime);
  try {
    const callback = findCallback(store, id, 'callback replay');
    const forwarded = await forwardCallback(rawOf(callback, runtime), targetOf(callback, flags.to), runtime.clock);
    store.markForwarded(callback.id, forwarded);
    return await reportForwarded(forwarded, 'paycli.callback-replay/1', report);
  } finally {
    store.close();
  }
}

/** Shows what a handler answered; its exit code says whether a gateway would be content. */
export async function reportForwarded(forwarded: Forwarded, schema: string, report: Reporter): Promise<number> {
  const { status, reason } = forwarded;
  if (status === undefined) throw fail('NOT_SENT', { why: reason ?? 'no answer' });
  const exit = status === 200 && reason === undefined ? exits.ok : exits.checkFailed;
  await report.show({
    document: { schema, ok: exit === exits.ok, forwarded: forwardDocument(forwarded), exit },
    text: () => `${forwardLine(forwarded)}\n`,
  });
  return exit;
}

/** Throws STORAGE. */
function rawOf({ id, raw }: StoredCallback, { files }: Runtime): RawCallback {
  if (raw !== undefined) return raw;
  throw fail('STORAGE', {
    what: `callback ${id}`,
    why: 'the key that sealed it is not here',
    how: `nothing was sent; put the line with the older key back into ${callbackKeyPath(files)}, before the last one, or ask the gateway to send the callback again`,
  });
}

function targetOf({ forwards }: StoredCallback, to: string | undefined): string {
  if (to !== undefined) return parseHandlerAddress(to, '--to', 'callback replay');
  const last = forwards.at(-1)?.url;
  if (last !== undefined) return last;
  throw fail('USAGE', {
    why: 'it was never forwarded, so say where to: --to http://127.0.0.1:3000/callback',
    command: 'callback replay',
  });
}
