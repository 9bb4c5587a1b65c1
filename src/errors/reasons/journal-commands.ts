import type { ReasonRow } from './reason.js';

export const journalCommandsReasons = {
  limitOrAll: { code: 'USAGE', why: 'take one of --limit and --all' },
  limitNotWhole: { code: 'USAGE', why: '--limit takes a whole number from 1 to 999999' },
  csvHasOwnColumns: {
    code: 'USAGE',
    why: 'the CSV has columns of its own: --select, --json=… and --template go with -o ndjson',
  },
} as const satisfies Record<string, ReasonRow>;
