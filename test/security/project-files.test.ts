import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadProfile } from '../../src/config/load-profile.js';
import { allOperations } from '../../src/spec/index.js';
import { failure, makeFixture, projectFile, shop, userFile } from '../config/support.js';

describe('a project file', () => {
  test('may set four texts and no other default', async () => {
    const harmless = ['order_desc', 'purpose', 'site_url', 'merchant_data'];
    const names = new Set(allOperations.flatMap(({ fields }) => Object.values(fields).map(({ wire }) => wire)));
    // A sample of the others: each is a configuration that is read.
    for (const [at, name] of [...names].entries()) {
      if (at % 5 > 0 && !harmless.includes(name)) continue;
      const fixture = makeFixture();
      fixture.write(userFile, shop);
      fixture.write(projectFile, `defaults: { ${name}: 'https://x.example' }`);
      const error = await failure(() => loadProfile({}, fixture.ports())).catch(() => undefined);
      expect(error?.code, name).toBe(harmless.includes(name) ? undefined : 'CONFIG_INVALID');
    }
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
    const fixture = makeFixture();
    fixture.write(userFile, shop);
    fixture.write(projectFile, 'output: json');
    expect((await loadProfile({}, fixture.ports())).output).toBe('json');
    chmodSync(join(fixture.home, path), mode);
    const error = await failure(() => loadProfile({}, fixture.ports()));
    expect(error).toMatchObject({ code: 'CONFIG_EXPOSED', exit: 3 });
    expect(error.message).toContain(join(fixture.home, path));
    expect(error.next).toContain(`chmod go-w ${join(fixture.home, path)}`);
  });

  test.runIf(process.getuid?.() === 0)('a file of another user, whatever its mode; a group of several', async () => {
    for (const [path, uid, gid, mode] of [
      ['repo/.paycli.yaml', 4242, 0, 0o600],
      ['.config/paycli/config.yaml', 4242, 0, 0o600],
      ['repo', 4242, 0, 0o755],
      ['repo/.paycli.yaml', 0, 4242, 0o660],
    ] as const) {
      const fixture = makeFixture();
      fixture.write(userFile, shop);
      fixture.write(projectFile, 'output: json');
      chownSync(join(fixture.home, path), uid, gid);
      chmodSync(join(fixture.home, path), mode);
      expect(await failure(() => loadProfile({}, fixture.ports())), path).toMatchObject({
        code: 'CONFIG_EXPOSED',
        exit: 3,
      });
    }
  });

  test('a helper of such a file is never run', async () => {
    const fixture = makeFixture();
    const ran = join(fixture.home, 'ran');
    const script = fixture.write('bin/helper', `#!/bin/sh\ntouch ${ran}\necho key\n`, 0o700);
    fixture.write(
      userFile,
      shop.replace('control-key: { file: ~/keys/control }', `control-key: { helper: [${script}] }`),
      0o602,
    );
    expect(await failure(() => loadProfile({}, fixture.ports()))).toMatchObject({ code: 'CONFIG_EXPOSED' });
    expect(fixture.ports().files.exists(ran)).toBe(false);
  });

  test('a planted file in a working folder outside any repository is not read where everybody may write', async () => {
    const fixture = makeFixture('shared');
    mkdirSync(join(fixture.home, 'shared'), { recursive: true });
    writeFileSync(join(fixture.home, 'shared/.paycli.yaml'), 'output: json\n', { mode: 0o600 });
    chmodSync(join(fixture.home, 'shared'), 0o1777);
    expect(await failure(() => loadProfile({}, fixture.ports()))).toMatchObject({ code: 'CONFIG_EXPOSED' });
  });
});
