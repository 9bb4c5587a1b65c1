import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listProfiles, loadProfile } from '../../src/config/load-profile.js';
import type { Files } from '../../src/runtime/ports.js';
import { type Fixture, failure, makeFixture, projectFile, shop, userFile } from './support.js';

const folder = '.config/paycli';

const yaml = (text: string) => (fixture: Fixture) => fixture.write(userFile, text);

const broken: ReadonlyArray<readonly [what: string, make: (fixture: Fixture) => unknown, why: string]> = [
  ['a folder', ({ user }) => mkdirSync(user, { recursive: true }), 'not a regular file'],
  ['a FIFO', (fixture) => fifo(fixture), 'not a regular file'],
  ['100 MB', (fixture) => truncateSync(fixture.write(userFile, ''), 100_000_000), 'larger than 1 MiB'],
  ['no UTF-8', (fixture) => fixture.write(userFile, Uint8Array.of(0x61, 0x3a, 0x20, 0xff)), 'not UTF-8'],
  ['no YAML', yaml('a: [1\nb: hunter2'), 'not valid YAML (line 2'],
  ['two YAML documents', yaml('output: text\n---\noutput: json\n'), 'not valid YAML'],
  ['a key twice', yaml('output: text\noutput: json\n'), 'line 2: duplicated mapping key'],
  ['a YAML tag that wants code', yaml('output: !!js/function hunter2'), 'not valid YAML (line 1)'],
  ['an unknown alias', yaml('output: *hunter2'), 'not valid YAML (line 1)'],
  ['a list', yaml('- a'), 'use a mapping of names'],
  ['an endless link', ({ user }) => symlinkLoop(user), 'link to itself'],
];

test.each(broken)('%s in place of the user file is refused by name', async (_, make, why) => {
  const fixture = makeFixture();
  make(fixture);
  const error = await failure(() => loadProfile({}, fixture.ports()));
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', exit: 3 });
  expect(error.message).toContain(fixture.user);
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

test('JSON is YAML too, with or without a byte order mark', async () => {
  const fixture = makeFixture();
  fixture.write(userFile, '\uFEFF{ "output": "json" }');
  expect((await loadProfile({ isOptional: true }, fixture.ports())).output).toBe('json');
});

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

test.each([
  ['repo/deep', 'repo/deep/.paycli.yaml', true],
  // At the root of the repository, and above it.
  ['repo/deep', 'repo/.paycli.yaml', true],
  ['repo/deep', '.paycli.yaml', false],
  // Outside any repository only the working folder counts.
  ['plain/deep', 'plain/.paycli.yaml', false],
  ['plain/deep', 'plain/deep/.paycli.yaml', true],
])('in %s the project file %s counts: %s', async (working, file, isSeen) => {
  const fixture = makeFixture(working);
  fixture.write(file, '{ "output": "json" }');
  expect((await loadProfile({ isOptional: true }, fixture.ports())).output).toBe(isSeen ? 'json' : undefined);
});

test('a repository that is the home folder itself does not lead there', async () => {
  const fixture = makeFixture('plain/deep');
  mkdirSync(join(fixture.home, '.git'));
  fixture.write('.paycli.yaml', 'output: json');
  expect((await loadProfile({ isOptional: true }, fixture.ports())).output).toBeUndefined();
});

test('the nearest project file is taken', async () => {
  const fixture = makeFixture();
  fixture.write(projectFile, 'output: json');
  fixture.write('repo/deep/.paycli.yaml', 'output: text');
  expect((await loadProfile({ isOptional: true }, fixture.ports())).output).toBe('text');
});

test('profiles are listed with class and default', async () => {
  const fixture = makeFixture();
  fixture.write(userFile, `${shop}  a-live: { class: live, base-url: https://gate.example }\n`);
  expect(await listProfiles(fixture.ports())).toMatchObject([
    { name: 'a-live', class: 'live', isDefault: false },
    { name: 'shop-test', class: 'test', isDefault: true },
  ]);
});

function fifo(fixture: Fixture): void {
  fixture.write(`${folder}/x`, '');
  execFileSync('mkfifo', [fixture.user]);
}

function symlinkLoop(path: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  symlinkSync(path, path);
}
