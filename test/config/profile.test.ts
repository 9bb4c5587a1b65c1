import { expect, test } from 'vitest';
import { loadProfile, type Profile, readProfiles } from '../../src/config/index.js';
import type { Env } from '../../src/runtime/ports.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { failure, makeFixture, shop, userFile } from './support.js';

async function profileOf(text: string, env: Env = {}, profile?: string): Promise<Profile> {
  const fixture = makeFixture();
  fixture.write(userFile, text);
  const loaded = await loadProfile({ profile }, fixture.ports(env));
  if (loaded.profile === undefined) throw new Error('no profile');
  return loaded.profile;
}

test('a profile of the user file arrives whole', async () => {
  const fixture = makeFixture();
  fixture.write(
    userFile,
    `${shop}    private-key: { env: SHOP_KEY }
    passphrase: { fd: 4 }
    ca-file: ca.pem
    redirect-url: https://shop.example/back
    assume: { A01: hex-upper, minor-digits: { JPY: 2, 4001/KWD: 2 }, oauth-window: 60 }
    defaults: { email: jane@example.com, client_orderid: fixed }
output: json
timeout: 30
defaults: { order-desc: Anything, email: other@example.com }
`,
  );
  const { profile, output, timeoutSeconds, warnings, defaults } = await loadProfile({}, fixture.ports());
  const at = (key: string) => `${fixture.user}: profiles.shop-test.${key}`;
  expect(warnings).toEqual([]);
  expect([output, timeoutSeconds]).toEqual(['json', 30]);
  expect(defaults).toMatchObject({
    redirectUrl: { value: 'https://shop.example/back', origin: at('redirect-url') },
    email: { value: 'jane@example.com', origin: at('defaults.email') },
    clientOrderId: { value: 'fixed' },
    orderDesc: { value: 'Anything', origin: `${fixture.user}: defaults.order-desc` },
  });
  expect(profile).toMatchObject({
    name: 'shop-test',
    class: 'test',
    baseUrl: 'https://sandbox.example/paynet',
    login: 'shop',
    endpointId: '4001',
    controlKey: { kind: 'file', path: `${fixture.home}/keys/control` },
    privateKey: { kind: 'environment', name: 'SHOP_KEY' },
    passphrase: { kind: 'descriptor', descriptor: 4 },
    caFile: `${fixture.home}/.config/paycli/ca.pem`,
    assumeOrigins: { 'control-encoding': at('assume.A01') },
    rows: expect.arrayContaining([
      { key: 'class', value: 'test', origin: at('class') },
      { key: 'passphrase', value: 'descriptor 4', origin: at('passphrase') },
    ]),
  });
  const set = { 'control-encoding': 'hex-upper', 'minor-digits': '4001/KWD=2,JPY=2', 'oauth-window': '60' };
  expect({ ...profile?.assume, 'minor-digits': profile?.assume['minor-digits'].split(',').sort().join(',') }).toEqual({
    ...assumeDefaults,
    ...set,
  });
});

test('a profile names the journal of a team, with its secrets in any form', async () => {
  const lines = [
    'journal: postgres://team@db.example:5433/pay?sslrootcert=db.pem',
    'journal-key: { file: team.key }',
    'journal-password: { env: TEAM_PASSWORD_FILE }',
  ];
  const fixture = makeFixture();
  fixture.write(userFile, `${shop}${lines.map((line) => `    ${line}\n`).join('')}`);
  const folder = `${fixture.home}/.config/paycli`;
  const journal = {
    profile: 'shop-test',
    address: { host: 'db.example', port: 5433, user: 'team', database: 'pay', tls: 'full' },
    shown: 'postgres://team@db.example:5433/pay',
    caFile: `${folder}/db.pem`,
    key: { kind: 'file', path: `${folder}/team.key` },
    password: { kind: 'environment', name: 'TEAM_PASSWORD_FILE' },
  };
  const { profile, warnings } = await loadProfile({}, fixture.ports({ TEAM_PASSWORD_FILE: '/run/password' }));
  expect([profile?.journal, warnings]).toEqual([journal, []]);
  expect(profile?.rows).toContainEqual({
    ...{ key: 'journal', value: journal.shown },
    origin: `${fixture.user}: profiles.shop-test.journal`,
  });
  expect((await readProfiles(fixture.ports())).journals).toEqual(new Map([['shop-test', journal]]));
});

