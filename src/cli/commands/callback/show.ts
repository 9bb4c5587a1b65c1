import { maskFields, readStored } from '../../../callbacks/parse-callback.js';
import type { StoredCallback } from '../../../callbacks/store.js';
import type { Runtime } from '../../../runtime/ports.js';
import { callbackKeyPath } from '../../core/callback-seal.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand } from '../../core/define-command.js';
import { Reporter } from '../../core/reporter.js';
import { openCallbackHistory } from '../../core/user-stores.js';
import { oneLine } from '../../format/document.js';
import { timeText } from '../../format/time.js';
import { findCallback } from './find-callback.js';
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

/** For people; where the key of an encrypted callback is missing, its head says how to restore that key. */
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
