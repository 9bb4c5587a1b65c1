import { maskFields, readStored } from '../../../callbacks/parse-callback.js';
import type { CallbackStore, StoredCallback } from '../../../callbacks/store.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { callbackKeyPath } from '../../core/callback-seal.js';
import { type CommonOptions, checkFilter } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { openCallbackHistory } from '../../core/user-stores.js';
import { columns, oneLine } from '../../format/table.js';
import { timeText } from '../../format/time.js';
import { readFilter } from '../journal/filter.js';
import { callbackDocument, callbackLine, callbackSheet, forwardLine, sealedText } from './format.js';

export interface HistoryFlags extends CommonOptions {
  readonly order?: string;
  readonly since?: string;
  readonly limit?: string;
}

/** The callbacks that came, newest last. */
export async function runCallbackList(flags: HistoryFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter(flags, undefined, runtime);
  const { from } = readFilter(
    flags.since === undefined ? {} : { since: flags.since },
    'callback list',
    runtime.clock.now(),
  );
  const limit = readLimit(flags.limit ?? '200');
  const store = await openCallbackHistory(runtime);
  try {
    const { order, profile } = flags;
    await checkFilter(profile, runtime, (name) => store.list({ profile: name, limit: 1 }).length > 0);
    const found = store.list({ order, profile, since: from, limit });
    await report.show({
      document: { schema: 'paycli.callback-list/1', callbacks: found.map(callbackDocument) },
      list: 'callbacks',
      sheet: () => callbackSheet(found, report),
      empty:
        order === undefined && profile === undefined && from === undefined
          ? 'no callbacks yet; `paycli callback listen` receives them'
          : 'no callback passes these filters; `paycli callback list` shows all',
    });
    return 0;
  } finally {
    store.close();
  }
}

/** One callback with its fields and everything that came of it. */
export async function runCallbackShow(id: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const store = await openCallbackHistory(runtime);
  try {
    const callback = findCallback(store, id, 'callback show');
    await report.show({
      document: { schema: 'paycli.callback/1', ...callbackDocument(callback) },
      text: () => textOf(callback, callbackKeyPath(runtime.files), report),
    });
    return 0;
  } finally {
    store.close();
  }
}

/** Throws USAGE. */
export function findCallback(store: CallbackStore, id: string, command: string): StoredCallback {
  const callback = /^#?\d{1,15}$/.test(id) ? store.get(Number(id.replace('#', ''))) : undefined;
  if (callback !== undefined) return callback;
  throw fail('USAGE', {
    why: `there is no callback ${id.slice(0, 40)}; \`paycli callback list\` shows their numbers`,
    command,
  });
}

function readLimit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw fail('USAGE', { why: '--limit takes a whole number from 1 to 999999', command: 'callback list' });
}

function textOf(callback: StoredCallback, keyPath: string, report: Reporter): string {
  const { paint } = report;
  const { raw, at, asked, conflicts, forwards, why, lastAt, repeats } = callback;
  const fields = maskFields(readStored(callback).pairs).map(([name, value]) => [
    `  ${paint.name(oneLine(name))}`,
    oneLine(value),
  ]);
  const size = raw?.method === 'POST' ? `, ${raw.body.length} bytes of ${raw.contentType ?? 'no content type'}` : '';
  const lines = [
    `  ${oneLine(raw === undefined ? `${sealedText}: put its line back into ${keyPath}; ${why}` : `${raw.method} ${raw.target.split('?')[0] ?? ''}${size}; ${why}`)}`,
    `  came ${report.moment(at)}${repeats === 0 ? '' : `, and ${repeats === 1 ? 'once' : `${repeats} times`} more, last at ${timeText(lastAt)}`}`,
    ...(asked === undefined ? [] : [`  ${timeText(asked.at)}  ${oneLine(asked.says)}`]),
    ...conflicts.map((conflict) => `  ${paint.bad('does not agree:')} ${oneLine(conflict)}`),
    ...forwards.map((forward) => `  ${timeText(forward.at)}  ${forwardLine(forward)}`),
  ];
  return `${callbackLine(callback, paint)}\n${lines.map((line) => `${line}\n`).join('')}${columns(fields)}`;
}
