import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadProfile } from '../../src/config/load-profile.js';
import { distrustFile, trustedFiles, trustFile } from '../../src/config/trust.js';
import { failure, makeFixture, projectFile, shop, userFile } from './support.js';

const guarded = [
  ['profiles: { a: { class: test, base-url: https://evil.example } }', 'profiles.a.class, profiles.a.base-url'],
  ['profiles: { a: { control-key-file: k } }', 'profiles.a.control-key-file'],
  ['profiles: { a: { assume: { A01: base64 } } }', 'profiles.a.assume'],
  ['profiles: { shop-test: {} }', 'profiles.shop-test'],
  ['profiles: { "\\e[31m": { class: test } }', 'profiles.\\u{1b}[31m.class'],
  ['profiles: 7', 'profiles'],
  ['defaults: { redirect-url: https://evil.example, currency: EUR }', 'defaults.redirect-url, defaults.currency'],
  ['defaults: { server_callback_url: https://evil.example }', 'defaults.server_callback_url'],
  ['defaults: { amount: "1.00" }', 'defaults.amount'],
  ['defaults: { card-ref-id: "1" }', 'defaults.card-ref-id'],
  ['defaults: { email: eve@evil.example }', 'defaults.email'],
  ['defaults: { account-number: "1" }', 'defaults.account-number'],
  ['defaults: { client-order-id: x }', 'defaults.client-order-id'],
] as const;

test.each(guarded)('%s in a project file needs trust', async (text, keys) => {
  const fixture = makeFixture();
  const file = fixture.write(projectFile, text);
  for (const user of ['', shop]) {
    fixture.write(userFile, user);
    const error = await failure(() => loadProfile({}, fixture.ports()));
    expect(error).toMatchObject({ code: 'CONFIG_UNTRUSTED', exit: 3, facts: { file, keys } });
    expect(error.next).toContain(`paycli config trust ${file}`);
  }
});

test('harmless keys need none', async () => {
  const fixture = makeFixture();
  fixture.write(userFile, shop);
  fixture.write(
    projectFile,
    'default-profile: shop-test\noutput: json\ntimeout: 5\ndefaults: { order-desc: Shoes, purpose: x, site_url: https://shop.example, merchant-data: "7" }',
  );
  const { settings, defaults } = await loadProfile({}, fixture.ports());
  expect(settings).toEqual({ output: 'json', timeoutSeconds: 5 });
  expect(Object.keys(defaults).sort()).toEqual(['merchantData', 'orderDesc', 'purpose', 'siteUrl']);
});

test.each([
  'live-hosts: [gate.example]',
  'defaults: { cvv: "123" }',
  'control-key: x',
  'profiles: { a: { password: x } }',
  'wat: 1',
])('no trust allows %s', async (text) => {
  const fixture = makeFixture();
  const file = fixture.write(projectFile, text);
  expect(await failure(() => loadProfile({}, fixture.ports()))).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(await failure(() => trustFile(file, fixture.ports().files))).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(trustedFiles(fixture.ports().files)).toEqual([]);
});

test('trust holds for that file as it was, and can be taken back', async () => {
  const fixture = makeFixture();
  const { files } = fixture.ports();
  const file = fixture.write(projectFile, shop);
  const load = async () => (await loadProfile({}, fixture.ports())).profile?.name;
  const given = trustFile('../../.paycli.yaml', files);
  expect(given).toMatchObject({ file, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(given.keys).toContain('profiles.shop-test.base-url');
  expect(await load()).toBe('shop-test');
  const list = join(files.folders.state, 'trust.json');
  expect(statSync(list).mode & 0o777).toBe(0o600);

  writeFileSync(file, `${shop}# changed\n`);
  expect(await failure(load)).toMatchObject({ code: 'CONFIG_UNTRUSTED' });
  trustFile(file, files);
  expect(await load()).toBe('shop-test');
  expect(trustedFiles(files)).toHaveLength(1);

  fixture.write('repo/deep/.paycli.yaml', readFileSync(file));
  expect(await failure(load)).toMatchObject({
    code: 'CONFIG_UNTRUSTED',
    facts: { file: join(fixture.home, 'repo/deep/.paycli.yaml') },
  });
  files.remove(join(fixture.home, 'repo/deep/.paycli.yaml'));

  expect(distrustFile(file, files)).toBe(true);
  expect(distrustFile(file, files)).toBe(false);
  expect(await failure(load)).toMatchObject({ code: 'CONFIG_UNTRUSTED' });
});

test.each([
  ['is open to others', (list: string) => chmodSync(list, 0o666)],
  ['is damaged', (list: string) => writeFileSync(list, '{')],
  ['has another form', (list: string) => writeFileSync(list, '{"files":[{"file":1}]}')],
])('a list of trust that %s trusts nothing', async (_, spoil) => {
  const fixture = makeFixture();
  const { files } = fixture.ports();
  const file = fixture.write(projectFile, shop);
  trustFile(file, files);
  spoil(join(files.folders.state, 'trust.json'));
  expect(await failure(() => loadProfile({}, fixture.ports()))).toMatchObject({ code: 'STORAGE', exit: 13 });
});
