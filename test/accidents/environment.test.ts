import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Ran, Variables } from '../e2e/home.js';
import { program } from '../e2e/program.js';
import { quoted, sale } from '../faults/merchant.js';
import { faults } from '../faults/server.js';
import { readJournalFile } from '../support/journal-file.js';
import { lastError, openMerchants } from './merchants.js';

const { newMerchant, serve } = openMerchants();
beforeAll(program, 120_000);

describe.concurrent('a proxy that cannot be used', () => {
  const cases = [
    ['a # in the password', 'http://user:p#ss@proxy.invalid:3129'],
    ['digits and a / in the password', 'http://user:12/3@proxy.invalid:3129'],
    ['%zz in the password', 'http://user:%zz@proxy.invalid:3129'],
    ['SOCKS', 'socks5://proxy.invalid:1080'],
  ] as const;

  test.each(cases)('%s: exit 3, nothing is sent or recorded, and the password is not shown', async (_, proxy) => {
    const merchant = newMerchant();
    const env = { PAYCLI_CLASS: 'test', HTTPS_PROXY: proxy };
    const ran = await merchant.call([...sale(), '--json'], 'https://gateway.invalid/pay', env);
    expect(ran.exit, ran.err).toBe(3);
    expect(lastError(ran)).toMatchObject({ exit: 3, message: expect.stringContaining('HTTPS_PROXY') });
    expect(lastError(ran), 'the same error twice').not.toHaveProperty('also');
    expect(ran.err).not.toMatch(/p#ss|12\/3|%zz@/);
    expect(readJournalFile(merchant.home.state).requests).toEqual([]);
  });

  test.each(cases)('%s: doctor says it', async (_, proxy) => {
    const { exit, out } = await newMerchant().home.call(['doctor', '--json'], { HTTPS_PROXY: proxy });
    expect(exit).toBe(11);
    const { checks }: { checks: { check: string; result: string }[] } = JSON.parse(out);
    expect(checks.find(({ check }) => check === 'proxy')).toMatchObject({ result: 'fail' });
  });

  test('concerns no request that would go without it', async () => {
    const server = await serve(faults.accepted);
    const env = { HTTPS_PROXY: 'socks5://proxy.invalid:1080' };
    expect((await newMerchant().call(sale(), server.url, env)).exit).toBe(0);
    expect(server.bodies('/sale/')).toBe(1);
  });
});

const nobody = ['setpriv', '--reuid=12345', '--regid=12345', '--clear-groups'] as const;
const [setpriv, ...asNobody] = nobody;
/** Another user can be taken, and may read this checkout. */
const canBeNobody =
  process.getuid?.() === 0 &&
  spawnSync(setpriv, [
    ...asNobody,
    process.execPath,
    '-e',
    `require('fs').readdirSync(${JSON.stringify(import.meta.dirname)})`,
  ]).status === 0;

describe.runIf(canBeNobody).concurrent('a user without a home folder', () => {
  /** A folder of that user, in which it works, with nothing but these variables. */
  function newUser() {
    const merchant = newMerchant();
    const work = join(merchant.home.path, 'work');
    mkdirSync(work);
    for (const path of [merchant.home.path, work, join(merchant.home.path, 'control.key')])
      chownSync(path, 12345, 12345);
    return {
      work,
      folder: (name: string) => join(merchant.home.path, name),
      left: () => readdirSync(work),
      async run(argv: readonly string[], env: Variables = {}, url?: string): Promise<Ran> {
        const all = { PATH: process.env['PATH'] ?? '', ...(url === undefined ? {} : merchant.reaching(url)), ...env };
        const variables = Object.entries(all).map(([name, value]) => `${name}=${value}`);
        const line = [...nobody, 'env', '-i', ...variables, process.execPath, await program(), ...argv];
        return merchant.home.shell(`cd work; exec ${line.map(quoted).join(' ')}`);
      },
    };
  }

  test.each([
    ['unset', {}],
    ['empty', { HOME: '' }],
    ['relative', { HOME: 'here', XDG_STATE_HOME: 'state' }],
  ] as const)(
    'HOME %s: exit 3 with what to set, nothing is sent, and nothing is written where it works',
    async (_, env) => {
      const [user, server] = [newUser(), await serve(faults.accepted)];
      for (const argv of [sale(), ['sandbox', 'status']]) {
        const ran = await user.run([...argv, '--json'], env, server.url);
        expect(ran.exit, `${argv[0]}: ${ran.err}`).toBe(3);
        expect(lastError(ran)['next'], argv[0]).toMatch(/HOME.*PAYCLI_STATE_DIR/);
      }
      expect(server.exchanges.length).toBe(0);
      expect(user.left()).toEqual([]);
    },
  );

  test('what needs none works', async () => {
    const user = newUser();
    for (const argv of [
      ['sale', '--help'],
      ['keys', 'generate', '--out', 'a.pem'],
    ])
      expect(await user.run(argv)).toMatchObject({ exit: 0 });
    expect(user.left()).toContain('a.pem');
  });

  test.each([
    [
      'PAYCLI_STATE_DIR',
      'state/requests.db',
      (folder: (name: string) => string) => ({ PAYCLI_STATE_DIR: folder('state') }),
    ],
    [
      'the XDG folders',
      'xdg/paycli/requests.db',
      (folder: (name: string) => string) => ({
        XDG_STATE_HOME: folder('xdg'),
        XDG_DATA_HOME: folder('data'),
        XDG_CONFIG_HOME: folder('config'),
      }),
    ],
  ])('%s is used, and guards against paying twice from everywhere', async (_, journal, variables) => {
    const [user, server] = [newUser(), await serve(faults.accepted)];
    const env = { HOME: '', ...variables(user.folder) };
    const paid = await user.run(sale(), env, server.url);
    expect(paid.exit, paid.err).toBe(0);
    await user.run(sale(), env, server.url);
    expect(server.bodies('/sale/')).toBe(1);
    expect(existsSync(user.folder(journal))).toBe(true);
    expect(user.left()).toEqual([]);
  });
});

test('too few open files allowed: the error says so, and never that the journal is damaged', async () => {
  const [merchant, server] = [newMerchant(), await serve(faults.accepted)];
  const env = merchant.reaching(server.url);
  expect((await merchant.run(sale(), server.url)).exit).toBe(0);
  const failed: Ran[] = [];
  for (let most = 20; most <= 26; most += 1) {
    const ran = await merchant.home.shell(`ulimit -n ${most}; paycli journal --json`, env);
    // With fewer Node itself does not start, or finds no package.
    if (ran.exit !== 0 && ran.err.startsWith('{') && !ran.err.includes('SQLite could not be used')) failed.push(ran);
  }
  expect(failed.length).toBeGreaterThan(1);
  for (const ran of failed)
    expect(lastError(ran), ran.err).toMatchObject({
      code: 'STORAGE',
      exit: 13,
      next: expect.stringContaining('ulimit -n'),
    });
});

test('a terminal of width 0 is one of 80', async () => {
  const { home } = newMerchant();
  const lineOf = (columns: number) =>
    `script -qec ${quoted(`stty cols ${columns}; ${process.execPath} PROGRAM sandbox outcomes; stty cols ${columns}; ${process.execPath} PROGRAM sale --help`)} /dev/null < /dev/null`;
  const run = async (columns: number) =>
    (await home.shell(lineOf(columns).replaceAll('PROGRAM', await program()), { TERM: 'xterm' })).out;
  const [none, usual] = [await run(0), await run(80)];
  expect(none.length).toBeGreaterThan(1000);
  expect(none).toBe(usual);
});
