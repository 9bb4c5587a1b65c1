import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'paycli-native-'));
const sqlite = join(scratch, 'node_modules/@photostructure/sqlite');
const prebuilt = join(sqlite, `prebuilds/${process.platform}-${process.arch}`);
const local = join(sqlite, 'build/Release');

beforeAll(() => {
  for (const part of [
    'bin',
    'dist',
    'package.json',
    'node_modules/@photostructure/sqlite',
    'node_modules/node-gyp-build',
  ])
    cpSync(join(root, part), join(scratch, part), { recursive: true });
});
afterAll(() => rmSync(scratch, { recursive: true }));

function sell() {
  const argv = [
    join(scratch, 'bin/paycli.js'),
    'sale',
    '--amount',
    '10.42',
    '--currency',
    'USD',
    '--test-card',
    'approved',
  ];
  const env = {
    PATH: process.env['PATH'],
    PAYCLI_STATE_DIR: join(scratch, 'state'),
    PAYCLI_CONFIG_DIR: join(scratch, 'config'),
    PAYCLI_PROFILE: 'sandbox',
  };
  return spawnSync(process.execPath, argv, { env, encoding: 'utf8' });
}

test("SQLite's own build is taken, then one made on this machine, and without any that is said", () => {
  expect(sell().status).toBe(0);
  const [name = ''] = readdirSync(prebuilt).filter((each) => each.includes('glibc'));
  mkdirSync(local, { recursive: true });
  renameSync(join(prebuilt, name), join(local, 'own.node'));
  expect(sell().status).toBe(0);
  rmSync(local, { recursive: true });
  const { status, stderr } = sell();
  expect(status).toBe(13);
  expect(stderr).toContain(
    `SQLite could not be used: it does not run on ${process.platform}-${process.arch}, or its installation is incomplete`,
  );
  expect(stderr).toContain('npm rebuild @photostructure/sqlite');
});
