import { maskFields, readStored } from '../../../callbacks/parse-callback.js';
import type { CallbackStore, StoredCallback } from '../../../callbacks/store.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, parsed, word } from '../../command.js';
import { checkFilter, filteredBy } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { journalKeyPath, openCallbackHistory } from '../../core/user-stores.js';
import { outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { timeText } from '../../format/time.js';
import { callbackDocument, callbackSheet, forwardLine } from './format.js';

/** People get the newest, programs all. */
const shownToPeople = 200;

export const callbackList = defineCommand({
  summary: 'List received callbacks, newest last, or show one',
  help: 'With a number of the list it shows that callback with its fields and what came of it. `paycli callback send --stored ID` forwards it to your handler again; `paycli callback send ORDER --to URL` makes one that never arrived.',
  args: { id: { text: 'its number in the list', isOptional: true } },
  flags: {
    order: parsed('<id>', 'only for this order (either id)', (text) => text.trim()),
    profile: word('<name>', 'only those received for this profile', { short: 'p' }),
    ...outputFlags,
  },
  conflicts: [['id', 'order']],
  examples: ['callback list', 'callback list 1', 'callback list --order order-1 --json'],
  effect: 'local',
  result: ['callback-list', 'callback'],
  run: async ({ args: { id }, flags, runtime }) => {
    const options = await filteredBy(flags, runtime);
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
  { order, profile }: { readonly order?: string; readonly profile?: string },
  report: Reporter,
  runtime: Runtime,
): Promise<void> {
  await checkFilter(profile, runtime, (name) => store.list({ profile: name, limit: 1 }).length > 0);
  const found = store.list({ order, profile, limit: report.isForPrograms ? undefined : shownToPeople });
  await report.show({
    document: { schema: 'paycli.callback-list/1', callbacks: found.map(callbackDocument) },
    list: 'callbacks',
    sheet: () => callbackSheet(found, report),
    empty:
      (order ?? profile) === undefined
        ? 'no callbacks yet; `paycli callback listen` receives them'
        : 'no callback matches these filters; without them and PAYCLI_PROFILE, `paycli callback list` shows all',
  });
}

async function showCallback(callback: StoredCallback, report: Reporter, { files }: Runtime): Promise<void> {
  const { raw, why, asked, lastAt, forwards } = callback;
  const sealed = `restore the key it was encrypted with in ${journalKeyPath({ files })}`;
  const lines = [
    oneLine(raw === undefined ? sealed : `${raw.method} ${raw.target.split('?')[0] ?? ''}; ${why}`),
    `last received ${report.moment(lastAt)}`,
    ...(asked === undefined ? [] : [`${timeText(asked.at)}  ${oneLine(asked.says)}`]),
    ...forwards.map((forward) => `${timeText(forward.at)}  ${forwardLine(forward)}`),
  ];
  const fields = maskFields(readStored(callback).pairs).map(([name, value]) => [
    `  ${report.paint.name(oneLine(name))}`,
    oneLine(value),
  ]);
  await report.show({
    document: { schema: 'paycli.callback/1', ...callbackDocument(callback) },
    text: () =>
      `${report.sheet(callbackSheet([callback], report))}${lines.map((line) => `  ${line}\n`).join('')}${report.columns(fields)}`,
  });
}
