import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFixture, payouts } from '../batch/command.js';
import { paycli, temporaryHome } from '../support/runtime.js';

const expected = ['--expect-count', '2', '--expect-total', 'EUR=20.84', '--json'];
const umlauts = payouts(2).replaceAll('Bank,Main', 'Müller,Köln');

test.each([
  ['windows-1252', Buffer.from(umlauts, 'latin1')],
  ['UTF-16', Buffer.from(`\uFEFF${payouts(2)}`, 'utf16le')],
])('a batch file or a statement in %s is said to be that', async (encoding, bytes) => {
  const { run, file } = openFixture('');
  writeFileSync(file, bytes);
  const home = temporaryHome();
  const statement = join(home, 'statement.csv');
  writeFileSync(statement, bytes);
  for (const ran of [
    await run(['batch', 'plan', file, '--operation', 'payout', ...expected]),
    await paycli(['batch', 'reconcile', statement, '--profile', 'sandbox', '--json'], { home }),
  ])
    expect([ran.exit, JSON.parse(ran.err).message]).toEqual([2, expect.stringContaining(encoding)]);
});

test.each([
  ['sep=;', ';'],
  ['\uFEFFsep=\t', '\t'],
])('a first line %j names the separator, and every row is sent as it stands in the file', async (first, separator) => {
  const { run, file } = openFixture(`${first}\r\n${payouts(2).replaceAll(',', separator)}`);
  const planned = await run(['batch', 'plan', file, '--operation', 'payout', ...expected]);
  expect(planned.exit, planned.err).toBe(0);
  const ran = await run(['batch', 'run', String(JSON.parse(planned.out).plan), '--json']);
  expect(ran.exit, ran.err + ran.out).toBe(0);
});

test('after such a line the cards of a file are read again from their places', async () => {
  const columns = 'client_orderid;amount;currency;credit_card_number;card_printed_name;expire_month;expire_year';
  const cards = ['4444333322221111', '5555555555554444'];
  const rows = cards.map((card, at) => `row-${at + 1};10.42;EUR;${card};Jane Doe;12;2034`);
  const { run, file } = openFixture(['sep=;', columns, ...rows, ''].join('\n'));
  const planned = await run(['batch', 'plan', file, '--operation', 'payout', '--allow-pan-file', ...expected]);
  expect(planned.exit, planned.err).toBe(0);
  const ran = await run(['batch', 'run', String(JSON.parse(planned.out).plan), '--json']);
  expect(ran.exit, ran.err + ran.out).toBe(0);
});
