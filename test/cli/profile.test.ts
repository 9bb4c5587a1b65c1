import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { fakeKeyring, interruptedAt, reply, temporaryHome } from '../support/runtime.js';
import { canaryKey as canary, canaryFingerprint as fingerprint, neverPrinting } from './never-printed.js';
import { controlKey, homeWithProfile, rsaKey, saleFlags } from './profiles.js';

const next = canary;

const config = (home: string) => readFileSync(join(home, 'config/config.yaml'), 'utf8');

const paycli = neverPrinting([controlKey]);

/** A home with a control key in a file, and no configuration. */
function homeWithKey(): string {
  const home = temporaryHome();
  writeFileSync(join(home, 'control.key'), `${canary}\n`, { mode: 0o600 });
  return home;
}

const shop = [
  '--class',
  'test',
  '--base-url',
  'https://gate.example/prefix',
  '--login',
  'my-shop',
  '--endpoint-id',
  '4001',
];
const add = (name: string, ...more: string[]) => ['init', '--name', name, ...shop, '--no-check', ...more];
const withKey = ['--control-key-file', 'control.key'];

describe('profile remove', () => {
  async function twoProfiles(): Promise<string> {
    const home = homeWithKey();
    await paycli(add('one', ...withKey), { home });
    await paycli(add('two', ...withKey), { home });
    return home;
  }

  test('removing takes the stored key too, and only after a yes', async () => {
    const home = await twoProfiles();
    const key = join(home, 'config/keys/one.control-key');
    const before = config(home);
    expect((await paycli(['profile', 'remove', 'one'], { home })).exit).toBe(10);
    expect((await paycli(['profile', 'remove', 'one'], { home, tty: true, answers: [['remove', 'no']] })).exit).toBe(
      10,
    );
    expect([config(home), existsSync(key)]).toEqual([before, true]);
    const { exit } = await paycli(['profile', 'remove', 'one'], { home, tty: true, answers: [['remove', 'yes']] });
    expect(exit).toBe(0);
    expect([config(home).includes('one'), existsSync(key)]).toEqual([false, false]);
    expect((await paycli(['profile', 'show', 'two'], { home })).exit).toBe(0);
    expect((await paycli(['profile', 'remove', 'two', '--yes'], { home })).exit).toBe(0);
    expect(config(home)).toBe('');
    expect((await paycli(['profile', 'show'], { home })).err).toContain('no profiles yet');
  });

  test('removing says which of its outcomes are still open, before and after', async () => {
    const home = homeWithProfile();
    const lost = () => ({ kind: 'lost' as const, reason: 'the connection was reset' });
    expect((await paycli(saleFlags, { home, network: [lost] })).exit).toBe(8);
    const open = 'requests on these orders have no final outcome yet: 902B4FF5';
    const asked = await paycli(['profile', 'remove', 'shop'], { home });
    expect([asked.exit, asked.err]).toEqual([10, expect.stringContaining(open)]);
    const removed = await paycli(['profile', 'remove', 'shop', '--yes'], { home });
    expect([removed.exit, removed.err]).toEqual([0, expect.stringContaining(`warning: ${open}; to resolve them`)]);
  });

  test('a key that another profile reads as well stays, and so does a file of the user', async () => {
    const home = await twoProfiles();
    const mine = config(home).replace('keys/two.control-key', 'keys/one.control-key');
    writeFileSync(
      join(home, 'config/config.yaml'),
      `${mine}  own: { class: test, control-key: { file: ${home}/control.key } }\n`,
    );
    for (const name of ['one', 'own'])
      expect((await paycli(['profile', 'remove', name, '--yes'], { home })).exit).toBe(0);
    expect(
      [join(home, 'config/keys/one.control-key'), join(home, 'control.key')].map((path) => existsSync(path)),
    ).toEqual([true, true]);
  });
});

