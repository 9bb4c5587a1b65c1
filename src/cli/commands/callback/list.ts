import { maskFields, readStored } from '../../../callbacks/parse-callback.js';
import type { CallbackStore, StoredCallback } from '../../../callbacks/store.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, type FlagsFor, parsed, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { readFilter } from '../../core/journal-filter.js';
import { checkFilter, filteredBy } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { journalKeyPath, openCallbackHistory } from '../../core/user-stores.js';
import { outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { timeText } from '../../format/time.js';
import { wholeNumber } from '../../usage.js';
import { callbackDocument, callbackLine, callbackSheet, forwardLine, sealedText } from './format.js';

interface HistoryFlags extends CommonOptions {
  readonly order?: string;
  readonly since?: string;
  readonly limit?: number;
}

export const callbackList = defineCommand({
  summary: 'List received callbacks, newest last, or show one',
  help: 'With a number of the list it shows that callback with its fields and what came of it. `paycli callback send --stored ID` forwards it to your handler again; `paycli callback send ORDER --to URL` makes one that never arrived.',
  args: { id: { text: 'its number in the list', isOptional: true } },
  flags: {
    order: parsed('<id>', 'only for this order (either id)', (text) => text.trim()),
    since: word('<time>', 'received at or after: 2030-01-31, 2030-01-31T12:00:00Z, or time ago: 7d, 12h, 30m'),
    limit: parsed('<number>', 'show only the newest, at most this many (200)', wholeNumber),
    profile: word('<name>', 'only those received for this profile', { short: 'p' }),
    ...outputFlags,
  } satisfies FlagsFor<HistoryFlags>,
  conflicts: [
    ['id', 'order'],
    ['id', 'since'],
    ['id', 'limit'],
  ],
  examples: ['callback list', 'callback list 1', 'callback list --order order-1 --since 7d --json'],
  effect: 'local',
  result: ['callback-list', 'callback'],
  run: async ({ args: { id }, flags, runtime }) => {
    const options = await filteredBy(flags as HistoryFlags, runtime);
    const report = new Reporter(options, undefined, runtime);
    const store = await openCallbackHistory(runtime);
    try {
      if (id === undefined) await listCallbacks(store, options, report, runtime);
      else await showCallback(storedCallback(store, id), report, runtime);
      return 0;
    } finally {
      store.close();
    }
  },
});

/** The callback with the given number in the list, as in 5 or #5. Throws USAGE. */
export function storedCallback(store: CallbackStore, id: string): StoredCallback {
  const callback = /^#?\d{1,15}$/.test(id) ? store.get(Number(id.replace('#', ''))) : undefined;
  if (callback !== undefined) return callback;
  throw fail('USAGE', {
    why: `there is no callback ${id.slice(0, 40)}; \`paycli callback list\` shows their numbers`,
  });
}

async function listCallbacks(
  store: CallbackStore,
  { order, profile, since, limit = 200 }: HistoryFlags,
  report: Reporter,
  runtime: Runtime,
): Promise<void> {
  const { from } = readFilter(since === undefined ? {} : { since }, 'callback list', runtime.clock.now());
  await checkFilter(profile, runtime, (name) => store.list({ profile: name, limit: 1 }).length > 0);
  const found = store.list({ order, profile, since: from, limit });
  const isFiltered = order !== undefined || profile !== undefined || from !== undefined;
  await report.show({
    document: { schema: 'paycli.callback-list/1', callbacks: found.map(callbackDocument) },
    list: 'callbacks',
    sheet: () => callbackSheet(found, report),
    empty: isFiltered
      ? 'no callback matches these filters; without them and PAYCLI_PROFILE, `paycli callback list` shows all'
      : 'no callbacks yet; `paycli callback listen` receives them',
  });
}

async function showCallback(callback: StoredCallback, report: Reporter, { files }: Runtime): Promise<void> {
  await report.show({
    document: { schema: 'paycli.callback/1', ...callbackDocument(callback) },
    text: () => textOf(callback, journalKeyPath({ files }), report),
  });
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
      ? `${sealedText}: restore the key in ${keyPath}; ${why}`
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
