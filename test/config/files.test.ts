import { mkdirSync, truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadProfile } from '../../src/config/load-profile.js';
import type { Files } from '../../src/runtime/ports.js';
import { type Fixture, failure, makeFixture, projectFile, shop, userFile } from './support.js';

const yaml = (text: string) => (fixture: Fixture) => fixture.write(userFile, text);

const broken: ReadonlyArray<readonly [what: string, make: (fixture: Fixture) => unknown, why: string]> = [
  ['a folder', ({ user }) => mkdirSync(user, { recursive: true }), 'not a regular file'],
  ['100 MB', (fixture) => truncateSync(fixture.write(userFile, ''), 100_000_000), 'larger than 1 MiB'],
  ['no YAML', yaml('a: [1\nb: hunter2'), 'not valid YAML (line 2'],
  ['a YAML tag that wants code', yaml('output: !!js/function hunter2'), 'not valid YAML (line 1)'],
  ['a list', yaml('- a'), 'use a mapping of names'],
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

test('a user file without content configures nothing', async () => {
  const fixture = makeFixture();
  fixture.write(userFile, '# nothing yet\nprofiles:\n');
  expect((await loadProfile({ isOptional: true }, fixture.ports())).profile).toBeUndefined();
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

const beyond = [
  ['profiles: { a: { class: test, base-url: https://evil.example } }', 'profiles'],
  ['live-hosts: [gate.example]', 'live-hosts'],
  ['defaults: { redirect-url: https://evil.example, currency: EUR }', 'defaults.redirect-url, defaults.currency'],
] as const;

test.each(beyond)('%s in a project file is refused', async (text, keys) => {
  const fixture = makeFixture();
  const file = fixture.write(projectFile, text);
  for (const user of ['', shop]) {
    fixture.write(userFile, user);
    const error = await failure(() => loadProfile({}, fixture.ports()));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', exit: 3 });
    expect(error.message).toContain(`${file}: sets ${keys}, but a project file may set only`);
  }
});

test('it names the profile and sets output, timeout and harmless texts', async () => {
  const fixture = makeFixture();
  fixture.write(userFile, shop.replace('default-profile: shop-test\n', ''));
  fixture.write(
    projectFile,
    'default-profile: shop-test\noutput: json\ntimeout: 5\ndefaults: { order-desc: Shoes, purpose: x, site_url: https://shop.example, merchant-data: "7" }',
  );
  const { profile, output, timeoutSeconds, defaults } = await loadProfile({}, fixture.ports());
  expect(profile?.name).toBe('shop-test');
  expect([output, timeoutSeconds]).toEqual(['json', 5]);
  expect(Object.keys(defaults).sort()).toEqual(['merchantData', 'orderDesc', 'purpose', 'siteUrl']);
});

test('it does not choose a live profile', async () => {
  const fixture = makeFixture();
  fixture.write(userFile, shop.replace('class: test', 'class: live'));
  fixture.write(projectFile, 'default-profile: shop-test');
  const error = await failure(() => loadProfile({}, fixture.ports()));
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', exit: 3 });
  expect((await loadProfile({ profile: 'shop-test' }, fixture.ports())).profile?.class).toBe('live');
});
