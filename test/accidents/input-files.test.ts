import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { header, openFixture, payouts } from '../batch/command.js';
import { paycli, type Ran, temporaryHome } from '../support/runtime.js';

const expected = ['--expect-count', '2', '--expect-total', 'EUR=20.84'];

/** The text in UTF-16, as a spreadsheet saves "Unicode text". */
function utf16(text: string, isBigEndian = false): Buffer {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
}

const umlauts = payouts(2).replaceAll('Bank,Main', 'Müller,Köln');
const encodings: readonly (readonly [name: string, bytes: Buffer, says: RegExp])[] = [
  ['windows-1252', Buffer.from(umlauts, 'latin1'), /windows-1252/],
  ['UTF-16, little-endian', utf16(payouts(2)), /UTF-16/],
  ['UTF-16, big-endian', utf16(payouts(2), true), /UTF-16/],
  ['UTF-16 without a mark', Buffer.from(payouts(2), 'utf16le'), /UTF-16/],
];

function expectEncoding(ran: Ran, says: RegExp): void {
  expect(ran.exit, ran.err).toBe(2);
  const { message } = JSON.parse(ran.err);
  expect(message).toMatch(says);
  expect(message).not.toContain('empty');
}

test.each(encodings)('a batch file in %s is said to be that, and not empty', async (_, bytes, says) => {
  const { run, file } = openFixture('');
  writeFileSync(file, bytes);
  expectEncoding(await run(['batch', 'plan', file, '--operation', 'payout', ...expected, '--json']), says);
});

test.each(encodings)('a statement in %s is said to be that, and not empty', async (_, bytes, says) => {
  const home = temporaryHome();
  const file = join(home, 'statement.csv');
  writeFileSync(file, bytes);
  expectEncoding(await paycli(['batch', 'reconcile', file, '--profile', 'sandbox', '--json'], { home }), says);
});

test.each([
  ['sep=;', ';'],
  ['\uFEFFsep=;', ';'],
  ['sep=\t', '\t'],
  ['"sep=;"', ';'],
] as const)(
  'a first line %j names the separator, and every row is sent as it stands in the file',
  async (first, separator) => {
    const rows = payouts(2).replaceAll(',', separator);
    const { run, file } = openFixture(`${first}\r\n${rows}`);
    const planned = await run(['batch', 'plan', file, '--operation', 'payout', ...expected, '--json']);
    expect(planned.exit, planned.err).toBe(0);
    const { plan, count } = JSON.parse(planned.out);
    expect(count).toBe(2);
    const ran = await run(['batch', 'run', String(plan), '--json']);
    expect(ran.exit, ran.err + ran.out).toBe(0);
  },
);

test('after such a line the cards of a file are read again from their places', async () => {
  const columns = 'client_orderid;amount;currency;credit_card_number;card_printed_name;expire_month;expire_year';
  const cards = ['4444333322221111', '5555555555554444'];
  const rows = cards.map((card, at) => `row-${at + 1};10.42;EUR;${card};Jane Doe;12;2034`);
  const { run, file } = openFixture(['sep=;', columns, ...rows, ''].join('\n'));
  const planned = await run([
    'batch',
    'plan',
    file,
    '--operation',
    'payout',
    '--allow-pan-file',
    ...expected,
    '--json',
  ]);
  expect(planned.exit, planned.err).toBe(0);
  const ran = await run(['batch', 'run', String(JSON.parse(planned.out).plan), '--json']);
  expect(ran.exit, ran.err + ran.out).toBe(0);
});

test('after such a line the lines of errors are those of the file', async () => {
  const { run, file } = openFixture(
    `sep=;\n${header.replaceAll(',', ';')}\nrow-1;ten;EUR;DE89370400440532010;Bank;Main\n`,
  );
  const ran = await run(['batch', 'plan', file, '--operation', 'payout', '--json']);
  expect(ran.exit).toBe(2);
  expect(JSON.parse(ran.err).message).toContain('line 3');
});

test('a statement with such a line is read', async () => {
  const home = temporaryHome();
  const file = join(home, 'statement.csv');
  writeFileSync(file, 'sep=;\norder-id;amount;currency\n17;10.42;USD\n');
  const ran = await paycli(['batch', 'reconcile', file, '--profile', 'sandbox', '--json'], { home });
  expect(ran.exit, ran.err).toBe(11);
  expect(JSON.parse(ran.out)).toMatchObject({ lines: 1, disagreements: [{ order: { orderId: '17' } }] });
});
