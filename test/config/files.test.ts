import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listProfiles, loadProfile } from '../../src/config/load-profile.js';
import type { Files } from '../../src/runtime/ports.js';
import { type Fixture, failure, makeFixture, projectFile, shop, userFile } from './support.js';

const folder = '.config/paycli';

const broken: ReadonlyArray<{
  readonly what: string;
  readonly name?: string;
  readonly make: (fixture: Fixture) => unknown;
  readonly why: string;
}> = [
  { what: 'a folder', make: ({ user }) => mkdirSync(user, { recursive: true }), why: 'not a regular file' },
  {
    what: 'a FIFO',
    make: (fixture) => {
      fixture.write(`${folder}/x`, '');
      execFileSync('mkfifo', [fixture.user]);
    },
    why: 'not a regular file',
  },
  {
    what: 'a file of 100 MB',
    make: (fixture) => truncateSync(fixture.write(userFile, ''), 100_000_000),
    why: 'larger than 1 MiB',
  },
  {
    what: 'no UTF-8',
    make: (fixture) => fixture.write(userFile, Uint8Array.of(0x61, 0x3a, 0x20, 0xff)),
    why: 'not UTF-8',
  },
  { what: 'no YAML', make: (fixture) => fixture.write(userFile, 'a: [1\nb: hunter2'), why: 'not valid YAML (line 2' },
  {
    what: 'two YAML documents',
    make: (fixture) => fixture.write(userFile, 'output: text\n---\noutput: json\n'),
    why: 'not valid YAML',
  },
  {
    what: 'a key twice',
    make: (fixture) => fixture.write(userFile, 'output: text\noutput: json\n'),
    why: 'line 2: duplicated mapping key',
  },
  {
    what: 'a YAML tag that wants code',
    make: (fixture) => fixture.write(userFile, 'output: !!js/function hunter2'),
    why: 'not valid YAML (line 1)',
  },
  {
    what: 'an unknown alias',
    make: (fixture) => fixture.write(userFile, 'output: *hunter2'),
    why: 'not valid YAML (line 1)',
  },
  {
    what: 'no JSON',
    name: 'config.json',
    make: (fixture) => fixture.write(`${folder}/config.json`, '{"a": "hunter2",}'),
    why: 'not valid JSON',
  },
  { what: 'a list', make: (fixture) => fixture.write(userFile, '- a'), why: 'use a mapping of names' },
  { what: 'an endless link', make: ({ user }) => symlinkLoop(user), why: 'link to itself' },
];

test.each(broken)('$what in place of the user file is refused by name', async ({ make, name, why }) => {
  const fixture = makeFixture();
  make(fixture);
  const error = await failure(() => loadProfile({}, fixture.ports()));
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', exit: 3 });
  expect(error.message).toContain(join(fixture.home, folder, name ?? 'config.yaml'));
  expect(error.message).toContain(why);
  expect(error.seen).not.toContain('hunter2');
});

test('a file or folder without permission is an error, not an absent file', async () => {
  const fixture = makeFixture();
  const { files } = fixture.ports();
  const denied = () => {
    throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
  };
  const blind: Files = { ...files, exists: () => false, facts: denied };
  expect(await failure(() => loadProfile({}, { env: {}, files: blind }))).toMatchObject({ code: 'CONFIG_INVALID' });
  fixture.write(userFile, shop);
  const unreadable: Files = { ...files, readText: denied };
  const error = await failure(() => loadProfile({}, { env: {}, files: unreadable }));
  expect(error.message).toBe(`${fixture.user}: may not be read by this user`);
});

test('two user files are refused by both names', async () => {
  const fixture = makeFixture();
  const one = fixture.write(userFile, shop);
  const other = fixture.write(`${folder}/config.json`, '{}');
  const error = await failure(() => loadProfile({}, fixture.ports()));
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toContain(one);
  expect(error.message).toContain(other);
});

test.each(['config.json', 'config.yaml', 'config.yml'])(
  '%s is a user file, with or without a byte order mark',
  async (name) => {
    const fixture = makeFixture();
    fixture.write(`${folder}/${name}`, '\uFEFF{ "output": "json" }');
    expect((await loadProfile({ isOptional: true }, fixture.ports())).output).toBe('json');
  },
);

test.each(['', '  \n', '# nothing yet\n', 'profiles:\n'])(
  'a user file without content configures nothing: %j',
  async (text) => {
    const fixture = makeFixture();
    fixture.write(userFile, text);
    expect((await loadProfile({ isOptional: true }, fixture.ports())).profile).toBeUndefined();
  },
);

test('the user file may be a link to a file', async () => {
  const fixture = makeFixture();
  const real = fixture.write('dotfiles/paycli.yaml', shop);
  mkdirSync(join(fixture.home, folder), { recursive: true });
  symlinkSync(real, fixture.user);
  expect((await loadProfile({}, fixture.ports())).profile?.name).toBe('shop-test');
});

const found = [
  { where: 'in the working folder', working: 'repo/deep', file: 'repo/deep/.paycli.yaml', seen: true },
  { where: 'at the root of the repository', working: 'repo/deep', file: 'repo/.paycli.json', seen: true },
  { where: 'above the repository', working: 'repo/deep', file: '.paycli.yaml', seen: false },
  {
    where: 'above a working folder outside any repository',
    working: 'plain/deep',
    file: 'plain/.paycli.yaml',
    seen: false,
  },
  {
    where: 'in a working folder outside any repository',
    working: 'plain/deep',
    file: 'plain/deep/.paycli.yml',
    seen: true,
  },
  { where: 'at home', working: '.', file: '.paycli.yaml', seen: true },
];

test.each(found)('a project file $where counts: $seen', async ({ working, file, seen }) => {
  const fixture = makeFixture(working);
  fixture.write(file, '{ "output": "json" }');
  expect((await loadProfile({ isOptional: true }, fixture.ports())).output).toBe(seen ? 'json' : undefined);
});

test('a repository that is the home folder itself does not lead there', async () => {
  const fixture = makeFixture('plain/deep');
  mkdirSync(join(fixture.home, '.git'));
  fixture.write('.paycli.yaml', 'output: json');
  expect((await loadProfile({ isOptional: true }, fixture.ports())).output).toBeUndefined();
});

test('the nearest project file is taken, and two in one folder are refused', async () => {
  const fixture = makeFixture();
  fixture.write(projectFile, 'output: json');
  fixture.write('repo/deep/.paycli.yml', 'output: text');
  expect((await loadProfile({ isOptional: true }, fixture.ports())).output).toBe('text');
  fixture.write('repo/deep/.paycli.json', '{}');
  const error = await failure(() => loadProfile({}, fixture.ports()));
  expect(error.message).toMatch(/\.paycli\.json and .*\.paycli\.yml/);
});

test('profiles are listed with class and default', async () => {
  const fixture = makeFixture();
  fixture.write(userFile, `${shop}  a-live: { class: live, base-url: https://gate.example }\n`);
  expect(await listProfiles(fixture.ports())).toMatchObject([
    { name: 'a-live', class: 'live', isDefault: false },
    { name: 'shop-test', class: 'test', isDefault: true },
  ]);
});

function symlinkLoop(path: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  symlinkSync(path, path);
}
