import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { program } from '../e2e/program.js';
import { temporaryHome } from '../support/runtime.js';
import { payoutHeader, payoutLine } from './files.js';

/** How many rows at night; memory must not follow them. */
const many = Number(process.env['ROWS'] ?? 20_000);

interface Run {
  readonly kilobytes: number;
  readonly seconds: number;
}

/** Plans so many rows with the program as users run it, and measures its peak. */
async function planRows(home: string, rows: number): Promise<Run> {
  const path = join(home, `${rows}.csv`);
  const file = createWriteStream(path);
  file.write(`${payoutHeader}\n`);
  for (let row = 0; row < rows; row += 1)
    if (!file.write(`${payoutLine(`salary-${rows}-${row}`, '10.01')}\n`)) await once(file, 'drain');
  file.end();
  await finished(file);
  const total = `${BigInt(rows) * 1001n}`;
  const argv = ['batch', 'plan', path, '--operation', 'payout', '--expect-count', String(rows)];
  const expected = ['--expect-total', `EUR=${total.slice(0, -2)}.${total.slice(-2)}`];
  // Printed by the program itself at its end: nothing else on the machine counts.
  const node = ['--require', resolve('test/bench/peak.cjs'), await program(), ...argv, ...expected];
  const env = {
    PATH: process.env['PATH'],
    PAYCLI_STATE_DIR: join(home, 'state'),
    PAYCLI_CONFIG_DIR: join(home, 'config'),
    PAYCLI_PROFILE: 'sandbox',
  };
  const begun = performance.now();
  const { stdout, stderr } = await promisify(execFile)(process.execPath, node, { env });
  expect(stdout).toContain(`${rows} rows checked and planned`);
  rmSync(path);
  return { kilobytes: Number(/^peak (\d+) KiB$/m.exec(stderr)?.[1]), seconds: (performance.now() - begun) / 1000 };
}

test(
  'memory stays where it is, however many rows there are',
  async () => {
    const home = temporaryHome();
    const few = await planRows(home, 10_000);
    const lot = await planRows(home, many);
    expect(few.kilobytes).toBeGreaterThan(10_000);
    expect(lot.kilobytes, `${many} rows in ${lot.seconds.toFixed(1)} s`).toBeLessThan(256 * 1024);
    // The caches of the database fill up once; nothing may grow with the file.
    if (many >= 100_000) expect(lot.kilobytes - few.kilobytes).toBeLessThan(64 * 1024);
  },
  15 * 60_000,
);
