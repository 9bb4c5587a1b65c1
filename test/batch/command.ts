import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { paycli, type Ran, type TestOptions, temporaryHome } from '../support/runtime.js';

/** A user with a file of payouts, for the built-in sandbox. */
export interface CommandFixture {
  readonly home: string;
  readonly file: string;
  run(words: readonly string[], options?: TestOptions): Promise<Ran>;
  /** Plans the file; its id. */
  plan(operation?: string): Promise<string>;
}

export const header = 'client_orderid,amount,currency,account_number,bank_name,bank_branch';
export const payouts = (count: number, amount = '10.42'): string =>
  [
    header,
    ...Array.from({ length: count }, (_, at) => `row-${at + 1},${amount},EUR,DE8937040044053201${at},Bank,Main`),
    '',
  ].join('\n');

export function openFixture(content: string, name = 'payouts.csv'): CommandFixture {
  const home = temporaryHome();
  const file = join(home, name);
  writeFileSync(file, content, { mode: 0o600 });
  const isOnPlace = (words: readonly string[]) => ['plan', 'run'].includes(words[1] ?? '') || words[0] === 'payout';
  const run: CommandFixture['run'] = (words, options = {}) =>
    paycli(isOnPlace(words) ? [...words, '--profile', 'sandbox'] : words, { home, ...options });
  return {
    home,
    file,
    run,
    async plan(operation = 'payout') {
      const rows = content.trim().split('\n').slice(1);
      const cents = rows.reduce((sum, row) => sum + Number((row.split(',')[1] ?? '0').replace('.', '')), 0);
      const expected = ['--expect-count', String(rows.length), '--expect-total', `EUR=${(cents / 100).toFixed(2)}`];
      const planned = await run(['batch', 'plan', file, '--operation', operation, ...expected, '--json']);
      expect(planned.exit, planned.err + planned.out).toBe(0);
      return String(JSON.parse(planned.out).plan);
    },
  };
}
