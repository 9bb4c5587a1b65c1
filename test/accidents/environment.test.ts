import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Ran, Variables } from '../e2e/home.js';
import { program, quoted } from '../e2e/program.js';
import { lastError, openMerchants, sale } from '../faults/merchant.js';
import { faults } from '../faults/server.js';
import { readJournalFile } from '../support/journal-file.js';

const { newMerchant, serve } = openMerchants();
beforeAll(program, 120_000);

describe.concurrent('a proxy that cannot be used', () => {
  test.each([
    ['a # in the password', 'http://user:p#ss@proxy.invalid:3129'],
    ['SOCKS', 'socks5://proxy.invalid:1080'],
  ])('%s: exit 3, nothing is sent or recorded, the password is not shown, and doctor says it', async (_, proxy) => {
    const merchant = newMerchant();
    const env = { PAYCLI_CLASS: 'test', HTTPS_PROXY: proxy };
    const ran = await merchant.call([...sale(), '--json'], 'https://gateway.invalid/pay', env);
    expect(ran.exit, ran.err).toBe(3);
    expect(lastError(ran)).toMatchObject({ exit: 3, message: expect.stringContaining('HTTPS_PROXY') });
    expect(ran.err).not.toContain('p#ss');
    expect(readJournalFile(merchant.home.state).requests).toEqual([]);
    const doctor = await newMerchant().home.call(['doctor', '--json'], { HTTPS_PROXY: proxy });
    expect(doctor.exit).toBe(11);
    expect(JSON.parse(doctor.out).checks).toContainEqual(expect.objectContaining({ check: 'proxy', result: 'fail' }));
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
      folder: (name: string) => join(merchant.home.path, name),
      left: () => readdirSync(work),
      async run(argv: readonly string[], env: Variables, url: string): Promise<Ran> {
        const all = { PATH: process.env['PATH'] ?? '', ...merchant.reaching(url), ...env };
        const variables = Object.entries(all).map(([name, value]) => `${name}=${value}`);
        const line = [...nobody, 'env', '-i', ...variables, process.execPath, await program(), ...argv];
        return merchant.home.shell(`cd work; exec ${line.map(quoted).join(' ')}`);
      },
    };
  }

  test('a relative HOME: exit 3 with what to set, nothing is sent, and nothing is written where it works', async () => {
    const [user, server] = [newUser(), await serve(faults.accepted)];
    const env = { HOME: 'here', XDG_STATE_HOME: 'state' };
    const ran = await user.run([...sale(), '--json'], env, server.url);
    expect(ran.exit, ran.err).toBe(3);
    expect(lastError(ran)['next']).toMatch(/HOME.*PAYCLI_STATE_DIR/);
    expect([server.exchanges, user.left()]).toEqual([[], []]);
  });

  test('PAYCLI_STATE_DIR is used, and guards against paying twice from everywhere', async () => {
    const [user, server] = [newUser(), await serve(faults.accepted)];
    const env = { HOME: '', PAYCLI_STATE_DIR: user.folder('state') };
    const paid = await user.run(sale(), env, server.url);
    expect(paid.exit, paid.err).toBe(0);
    await user.run(sale(), env, server.url);
    expect(server.bodies('/sale/')).toBe(1);
    expect([existsSync(user.folder('state/requests.db')), user.left()]).toEqual([true, []]);
  });
});