test.each(['9007199254740993', '4001.5', '0'])('endpoint-id %s as a number is refused', async (id) => {
  const error = await failure(() => profileOf(shop.replace('4001', id)));
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toContain('profiles.shop-test.endpoint-id');
});

const endpoints = '    endpoints: { EUR: 2, payout: 3, payout/EUR: 4, card-ref-create: 5, "VOID/USD": 6 }\n';
test.each([
  ['SALE', undefined, '4001'],
  ['SALE', 'EUR', '2'],
  ['PAYOUT', undefined, '3'],
  ['PAYOUT', 'EUR', '4'],
  ['card-ref create', 'EUR', '5'],
  ['void', 'USD', '6'],
])('the endpoint for %s in %s is %s', async (operation, currency, id) => {
  expect((await profileOf(shop + endpoints)).endpointFor(operation, currency)).toBe(id);
});

test('an endpoint id from outside the file goes before its endpoints', async () => {
  const profile = await profileOf(shop + endpoints, { PAYCLI_ENDPOINT_ID: '77' }, 'shop-test');
  expect(profile.endpointFor('PAYOUT', 'EUR')).toBe('77');
});

test('an operation without an endpoint id is refused when it is asked for', async () => {
  const profile = await profileOf((shop + endpoints).replace('    endpoint-id: 4001\n', ''));
  expect(profile.endpointFor('PAYOUT')).toBe('3');
  const error = await failure(() => profile.endpointFor('SALE', 'USD'));
  expect(error).toMatchObject({ code: 'PROFILE_INCOMPLETE', exit: 3 });
  expect(error.message).toContain('an endpoint id for SALE in USD');
});

test.each([
  ['base-url: https://sandbox.example/paynet/', 'base-url'],
  ['login: shop', 'login'],
  ['endpoint-id: 4001', 'endpoint-id'],
])('a profile without %s is incomplete', async (line, key) => {
  const error = await failure(() => profileOf(shop.replace(line, '')));
  expect(error).toMatchObject({ code: 'PROFILE_INCOMPLETE', exit: 3 });
  expect(error.message).toBe(`profile shop-test lacks ${key}`);
  expect(error.next).toContain('config.yaml');
});

test('caps arrive in minor units of ISO 4217, whatever is assumed about them', async () => {
  const profile = await profileOf(
    `${shop}    max-amount: "500.00 EUR"\n    max-total-per-day: [2000 USD, "1.5 KWD", 10000 JPY]\n    assume: { minor-digits: hundredths }\n`,
  );
  expect(profile.caps).toMatchObject({
    maxAmount: [{ minor: 50000n, currency: 'EUR' }],
    maxTotalPerDay: [
      { minor: 200000n, currency: 'USD' },
      { minor: 1500n, currency: 'KWD' },
      { minor: 10000n, currency: 'JPY' },
    ],
  });
  expect((await profileOf(shop)).caps).toMatchObject({ maxAmount: [], maxTotalPerDay: [] });
});

test.each([
  ['flag', { profile: 'shop-tset' }, {}],
  ['variable', {}, { PAYCLI_PROFILE: 'shop-tset' }],
])('a profile that is not there, named by a %s, is an error and never the sandbox', async (_, request, env) => {
  const fixture = makeFixture();
  expect(await failure(() => loadProfile(request, fixture.ports(env)))).toMatchObject({
    code: 'PROFILE_UNKNOWN',
    exit: 3,
  });
  fixture.write(userFile, shop);
  const error = await failure(() => loadProfile(request, fixture.ports(env)));
  expect(error.message).toBe('there is no profile named shop-tset; did you mean shop-test?');
  expect(error.next).toContain(fixture.user);
  expect(error.next).toContain('shop-test');
});

test('the built-in sandbox can be asked for by name', async () => {
  const fixture = makeFixture();
  fixture.write(userFile, shop);
  const loaded = await loadProfile({ profile: 'sandbox' }, fixture.ports({ PAYCLI_LOGIN: 'shop' }));
  expect(loaded.profile).toBeUndefined();
  const error = await failure(() => loadProfile({ profile: 'sandbox', overrides: { login: 'x' } }, fixture.ports()));
  expect(error.code).toBe('PROFILE_CLASS_MISMATCH');
});
