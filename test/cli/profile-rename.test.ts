import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fakeKeyring, paycli } from '../support/runtime.js';
import { at, eur, refund, sent } from './live-at.js';
import { controlKey, homeWithProfile } from './profiles.js';

const configFile = (home: string) => join(home, 'config/config.yaml');
const config = (home: string) => readFileSync(configFile(home), 'utf8');
const keyFile = (home: string, name: string) => join(home, `config/keys/${name}.control-key`);
const rename = ['profile', 'rename', 'shop', 'shop-2'];

/** A home whose control key paycli keeps itself. */
function homeWithStoredKey(more: readonly string[] = []): string {
  const home = homeWithProfile({ more });
  writeFileSync(configFile(home), config(home).replace(`${home}/control.key`, 'keys/shop.control-key'));
  mkdirSync(join(home, 'config/keys'), { mode: 0o700 });
  writeFileSync(keyFile(home, 'shop'), `${controlKey}\n`, { mode: 0o600 });
  return home;
}

describe('profile rename', () => {
  test('changes the name and nothing else; the key and the default move with it', async () => {
    const home = homeWithStoredKey(['# the shop in town', 'max-amount: 5.00 EUR # mine']);
    const before = config(home);
    const ran = await paycli([...rename, '--json'], { home });
    expect(ran.exit, ran.err).toBe(0);
    expect(config(home)).toBe(
      before
        .replace('default-profile: shop\n', 'default-profile: shop-2\n')
        .replace('  shop:\n', '  shop-2:\n')
        .replace('keys/shop.control-key', 'keys/shop-2.control-key'),
    );
    expect([existsSync(keyFile(home, 'shop')), readFileSync(keyFile(home, 'shop-2'), 'utf8')]).toEqual([
      false,
      `${controlKey}\n`,
    ]);
    expect(statSync(keyFile(home, 'shop-2')).mode & 0o777).toBe(0o600);
    expect(JSON.parse(ran.out)).toEqual({
      ...{ schema: 'paycli.profile-renamed/1', profile: 'shop-2', formerName: 'shop', file: configFile(home) },
      ...{ controlKey: `file ${keyFile(home, 'shop-2')}`, isDefault: true },
    });
    expect((await paycli(['whoami', '--profile', 'shop-2'], { home })).exit).toBe(0);
  });

  test('a key in a file of the user stays where it is, and another profile stays the default', async () => {
    const home = homeWithProfile();
    writeFileSync(configFile(home), config(home).replace('default-profile: shop', 'default-profile: sandbox'));
    const ran = await paycli(rename, { home });
    expect(ran.exit, ran.err).toBe(0);
    expect(config(home)).toContain(`control-key-file: ${join(home, 'control.key')}`);
    expect(config(home)).toContain('default-profile: sandbox\n');
  });

  test('a key in the keyring moves to the account of the new name', async () => {
    const home = homeWithProfile();
    const file = join(home, 'control.key');
    writeFileSync(
      configFile(home),
      config(home).replace(`control-key-file: ${file}`, 'control-key-keyring: shop/control-key'),
    );
    const secrets = new Map([['shop/control-key', controlKey]]);
    const ran = await paycli(rename, { home, keyring: fakeKeyring(secrets) });
    expect(ran.exit, ran.err).toBe(0);
    expect(secrets).toEqual(new Map([['shop-2/control-key', controlKey]]));
    expect(config(home)).toContain('control-key-keyring: shop-2/control-key\n');
  });

  const since = async (home: string) =>
    JSON.parse((await paycli(['profile', 'list', '--json'], { home })).out).profiles[0].controlKeySince;

  test('the age of a key in a file moves with it', async () => {
    const home = homeWithStoredKey();
    // 2029-01-01 00:00:00 UTC
    utimesSync(keyFile(home, 'shop'), 1_861_920_000, 1_861_920_000);
    expect((await paycli(rename, { home, outside: at(60) })).exit).toBe(0);
    expect(await since(home)).toBe('2029-01-01T00:00:00.000Z');
  });

  test('the age of a key in the keyring moves with it', async () => {
    const home = homeWithProfile();
    const keyring = fakeKeyring();
    const toKeyring = [
      'profile',
      'add',
      'shop',
      '--replace',
      '--store',
      'keyring',
      '--control-key-file',
      'control.key',
    ];
    expect((await paycli(toKeyring, { home, keyring })).exit).toBe(0);
    const before = await since(home);
    expect(before).toMatch(/^2030-01-07T12:0/);
    const ran = await paycli(rename, { home, keyring, outside: at(60) });
    expect(ran.exit, ran.err).toBe(0);
    expect(await since(home)).toBe(before);
  });

  test.each([
    ['a name that is taken', ['shop', 'other'], 'profile other already exists', 2],
    ['the same name', ['shop', 'shop'], 'profile shop already exists', 2],
    ['a name with a blank', ['shop', 'my shop'], 'letters, digits, dots, dashes and underscores', 2],
    ['the name of the built-in sandbox', ['shop', 'sandbox'], 'the profile has a reserved name: sandbox is', 2],
    ['a profile that is not there', ['shopp', 'shop-2'], 'did you mean shop?', 3],
  ] as const)('%s is refused, and nothing is written', async (_, names, said, exit) => {
    const home = homeWithStoredKey();
    const other = '  other:\n    class: test\n    base-url: https://gate.example/other\n';
    writeFileSync(configFile(home), config(home) + other);
    const before = config(home);
    const ran = await paycli(['profile', 'rename', ...names], { home });
    expect([ran.exit, config(home)], ran.err).toEqual([exit, before]);
    expect(ran.err).toContain(said);
    expect(existsSync(keyFile(home, 'shop'))).toBe(true);
  });

  test('a key that already lies at the new place is not overwritten', async () => {
    const home = homeWithStoredKey();
    writeFileSync(keyFile(home, 'shop-2'), 'of somebody else\n', { mode: 0o600 });
    const before = config(home);
    const ran = await paycli(rename, { home });
    expect([ran.exit, config(home), readFileSync(keyFile(home, 'shop-2'), 'utf8')]).toEqual([
      2,
      before,
      'of somebody else\n',
    ]);
  });

  test('the cap of the day cannot be begun anew by another name', async () => {
    const home = homeWithProfile({ more: ['max-total-per-day: [1000.00 EUR, 5.00 USD]'] });
    expect((await sent(home, refund('1', eur('400.00')))).exit).toBe(0);
    const before = config(home);
    const ran = await paycli(rename, { home });
    expect([ran.exit, config(home)]).toEqual([10, before]);
    expect(ran.err.replace(/\s+/g, ' ')).toContain(
      'blocked by a cap of profile shop: this profile has sent EUR since 00:00 UTC',
    );
    const tomorrow = await paycli(rename, { home, outside: at(12 * 60) });
    expect(tomorrow.exit, tomorrow.err).toBe(0);
    const list = await paycli(['journal', 'list', '--profile', 'shop', '--json'], { home });
    expect(JSON.parse(list.out).entries).toHaveLength(1);
  });

  test('without a cap of the day it is renamed after a payment too', async () => {
    const home = homeWithProfile();
    expect((await sent(home, refund('1', eur('400.00')))).exit).toBe(0);
    expect((await paycli(rename, { home })).exit).toBe(0);
  });

  test('a project file that names it is told', async () => {
    const home = homeWithProfile();
    const project = join(home, '.paycli.yaml');
    writeFileSync(project, 'default-profile: shop\n');
    await paycli(['config', 'trust', project], { home });
    const ran = await paycli(rename, { home });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.err.replace(/\s+/g, ' ')).toContain('still names shop as the default profile');
  });

  test('a configuration that cannot be written leaves the key where it was', async () => {
    const home = homeWithStoredKey();
    const before = config(home);
    const ran = await paycli(rename, {
      home,
      outside: ({ files, ...others }) => ({
        ...others,
        files: {
          ...files,
          writeText: (path, text, mode) => {
            if (path === configFile(home)) throw new Error('no space left on device');
            files.writeText(path, text, mode);
          },
        },
      }),
    });
    expect([ran.exit, config(home)], ran.err).toEqual([13, before]);
    expect([existsSync(keyFile(home, 'shop')), existsSync(keyFile(home, 'shop-2'))]).toEqual([true, false]);
  });
});
