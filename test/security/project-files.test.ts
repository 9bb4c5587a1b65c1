import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fieldNames } from '../../src/config/content.js';
import { loadProfile } from '../../src/config/load-profile.js';
import { failure, makeWorld, projectFile, shop, userFile } from '../config/support.js';

/** Values that each field takes, where the check of its kind comes before that of trust. */
const harmless = ['order-desc', 'order_desc', 'purpose', 'site-url', 'site_url', 'merchant-data', 'merchant_data'];

describe('a project file nobody vouched for', () => {
  test('may set four texts and no other default, by any spelling of its name', async () => {
    const names = [...new Set(fieldNames())];
    expect(names.length).toBeGreaterThan(120);
    for (const name of names) {
      const world = makeWorld();
      world.write(userFile, shop);
      world.write(projectFile, `defaults: { ${name}: 'x' }`);
      const error = await failure(() => loadProfile({}, world.ports())).catch(() => undefined);
      if (harmless.includes(name)) expect(error?.code, name).not.toBe('CONFIG_UNTRUSTED');
      else expect(error?.code, name).toMatch(/^CONFIG_(UNTRUSTED|INVALID)$/);
    }
  });

  test.each([
    ['routing-number', '021000021'],
    ['currency', 'JPY'],
    ['deposit2card', 'true'],
    ['bank-name', 'Bank of Eve'],
    ['bank-id', '7'],
    ['wallet-type', 'eve'],
    ['recurring-card-type', 'DST'],
    ['country', 'DE'],
  ])('cannot change %s of a payment', async (name, value) => {
    const world = makeWorld();
    world.write(userFile, shop);
    world.write(projectFile, `defaults: { ${name}: '${value}' }`);
    expect(await failure(() => loadProfile({}, world.ports()))).toMatchObject({ code: 'CONFIG_UNTRUSTED', exit: 3 });
  });
});

describe('whoever may write a configuration file, or a folder it lies in, could send money elsewhere: exit 3', () => {
  const bad = [
    ['the project file is writable by everybody', 'repo/.paycli.yaml', 0o606],
    ['the root of the repository is writable by everybody', 'repo', 0o777],
    ['the user file is writable by everybody', '.config/paycli/config.yaml', 0o602],
    ['the folder of the user file is writable by everybody', '.config/paycli', 0o777],
  ] as const;

  test.each(bad)('%s', async (_, path, mode) => {
    const world = makeWorld();
    world.write(userFile, shop);
    world.write(projectFile, 'output: json');
    expect((await loadProfile({}, world.ports())).settings.output).toBe('json');
    chmodSync(join(world.home, path), mode);
    const error = await failure(() => loadProfile({}, world.ports()));
    expect(error).toMatchObject({ code: 'CONFIG_EXPOSED', exit: 3 });
    expect(error.message).toContain(join(world.home, path));
    expect(error.next).toContain(`chmod go-w ${join(world.home, path)}`);
  });

  test('a folder between the project file and the root of the repository', async () => {
    const world = makeWorld('repo/deep/er');
    world.write(userFile, shop);
    world.write('repo/deep/er/.paycli.yaml', 'output: json');
    chmodSync(join(world.home, 'repo/deep'), 0o777);
    expect((await failure(() => loadProfile({}, world.ports()))).message).toContain(join(world.home, 'repo/deep'));
  });

  test('a folder above the repository is no matter', async () => {
    const world = makeWorld();
    world.write(userFile, shop);
    world.write(projectFile, 'output: json');
    chmodSync(world.home, 0o777);
    expect((await loadProfile({}, world.ports())).settings.output).toBe('json');
  });

  test.runIf(process.getuid?.() === 0)('a file of another user, whatever its mode; a group of several', async () => {
    for (const [path, uid, gid, mode] of [
      ['repo/.paycli.yaml', 4242, 0, 0o600],
      ['.config/paycli/config.yaml', 4242, 0, 0o600],
      ['repo', 4242, 0, 0o755],
      ['repo/.paycli.yaml', 0, 4242, 0o660],
    ] as const) {
      const world = makeWorld();
      world.write(userFile, shop);
      world.write(projectFile, 'output: json');
      chownSync(join(world.home, path), uid, gid);
      chmodSync(join(world.home, path), mode);
      expect(await failure(() => loadProfile({}, world.ports())), path).toMatchObject({
        code: 'CONFIG_EXPOSED',
        exit: 3,
      });
    }
  });

  test('a helper of such a file is never run', async () => {
    const world = makeWorld();
    const ran = join(world.home, 'ran');
    const script = world.write('bin/helper', `#!/bin/sh\ntouch ${ran}\necho key\n`, 0o700);
    world.write(userFile, shop.replace('control-key-file: ~/keys/control', `control-key-helper: [${script}]`), 0o602);
    expect(await failure(() => loadProfile({}, world.ports()))).toMatchObject({ code: 'CONFIG_EXPOSED' });
    expect(world.ports().files.exists(ran)).toBe(false);
  });

  test('a planted file in a working folder outside any repository is not read where everybody may write', async () => {
    const world = makeWorld('shared');
    mkdirSync(join(world.home, 'shared'), { recursive: true });
    writeFileSync(join(world.home, 'shared/.paycli.yaml'), 'output: json\n', { mode: 0o600 });
    chmodSync(join(world.home, 'shared'), 0o1777);
    expect(await failure(() => loadProfile({}, world.ports()))).toMatchObject({ code: 'CONFIG_EXPOSED' });
  });
});
