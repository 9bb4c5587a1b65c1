import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { readFilter } from '../../core/journal-filter.js';
import { checkFilter, filteredBy, profileFilter } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { openCallbackHistory } from '../../core/user-stores.js';
import { callbackDocument, callbackSheet } from './format.js';

interface HistoryFlags extends CommonOptions {
  readonly order?: string;
  readonly since?: string;
  readonly limit?: string;
}

export const callbackList = defineCommand<HistoryFlags>({
  name: 'callback list',
  summary: 'List received callbacks, newest last',
  help: `List received callbacks, newest last

\`paycli callback replay ID\` forwards one of them to your handler again; \`paycli callback send ORDER --to URL\`
creates one that never arrived.`,
  options: [
    profileFilter('only those received for this profile'),
    ['--order <id>', 'only for this order (either id)'],
    ['--since <time>', 'received at or after: 2030-01-31, 2030-01-31T12:00:00Z, or time ago: 7d, 12h, 30m'],
    ['--limit <number>', 'show only the newest, at most this many (200)'],
  ],
  examples: ['callback list', 'callback list --order order-1 --since 7d --json'],
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['callback-list'],
  run: async ({ options, runtime }) => runCallbackList(await filteredBy(options, runtime), runtime),
});

/** The received callbacks, newest last. */
async function runCallbackList(flags: HistoryFlags, runtime: Runtime): Promise<number> {
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
          : 'no callback matches these filters; without them and PAYCLI_PROFILE, `paycli callback list` shows all',
    });
    return 0;
  } finally {
    store.close();
  }
}

function readLimit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw fail('USAGE', { why: '--limit: use a whole number from 1 to 999999', command: 'callback list' });
}