describe('profile show', () => {
  test('a profile shows its connection, its caps, and its keys by fingerprint', async () => {
    const home = homeWithKey();
    await paycli(add('shop', ...withKey, '--max-amount', '500.00 EUR'), { home });
    const { out } = await paycli(['profile', 'show', '-p', 'shop', '--json'], { home });
    const document = JSON.parse(out);
    expect(document).toMatchObject({
      ...{ profile: 'shop', class: 'test', chosenBy: 'flag --profile' },
      ...{ baseUrl: 'https://gate.example/prefix', endpointId: '4001' },
      keys: [{ key: 'control-key', fingerprint, problem: null }],
    });
    expect(document.values).toContainEqual(expect.objectContaining({ key: 'max-amount', value: '500.00 EUR' }));
  });

  test('--origins: every value has its origin', async () => {
    const home = homeWithKey();
    await paycli(add('shop', ...withKey), { home });
    const env = { PAYCLI_PROFILE: 'shop', PAYCLI_LOGIN: 'other' };
    const { exit, out } = await paycli(['profile', 'show', '--origins', '--json'], { home, env });
    expect(exit).toBe(0);
    for (const each of [
      { key: 'profile', value: 'shop', origin: 'environment PAYCLI_PROFILE' },
      { key: 'login', value: 'other', origin: 'environment PAYCLI_LOGIN' },
      { key: 'endpoint-id', value: '4001', origin: `${join(home, 'config/config.yaml')}: profiles.shop.endpoint-id` },
    ])
      expect(JSON.parse(out).values).toContainEqual(each);
  });
});

const configFile = (home: string) => join(home, 'config/config.yaml');
const stored = (home: string) => join(home, 'config/keys/shop.control-key');

const unknownOrder = (): Delivery =>
  reply(400, { type: 'error', 'error-message': 'order not found', 'error-code': '6' });
const wrongControl = (): Delivery =>
  reply(400, { type: 'validation-error', 'error-message': 'INVALID_CONTROL_CODE', 'error-code': '2' });

/** A home whose control key paycli keeps itself, and the next one in a file. */
function homeWithStoredKey(spec: Parameters<typeof homeWithProfile>[0] = {}): string {
  const home = homeWithProfile(spec);
  writeFileSync(configFile(home), config(home).replace(`${home}/control.key`, 'keys/shop.control-key'));
  mkdirSync(join(home, 'config/keys'), { mode: 0o700 });
  writeFileSync(stored(home), `${controlKey}\n`, { mode: 0o600 });
  writeFileSync(join(home, 'next.key'), `${next}\n`, { mode: 0o600 });
  return home;
}

const setKey = (...more: string[]) => ['profile', 'set-key', 'shop', 'control', '--file', 'next.key', ...more];

