import type { CallbackStore, StoredCallback } from '../../../callbacks/store.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { mayPrompt } from '../../command.js';
import { maxOffered } from '../../core/ask-order.js';
import type { CommonOptions } from '../../core/common-options.js';
import { agoText } from '../../format/time.js';

/** The callback with the given number in the list, as in 5 or #5; without one the user is asked. Throws USAGE. */
export async function findCallback(
  store: CallbackStore,
  given: string | undefined,
  command: string,
  options: CommonOptions,
  runtime: Runtime,
): Promise<StoredCallback> {
  const id = given ?? (await askCallback(store, command, options, runtime));
  const callback = /^#?\d{1,15}$/.test(id) ? store.get(Number(id.replace('#', ''))) : undefined;
  if (callback !== undefined) return callback;
  throw fail('USAGE', {
    why: `there is no callback ${id.slice(0, 40)}; \`paycli callback list\` shows their numbers`,
    command,
  });
}

/** Asks which callback a command is about, offering the newest. */
async function askCallback(
  store: CallbackStore,
  command: string,
  options: CommonOptions,
  runtime: Runtime,
): Promise<string> {
  const newest = mayPrompt(options, runtime) ? store.list({ limit: maxOffered }).toReversed() : [];
  if (newest.length === 0)
    throw fail('USAGE', {
      why: `no callback is named; give its number, as in \`paycli ${command} 1\`; \`paycli callback list\` lists them`,
      command,
    });
  const prompter = await runtime.prompter(options.color);
  return prompter.ask({
    name: 'callback',
    message: `which callback for ${command}`,
    choices: newest.map(({ id }) => String(id)),
    meanings: Object.fromEntries(newest.map((each) => [String(each.id), offerText(each, runtime.clock.now())])),
  });
}

/** Its status, order and age. */
function offerText({ status, type, orderId, clientOrderId, at }: StoredCallback, now: number): string {
  const ids = [clientOrderId, orderId].filter((id) => id !== '');
  const what = [status, type].filter((word) => word !== '').join(' ');
  return [what, ids.length === 0 ? 'no order' : `order ${ids.join(' / ')}`, agoText(at, now)].join(', ');
}
