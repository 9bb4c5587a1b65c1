import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { program } from '../e2e/program.js';

const bin = await program();
const dist = join(bin, '../../dist');
const scratch = mkdtempSync(join(tmpdir(), 'paycli-program-'));
afterAll(() => rmSync(scratch, { recursive: true }));

test('the program of payments alone has the operations and sign, but no group that has other commands as well', () => {
  const words = readFileSync(join(dist, 'payment-commands.txt'), 'utf8').trim().split('\n');
  // `form fill` is no operation.
  expect(
    words
      .filter((word) => !word.startsWith('sign '))
      .sort()
      .join(' '),
  ).toBe(
    'account-verification capture card-ref pan-eligibility payout preauth rebill recurring return sale status transfer upload-3ds verify void',
  );
});

test('it says what the program of all commands says', () => {
  const folder = join(scratch, 'whole');
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(bin, '../..', part), join(folder, part), { recursive: true });
  symlinkSync(join(bin, '../../node_modules'), join(folder, 'node_modules'));
  // Without the list every command is run by the program of all.
  rmSync(join(folder, 'dist/payment-commands.txt'));
  // One home: the keys of its sandbox sign for both.
  const home = join(scratch, 'home');
  const said = (path: string, line: string) => {
    const folders = { PAYCLI_STATE_DIR: join(home, 's'), PAYCLI_CONFIG_DIR: join(home, 'c') };
    const env = { PATH: process.env['PATH'], PAYCLI_PROFILE: 'sandbox', ...folders };
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [path, ...line.split(' ').filter((word) => word !== '')],
      {
        env,
        encoding: 'utf8',
      },
    );
    return [status, stdout, stderr];
  };
  for (const line of [
    '',
    '--no-color',
    'sale --amount 10.42 --currency USD --test-card approved --client-order-id order-1 --dry-run',
    'sale --amont 1',
    'sale --json=',
    'sale --json=nothing',
    'payout list',
    'card-ref',
    'status never-made --dry-run',
    'payout form --help',
    'sign rebill --help --api v4',
    'sign sale --amount 10.42 --currency USD --test-card approved --client-order-id order-1 --explain',
    'sign card-ref nothing',
    'sign sale --php',
  ])
    expect(said(bin, line)).toEqual(said(join(folder, 'bin/paycli.js'), line));
}, 60_000);