describe('profile set-key control', () => {
  test('asks with the new key, then replaces the old one; the profile stays as it is', async () => {
    const home = homeWithStoredKey();
    const before = config(home);
    const ran = await paycli(setKey('--json'), { home, network: [unknownOrder] });
    expect([ran.exit, ran.requests.length], ran.err).toEqual([0, 1]);
    expect(JSON.parse(ran.out)).toMatchObject({
      ...{ schema: 'paycli.profile-key/1', profile: 'shop', key: 'control', fingerprint, checked: true },
      place: `file ${stored(home)}`,
    });
    expect([config(home), readFileSync(stored(home), 'utf8'), statSync(stored(home)).mode & 0o777]).toEqual([
      before,
      `${next}\n`,
      0o600,
    ]);
    // sha1 of login, client order id, order id (empty) and the new key, by the interface.
    const body = new URLSearchParams(ran.requests[0]?.body);
    const expected = createHash('sha1')
      .update(`my-shop${body.get('client_orderid')}${next}`)
      .digest('hex');
    expect(body.get('control')).toBe(expected);
  });

  const failures: readonly (readonly [string, number, string, readonly (() => Delivery)[]])[] = [
    ['a refusal', 4, 'INVALID_CONTROL_CODE', [wrongControl]],
    ['no connection', 6, 'nothing was sent', Array(3).fill(() => ({ kind: 'never-sent', reason: 'refused' }))],
    ['silence', 9, 'no usable reply', Array(3).fill(() => ({ kind: 'lost', reason: 'it ended' }))],
  ];
  test.each(failures)('after %s the old key is in force, and the message says so', async (_, exit, said, network) => {
    const home = homeWithStoredKey();
    const before = config(home);
    const ran = await paycli(setKey(), { home, network });
    expect(ran.exit, ran.err).toBe(exit);
    expect(ran.err).toContain(said);
    expect(ran.err).toContain('profile shop keeps the key that it had');
    expect([config(home), readFileSync(stored(home), 'utf8')]).toEqual([before, `${controlKey}\n`]);
  });

  test('a key file of the user stays; the new one goes to a place of paycli, which the profile names', async () => {
    const home = homeWithProfile({ more: ['notify-url: https://shop.example/n # ours'] });
    writeFileSync(join(home, 'next.key'), `${next}\n`, { mode: 0o600 });
    const ran = await paycli(setKey(), { home, network: [unknownOrder] });
    expect(ran.exit, ran.err).toBe(0);
    expect(readFileSync(join(home, 'control.key'), 'utf8')).toBe(`${controlKey}\n`);
    expect(readFileSync(stored(home), 'utf8')).toBe(`${next}\n`);
    expect(config(home)).toContain('    control-key: { file: keys/shop.control-key }\n');
    expect(config(home)).toContain('    notify-url: https://shop.example/n # ours\n');
    expect((await paycli(['profile', 'show', '--origins'], { home })).out).toContain(`fingerprint ${fingerprint}`);
  });

  test('a key in the keyring stays in the keyring', async () => {
    const home = homeWithStoredKey();
    const inKeyring = config(home).replace('file: keys/shop.control-key', 'keyring: shop/control-key');
    writeFileSync(configFile(home), inKeyring);
    const entries = new Map([['shop/control-key', controlKey]]);
    const ran = await paycli(setKey(), { home, keyring: fakeKeyring(entries), network: [unknownOrder] });
    expect([ran.exit, [...entries], config(home)], ran.err).toEqual([0, [['shop/control-key', next]], inKeyring]);
  });

  test('a live gateway is checked only with --live', async () => {
    const home = homeWithStoredKey({ class: 'live' });
    const without = await paycli(setKey(), { home });
    expect([without.exit, without.requests.length]).toEqual([10, 0]);
    expect(readFileSync(stored(home), 'utf8')).toBe(`${controlKey}\n`);
    expect((await paycli(setKey('--live'), { home, network: [unknownOrder] })).exit).toBe(0);
    expect(readFileSync(stored(home), 'utf8')).toBe(`${next}\n`);
  });
});

test('profile set-key asks for what it lacks, the key without showing it; a script names it', async () => {
  const home = homeWithStoredKey();
  const answers = [
    ['profile', 'shop'],
    ['key', 'control'],
    ['key', next],
  ] as const;
  const ran = await paycli(['profile', 'set-key'], { home, tty: true, answers, network: [unknownOrder] });
  expect([ran.exit, readFileSync(stored(home), 'utf8')], ran.err).toEqual([0, `${next}\n`]);
  expect(ran.questions.map(({ hidden }) => hidden === true)).toEqual([false, false, true]);
  const script = await paycli(['profile', 'set-key', 'shop', 'control'], { home });
  expect([script.exit, script.err]).toEqual([2, expect.stringContaining('--file')]);
});

describe('profile set-key private', () => {
  const argv = (file: string, ...more: string[]) => ['profile', 'set-key', 'shop', 'private', '--file', file, ...more];

  test('the profile names the new file once the gateway accepted its signature', async () => {
    const home = homeWithProfile({ more: ['private-key: { file: old.pem }', 'passphrase: { file: old.phrase }'] });
    const pem = rsaKey(home);
    const ran = await paycli(argv(pem), { home, network: [unknownOrder] });
    expect(ran.exit, ran.err).toBe(0);
    expect(JSON.stringify(ran.requests[0]?.headers)).toContain('RSA-SHA256');
    expect(config(home)).toContain(`    private-key: { file: ${pem} }\n`);
    expect(config(home)).not.toContain('passphrase');
  });

  test('where the check would store a card, or proves nothing, only --unchecked replaces it', async () => {
    const storing = homeWithProfile({ more: ['assume: { card-ref-source: card-data }'] });
    expect((await paycli(argv(rsaKey(storing)), { home: storing })).exit).toBe(10);
    const home = homeWithProfile();
    const done = () => reply(200, { type: 'async-response', 'card-ref-id': '5' });
    expect((await paycli(argv(rsaKey(home)), { home, network: [done] })).exit).toBe(10);
    expect(config(home)).not.toContain('private-key');
    expect((await paycli(argv(rsaKey(home), '--unchecked'), { home })).exit).toBe(0);
  });
});

