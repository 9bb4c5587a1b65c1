import { maskFields, readStored } from '../../../callbacks/parse-callback.js';
import type { CallbackStore, StoredCallback } from '../../../callbacks/store.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { maxOffered } from '../../core/ask-order.js';
import { callbackKeyPath } from '../../core/callback-seal.js';
import { defineCommand } from '../../core/define-command.js';
import { type CommonOptions, mayPrompt } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { openCallbackHistory } from '../../core/user-stores.js';
import { oneLine } from '../../format/table.js';
import { agoText, timeText } from '../../format/time.js';
import { callbackDocument, callbackLine, forwardLine, sealedText } from './format.js';

export const callbackShow = defineCommand({
  name: 'callback show',
  summary: 'Show one callback with its fields and its result',
  args: [['[id]', 'its number in the list']],
  examples: ['callback show 1'],
  effect: 'none',
  network: false,
  exits: [],
  prints: ['callback'],
  run: ({ args: [id], options, runtime }) => runCallbackShow(id, options, runtime),
});

/** One callback with its fields and everything that came of it. */
async function runCallbackShow(id: string | undefined, options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const store = await openCallbackHistory(runtime);
  try {
    const callback = await findCallback(store, id, 'callback show', options, runtime);
    await report.show({
      document: { schema: 'paycli.callback/1', ...callbackDocument(callback) },
      text: () => textOf(callback, callbackKeyPath(runtime.files), report),
    });
    return 0;
  } finally {
    store.close();
  }
}

function textOf(callback: StoredCallback, keyPath: string, report: Reporter): string {
  const { paint } = report;
  const { raw, at, asked, conflicts, forwards, why, lastAt, repeats } = callback;
  const fields = maskFields(readStored(callback).pairs).map(([name, value]) => [
    `  ${paint.name(oneLine(name))}`,
    oneLine(value),
  ]);
  const size = raw?.method === 'POST' ? `, ${raw.body.length} bytes of ${raw.contentType ?? 'no content type'}` : '';
  const head =
    raw === undefined
      ? `${sealedText}: restore that key's line in ${keyPath}; ${why}`
      : `${raw.method} ${raw.target.split('?')[0] ?? ''}${size}; ${why}`;
  const times = repeats === 1 ? 'once' : `${repeats} times`;
  const lines = [
    `  ${oneLine(head)}`,
    `  received ${report.moment(at)}${repeats === 0 ? '' : `, and ${times} more, last at ${timeText(lastAt)}`}`,
    ...(asked === undefined ? [] : [`  ${timeText(asked.at)}  ${oneLine(asked.says)}`]),
    ...conflicts.map((conflict) => `  ${paint.bad('contradiction:')} ${oneLine(conflict)}`),
    ...forwards.map((forward) => `  ${timeText(forward.at)}  ${forwardLine(forward)}`),
  ];
  return `${callbackLine(callback, paint)}\n${lines.map((line) => `${line}\n`).join('')}${report.columns(fields)}`;
}

/** The callback a user means by its number in the list, asked for on a terminal where none is given. Throws USAGE. */
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
  throw fail('noSuchCallback', { id: id.slice(0, 40), command });
}

/** Offers the newest callbacks. */
async function askCallback(
  store: CallbackStore,
  command: string,
  options: CommonOptions,
  runtime: Runtime,
): Promise<string> {
  const newest = mayPrompt(options, runtime) ? store.list({ limit: maxOffered }).toReversed() : [];
  if (newest.length === 0) throw fail('callbackNotNamed', { command });
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
