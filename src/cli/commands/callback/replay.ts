import { forwardCallback, parseHandlerAddress } from '../../../callbacks/forward.js';
import type { RawCallback, StoredCallback } from '../../../callbacks/store.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { callbackKeyPath } from '../../core/callback-seal.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand } from '../../core/define-command.js';
import { Reporter } from '../../core/reporter.js';
import { openCallbackHistory } from '../../core/user-stores.js';
import { findCallback } from './find-callback.js';
import { handlerAnswerText, reportForwarded } from './format.js';

interface ReplayFlags extends CommonOptions {
  readonly to?: string;
}

const name = 'callback replay';

export const callbackReplay = defineCommand<ReplayFlags>({
  name,
  summary: 'Forward a stored callback to a handler again, byte for byte',
  help: `Forward a stored callback to a handler again, byte for byte\n\n${handlerAnswerText}`,
  args: [['[id]', 'its number in the list']],
  options: [['--to <url>', 'the handler (default: the one it was last forwarded to)']],
  examples: ['callback replay 1 --to http://127.0.0.1:3000/callback'],
  effect: 'none',
  network: true,
  exits: ['notSent', 'checkFailed'],
  note: 'Contacts your handler, never the gateway.',
  prints: ['callback-replay'],
  run: ({ args: [id], options, runtime }) => runCallbackReplay(id, options, runtime),
});

async function runCallbackReplay(id: string | undefined, flags: ReplayFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter(flags, undefined, runtime);
  const store = await openCallbackHistory(runtime);
  try {
    const callback = await findCallback(store, id, name, flags, runtime);
    const forwarded = await forwardCallback(rawOf(callback, runtime), targetOf(callback, flags.to), runtime.clock);
    store.recordForward(callback.id, forwarded);
    return await reportForwarded(forwarded, 'paycli.callback-replay/1', report);
  } finally {
    store.close();
  }
}

/** Its bytes, which can be decrypted only with the callback key they were stored under. Throws STORAGE. */
function rawOf({ id, raw }: StoredCallback, { files }: Runtime): RawCallback {
  if (raw !== undefined) return raw;
  throw fail('STORAGE', {
    what: `callback ${id}`,
    why: 'the key it was encrypted with is missing',
    how: `nothing was sent; put the line with the older key back into ${callbackKeyPath(files)}, before the last one, or ask the gateway to send the callback again`,
    file: callbackKeyPath(files),
  });
}

/** The handler's address: the one of --to, else the one it was forwarded to last. Throws USAGE. */
function targetOf({ forwards }: StoredCallback, to: string | undefined): string {
  if (to !== undefined) return parseHandlerAddress(to, '--to', name);
  const last = forwards.at(-1)?.url;
  if (last !== undefined) return last;
  throw fail('USAGE', {
    why: 'it was never forwarded, so name the destination: --to http://127.0.0.1:3000/callback',
    command: name,
  });
}
