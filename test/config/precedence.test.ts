import { expect, test } from 'vitest';
import type { ConnectionFlags } from '../../src/config/given.js';
import { loadProfile } from '../../src/config/load-profile.js';
import type { Env } from '../../src/runtime/ports.js';
import { type Fixture, failure, makeFixture, projectFile, shop, userFile } from './support.js';

/** Who wins, with one source after the other taken away. */
const precedence: ReadonlyArray<{
  readonly flags: ConnectionFlags;
  readonly env: Env;
  readonly login: string;
  readonly origin: string;
}> = [
  { flags: { login: 'by-flag' }, env: { PAYCLI_LOGIN: 'by-env' }, login: 'by-flag', origin: 'flag --login' },
  { flags: {}, env: { PAYCLI_LOGIN: 'by-env' }, login: 'by-env', origin: 'environment PAYCLI_LOGIN' },
  { flags: {}, env: {}, login: 'shop', origin: 'config.yaml: profiles.shop-test.login' },
];
test.each(precedence)('login is $login by $origin', async ({ flags, env, login, origin }) => {
  const fixture = makeFixture();
  fixture.write(userFile, shop);
  const loaded = await loadProfile({ profile: 'shop-test', overrides: flags }, fixture.ports(env));
  expect(loaded.profile?.login).toBe(login);
  expect(loaded.rows.find(({ key }) => key === 'login')?.origin).toContain(origin);
});

const choices = [
  { request: { profile: 'one' }, env: { PAYCLI_PROFILE: 'two', PAYCLI_OUTPUT: 'json' }, name: 'one', output: 'json' },
  { request: {}, env: { PAYCLI_PROFILE: 'two' }, name: 'two', output: 'text' },
  { request: {}, env: {}, name: 'three', output: 'text' },
];
test.each(choices)('the profile is $name', async ({ request, env, name, output }) => {
  const fixture = manyProfiles();
  fixture.write(projectFile, 'default-profile: three\noutput: text\ntimeout: 5\ndefaults: { purpose: toys }');
  const loaded = await loadProfile(request, fixture.ports(env));
  expect(loaded.profile?.name).toBe(name);
  expect(loaded).toMatchObject({ output, timeoutSeconds: 5 });
  expect(loaded.defaults).toMatchObject({
    purpose: { value: 'toys', origin: expect.stringContaining(projectFile) },
    country: { value: 'DE' },
  });
});

function manyProfiles(): Fixture {
  const fixture = makeFixture();
  const one = (name: string) =>
    `  ${name}: { class: test, base-url: https://sandbox.example, login: ${name}, endpoint-id: 1 }\n`;
  const profiles = ['one', 'two', 'three', 'four'].map(one).join('');
  fixture.write(
    userFile,
    `default-profile: four\noutput: json\ntimeout: 9\ndefaults: { currency: USD, country: DE }\nprofiles:\n${profiles}`,
  );
  return fixture;
}

test('flags alone make a connection, an endpoint id alone does not', async () => {
  const { files } = makeFixture().ports();
  const full = { baseUrl: 'http://127.0.0.1:8080', login: 'shop', endpointId: '1', controlKeyFile: '-' };
  const loaded = await loadProfile({ overrides: full }, { env: {}, files });
  expect(loaded.profile).toMatchObject({
    name: 'flags',
    class: 'test',
    controlKey: { kind: 'stdin' },
  });
  expect(await failure(() => loadProfile({ overrides: { endpointId: '1' } }, { env: {}, files }))).toMatchObject({
    code: 'PROFILE_NOT_CHOSEN',
    exit: 3,
  });
  const error = await failure(() => loadProfile({ overrides: { login: 'shop' } }, { env: {}, files }));
  expect(error.message).toBe('connection settings are missing: --base-url, --endpoint-id, --control-key-file');
  expect(await failure(() => loadProfile({ overrides: { baseUrl: 'ftp://x' } }, { env: {}, files }))).toMatchObject({
    code: 'FIELD_INVALID',
    exit: 2,
  });
});