describe('profile set', () => {
  const set = (...flags: string[]) => ['profile', 'set', 'shop', ...flags];

  test('changes what is given, and nothing else', async () => {
    const home = homeWithProfile({ more: ['max-amount: 5.00 EUR', 'endpoints: { EUR: 4002, payout: 7 }'] });
    const amounts = ['--max-amount', '500.00 EUR', '--max-amount', '400.00 USD'];
    const endpoints = ['--endpoint', 'USD=4003', '--endpoint', 'EUR=', '--endpoint', 'payout-send=8'];
    const more = ['--endpoint-id', '9223372036854775807', '--ca-file', 'ca.pem'];
    const ran = await paycli(set(...more, ...amounts, ...endpoints), { home });
    expect(ran.exit, ran.err).toBe(0);
    expect(config(home)).toBe(
      [
        'default-profile: shop',
        'profiles:',
        '  shop:',
        '    class: test',
        '    base-url: https://gate.example/prefix',
        '    login: my-shop',
        '    endpoint-id: "9223372036854775807"',
        `    control-key: { file: ${home}/control.key }`,
        '    redirect-url: https://shop.example/return',
        '    ask-first: "off"',
        '    max-amount:',
        '      - 500.00 EUR',
        '      - 400.00 USD',
        '    endpoints: { payout: 8, USD: 4003 }',
        `    ca-file: ${home}/ca.pem`,
        '',
      ].join('\n'),
    );
  });

  test.each([
    [['--assume', 'A99=x'], '--assume: A99 is not a switch'],
    [['--assume', 'A03=minor', '--assume', 'body-amount=minor'], 'assume.body-amount is given twice'],
    [[], 'what to change'],
  ] as const)('%j is refused, and nothing is written', async (flags, said) => {
    const home = homeWithProfile();
    const before = config(home);
    const ran = await paycli(set(...flags), { home });
    expect([ran.exit, config(home)], ran.err).toEqual([2, before]);
    expect(ran.err).toContain(said);
  });

  test('a live profile asks first, and an interruption changes nothing', async () => {
    const home = homeWithProfile({ class: 'live' });
    const before = config(home);
    const assuming = set('--assume', 'payout-pay=accepted');
    expect((await paycli(assuming, { home })).exit).toBe(10);
    const asked = await paycli(assuming, { home, tty: true, answers: [['change', 'no']] });
    expect([asked.exit, asked.questions[0]?.message]).toEqual([10, expect.stringContaining('assume.payout-pay')]);
    expect((await paycli(assuming, { home, tty: true, outside: interruptedAt('change') })).exit).toBe(130);
    expect(config(home)).toBe(before);
    expect((await paycli(set('--login', 'two', '--yes'), { home })).exit).toBe(0);
    expect(config(home)).toContain('login: two');
  });

  test('--default makes it the default, and says that it is live', async () => {
    const home = homeWithProfile({ class: 'live' });
    writeFileSync(configFile(home), config(home).replace('default-profile: shop\n', ''));
    const live = await paycli(set('--default'), { home });
    expect([live.exit, config(home)]).toEqual([0, expect.stringContaining('default-profile: shop\n')]);
    expect(live.err).toContain('moves real money');
  });

  test('--assume sets an assumption by its id or switch, and resets it', async () => {
    const home = homeWithProfile({ more: ['assume: { A03: minor }'] });
    const ran = await paycli(set('--assume', 'A01=hex-upper', '--assume', 'body-amount='), { home });
    expect(ran.exit, ran.err).toBe(0);
    expect(config(home)).toContain('    assume: { control-encoding: hex-upper }\n');
    const signed = await paycli(['sign', 'status', '1', '--client-order-id', 'a', '--json'], { home });
    expect(JSON.parse(signed.out).signature.digest).toMatch(/^[\dA-F]{40}$/);
    expect((await paycli(set('--assume', 'control-encoding='), { home })).exit).toBe(0);
    expect(config(home)).not.toContain('assume');
  });
});
