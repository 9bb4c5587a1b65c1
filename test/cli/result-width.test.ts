import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { widthOf } from '../../src/errors/text-width.js';
import { payouts } from '../batch/command.js';
import { isEvery } from '../support/every.js';
import { paycli, type Ran, temporaryHome } from '../support/runtime.js';

const clientOrderIds = ['order-1', 'shop-2030-01-07-checkout-17', 'a-client-order-id-of-forty-characters-17'];
const wide = 1000;
const widths = isEvery ? [40, 60, 80, 120] : [40, 80];

interface Fixture {
  readonly commands: readonly (readonly string[])[];
  /** What no screen may cut: client order ids, gateway order ids, plan and digest. */
  readonly ids: readonly string[];
  run(argv: readonly string[], width: number): Promise<Ran>;
}

async function openFixture(): Promise<Fixture> {
  const home = temporaryHome();
  const well = async (argv: readonly string[]) => {
    const ran = await paycli(argv, { home });
    expect(ran.exit, ran.err).toBe(0);
    return ran.out;
  };
  for (const id of clientOrderIds)
    await well([
      ...['preauth', '--amount', '1030.00', '--currency', 'USD', '--test-card', 'approved', '--wait', '--quiet'],
      ...['--client-order-id', id, '--server-callback-url', 'http://127.0.0.1:9/hook'],
    ]);
  await well(['capture', 'order-1', '--amount', '20.00', '--wait', '--quiet']);
  const file = join(home, 'payouts.csv');
  writeFileSync(file, payouts(2), { mode: 0o600 });
  const expected = ['--expect-count', '2', '--expect-total', 'EUR=20.84', '--profile', 'sandbox'];
  const { plan, digest } = JSON.parse(
    await well(['batch', 'plan', file, '--operation', 'payout', ...expected, '--json']),
  );
  const { orders } = JSON.parse(await well(['orders', '--json']));
  const gatewayIds = orders.map(({ orderId }: { orderId: string }) => orderId);
  expect(gatewayIds).toHaveLength(3);
  const sale = ['--amount', '10.42', '--currency', 'EUR', '--test-card', 'approved', '--client-order-id', 'order-9'];
  const token = ['--deposit2card', 'true', '--destination-card-number', '5555666644441111'];
  const made = ['--nonce', 'a'.repeat(32), '--timestamp', '1893456000'];
  return {
    commands: [
      ['sign', 'sale', ...sale, '--explain'],
      ['sign', 'transfer', ...token, ...sale.slice(0, 4), ...sale.slice(6), ...made, '--explain'],
      ['sign', 'sale', '--recipe'],
      ['sale', ...sale, '--dry-run'],
      ['journal', 'list'],
      ['journal', 'show', '1'],
      ['sandbox', 'status'],
      ['sandbox', 'log'],
      ['sandbox', 'outcomes'],
      ['sandbox', 'callbacks', 'list'],
      ['sandbox', 'callbacks', 'list', '-o', 'table'],
      ['orders'],
      ...clientOrderIds.map((id) => ['order', id]),
      ['order', 'order-1', '-o', 'table'],
      ['order', 'order-1', '--timeline', '-o', 'table'],
      ['doctor'],
      ['doctor', '-o', 'table'],
      ['batch', 'list'],
      ['batch', 'show', plan],
      ['commands'],
      ['profile', 'show', '--origins'],
      ['assumptions'],
    ],
    ids: [...clientOrderIds, ...gatewayIds, plan, digest],
    run: async (argv, width) => {
      const ran = await paycli(argv, {
        home,
        tty: true,
        errColumns: width,
        outside: (usual) => ({ ...usual, terminal: { ...usual.terminal, width } }),
      });
      expect(ran.out, `${argv.join(' ')}\n${ran.err}`).not.toBe('');
      return ran;
    },
  };
}

const linesOf = (out: string) => stripVTControlCharacters(out).trimEnd().split('\n');
const wordsIn = (lines: readonly string[]) => lines.flatMap((line) => line.split(/\s+/)).filter((word) => word !== '');

/** Wider than the terminal, though they are more than one word. */
const tooWide = (lines: readonly string[], width: number) =>
  lines.filter((line) => widthOf(line) > width && /\S\s+\S/.test(line));

/** Pieces of words: what the same screen on a terminal of any width does not have as a word. */
function broken(lines: readonly string[], whole: readonly string[]): readonly string[] {
  const words = new Set(wordsIn(whole));
  // The name of a column that stands below its row, and the mark of a command that goes on.
  const isOwn = (word: string) => word === '\\' || words.has(word.replace(/:$/, ''));
  // Said of columns that are left out.
  const start = lines.findIndex((line) => line.startsWith('not shown: '));
  return wordsIn(start === -1 ? lines : lines.slice(0, start)).filter((word) => !words.has(word) && !isOwn(word));
}

test(`on ${widths.join(', ')} columns no line of a result is wider, no word is broken and no id is cut`, async () => {
  const { commands, ids, run } = await openFixture();
  const faults: string[] = [];
  for (const argv of commands) {
    const name = argv.join(' ');
    const whole = linesOf((await run(argv, wide)).out);
    const words = wordsIn(whole);
    for (const width of widths) {
      const narrow = linesOf((await run(argv, width)).out);
      const shown = new Set(wordsIn(narrow));
      const found = [
        ...tooWide(narrow, width).map((line) => `wider: ${line}`),
        // The width itself, which doctor says, and when and how often `order` has asked for the status.
        ...broken(narrow, whole)
          .filter((word) => !/^\(?[\d:.]+\)?$/.test(word) || ids.includes(word))
          .map((word) => `broken: ${word}`),
        ...ids.filter((id) => words.includes(id) && !shown.has(id)).map((id) => `cut: ${id}`),
        ...narrow.filter((line) => line.includes('…') && !whole.includes(line)).map((line) => `cut: ${line}`),
      ];
      faults.push(...found.map((fault) => `${name} on ${width} columns: ${fault}`));
    }
  }
  expect(faults).toEqual([]);
}, 120_000);
