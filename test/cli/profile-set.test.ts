import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.js';
import type { Delivery } from '../../src/runtime/ports.js';
import { fakeKeyring, reply } from '../support/runtime.js';
import { canaryFingerprint as fingerprint, neverPrinting, canaryKey as next } from './never-printed.js';
import { controlKey, homeWithProfile, rsaKey } from './profiles.js';

const paycli = neverPrinting([controlKey]);

const configFile = (home: string) => join(home, 'config/config.yaml');
const config = (home: string) => readFileSync(configFile(home), 'utf8');
const stored = (home: string) => join(home, 'config/keys/shop.control-key');

const unknownOrder = (): Delivery =>
  reply(400, { type: 'error', 'error-message': 'order not found', 'error-code': '6' });
const wrongControl = (): Delivery =>
  reply(400, { type: 'validation-error', 'error-message': 'INVALID_CONTROL_CODE', 'error-code': '2' });

/** A home whose control key paycli keeps itself, and the next one in a file. */
function homeWithStoredKey(spec: Parameters<typeof homeWithProfile>[0] = {}): string {
  const home = homeWithProfile(spec);
  writeFileSync(configFile(home), config(home).replace(`${home}/control.key`, 'keys/shop.control-key'));
  mkKeys(home);
  writeFileSync(join(home, 'next.key'), `${next}\n`, { mode: 0o600 });
  return home;
}

function mkKeys(home: string): void {
  mkdirSync(join(home, 'config/keys'), { mode: 0o700 });
  writeFileSync(stored(home), `${controlKey}\n`, { mode: 0o600 });
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
      ...{ place: `file ${stored(home)}`, oldPlace: null },
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

  test('does not run the program that printed the key before', async () => {
    const home = homeWithProfile();
    const ran = join(home, 'ran');
    const helper = JSON.stringify(['node', '-e', `fs.writeFileSync(${JSON.stringify(ran)}, ''); console.log('x')`]);
    writeFileSync(configFile(home), config(home).replace(/control-key: .*/, `control-key: { helper: ${helper} }`));
    writeFileSync(join(home, 'next.key'), `${next}\n`, { mode: 0o600 });
    const set = await paycli(setKey('--unchecked'), { home, helpers: systemClock });
    expect([set.exit, set.err]).toEqual([0, '']);
    expect(set.out).toContain('✓ the control key of profile shop was replaced');
    expect(existsSync(ran)).toBe(false);
  });

  test('before the gateway has switched to the new key, that the old one still works is said, and what to do', async () => {
    const home = homeWithStoredKey();
    const ran = await paycli(setKey(), { home, network: [wrongControl, unknownOrder] });
    expect([ran.exit, ran.requests.length, readFileSync(stored(home), 'utf8')]).toEqual([4, 2, `${controlKey}\n`]);
    const said = ran.err.replace(/\s+/g, ' ');
    expect(said).toMatch(/does not accept the new control key, but still accepts the old one \([0-9a-f]{8}\): /);
    expect(said).toContain('next: nothing was changed: profile shop keeps its old control key; if gateway support');
    expect(said).toContain('repeat the command once it has');
    const neither = await paycli(setKey(), { home, network: [wrongControl, wrongControl] });
    expect(neither.err).not.toMatch(/still accepts|has not switched/);
  });

  const forbidden = (): Delivery => ({
    kind: 'reply',
    reply: { status: 403, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>Forbidden</html>') },
  });
  const failures: readonly (readonly [what: string, exit: number, said: string, network: (() => Delivery)[]])[] = [
    ['a refusal', 4, 'INVALID_CONTROL_CODE', [wrongControl, wrongControl]],
    ['no connection', 6, 'nothing was sent', Array(3).fill(() => ({ kind: 'never-sent', reason: 'refused' }))],
    ['a page with HTTP 403', 9, 'allow-list', Array(3).fill(forbidden)],
    ['silence', 9, 'no usable reply', Array(3).fill(() => ({ kind: 'lost', reason: 'it ended' }))],
  ];
  test.each(failures)('after %s the old key is in force, and the message says so', async (_, exit, said, network) => {
    const home = homeWithStoredKey();
    const before = config(home);
    const ran = await paycli(setKey(), { home, network });
    expect(ran.exit, ran.err).toBe(exit);
    expect(ran.err).toContain(said);
    expect(ran.err.replace(/\s+/g, ' ')).toContain('profile shop keeps its old control key');
    expect([config(home), readFileSync(stored(home), 'utf8')]).toEqual([before, `${controlKey}\n`]);
  });

  test('a key file of the user stays; the new one goes to a place of paycli, which the profile names', async () => {
    const home = homeWithProfile({ more: ['notify-url: https://shop.example/n # ours'] });
    writeFileSync(join(home, 'next.key'), `${next}\n`, { mode: 0o600 });
    const ran = await paycli(setKey(), { home, network: [unknownOrder] });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.out).toContain(`still in file ${join(home, 'control.key')}`);
    expect(readFileSync(join(home, 'control.key'), 'utf8')).toBe(`${controlKey}\n`);
    expect(readFileSync(stored(home), 'utf8')).toBe(`${next}\n`);
    expect(config(home)).toContain('    control-key: { file: keys/shop.control-key }\n');
    expect(config(home)).toContain('    notify-url: https://shop.example/n # ours\n');
    expect((await paycli(['profile', 'show', '--origins'], { home })).out).toContain(`fingerprint ${fingerprint}`);
  });

  test('a key in the keyring stays in the keyring', async () => {
    const home = homeWithStoredKey();
    writeFileSync(
      configFile(home),
      config(home).replace(
        'control-key: { file: keys/shop.control-key }',
        'control-key: { keyring: shop/control-key }',
      ),
    );
    const entries = new Map([['shop/control-key', controlKey]]);
    const ran = await paycli(setKey(), { home, keyring: fakeKeyring(entries), network: [unknownOrder] });
    expect(ran.exit, ran.err).toBe(0);
    expect([...entries]).toEqual([['shop/control-key', next]]);
    expect(config(home)).toMatch(/control-key:\n {6}keyring: shop\/control-key\n {6}since: /);
  });

  test('a key that another profile reads as well is not overwritten', async () => {
    const home = homeWithStoredKey();
    writeFileSync(
      configFile(home),
      `${config(home)}  two: { class: test, control-key: { file: keys/shop.control-key } }\n`,
    );
    const ran = await paycli(setKey('--unchecked'), { home });
    expect(ran.exit).toBe(2);
    expect(ran.err).toContain('already holds a key');
    expect(readFileSync(stored(home), 'utf8')).toBe(`${controlKey}\n`);
  });

  test('a profile that cannot be written leaves no new key behind', async () => {
    const home = homeWithProfile();
    writeFileSync(join(home, 'next.key'), `${next}\n`, { mode: 0o600 });
    const failing = (path: string) => path.endsWith('config.yaml');
    const ran = await paycli(setKey('--unchecked'), { home, failing });
    expect([ran.exit, existsSync(stored(home))]).toEqual([13, false]);
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
    expect(ran.out).toMatch(/^✓ the private key of profile shop was replaced\n/);
    expect(ran.out).toContain(`still in file ${join(home, 'config/old.pem')}`);
  });

  test('the first one of a profile is added', async () => {
    const home = homeWithProfile();
    const ran = await paycli(argv(rsaKey(home)), { home, network: [unknownOrder] });
    expect([ran.exit, ran.out], ran.err).toEqual([0, expect.stringMatching(/^✓ profile shop now has a private key\n/)]);
  });

  test('a refusal changes nothing and says what support needs', async () => {
    const home = homeWithProfile();
    const before = config(home);
    const refuse = () => reply(403, { type: 'error', 'error-message': 'signature is invalid', 'error-code': '7' });
    const ran = await paycli(argv(rsaKey(home)), { home, network: [refuse] });
    expect([ran.exit, config(home)], ran.err).toEqual([4, before]);
    expect(ran.err).toContain('give the new public key');
  });
});

describe('the secrets of a journal in PostgreSQL', () => {
  const shared = ['journal: postgres://paycli@db.example/paycli', 'journal-key: { keyring: team/journal-key }'];

  test.each(['journal-key', 'journal-password'])('set-key stores %s, and asks no gateway', async (key) => {
    const home = homeWithProfile({ more: shared.slice(0, 1) });
    writeFileSync(join(home, 'team.key'), `${next}\n`, { mode: 0o600 });
    const ran = await paycli(['profile', 'set-key', 'shop', key, '--file', 'team.key', '--json'], { home });
    expect([ran.exit, ran.requests.length], ran.err).toEqual([0, 0]);
    // A password could be guessed by its fingerprint.
    expect(JSON.parse(ran.out)).toMatchObject({
      ...{ key, checked: false, fingerprint: key === 'journal-key' ? fingerprint : null },
    });
    const file = join(home, `config/keys/shop.${key}`);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([`${next}\n`, 0o600]);
    expect(config(home)).toContain(`    ${key}: { file: keys/shop.${key} }\n`);
    const removed = await paycli(['profile', 'remove', 'shop', '--yes'], { home });
    expect([removed.exit, existsSync(file)]).toEqual([0, false]);
  });

  test('a lost entry of the keyring: the error names the command that stores that secret, and it does', async () => {
    const home = homeWithProfile({ more: shared });
    const entries = new Map<string, string>();
    const keyring = fakeKeyring(entries);
    const read = await paycli(['journal', '--json'], { home, keyring });
    expect(read.exit).toBe(3);
    expect(JSON.parse(read.err)).toMatchObject({
      code: 'SECRET_UNREADABLE',
      next: 'store it with `paycli profile set-key shop journal-key`',
    });
    const answers = [['key', next]] as const;
    const set = await paycli(['profile', 'set-key', 'shop', 'journal-key'], { home, keyring, tty: true, answers });
    expect([set.exit, [...entries]], set.err).toEqual([0, [['shop/journal-key', next]]]);
    expect(config(home)).toMatch(/journal-key:\n {6}keyring: shop\/journal-key\n/);
  });
});

describe('profile set', () => {
  const set = (...settings: string[]) => ['profile', 'set', 'shop', ...settings];

  test('changes what is given, and nothing else', async () => {
    const home = homeWithProfile({ more: ['max-amount: 5.00 EUR', 'endpoints: { EUR: 4002 }'] });
    const ran = await paycli(
      set('endpoint-id=4001', 'max-amount=500.00 EUR,400.00 USD', 'endpoints.USD=4003', 'defaults.order-desc=Tickets'),
      { home },
    );
    expect(ran.exit, ran.err).toBe(0);
    expect(config(home)).toBe(
      [
        'default-profile: shop',
        'profiles:',
        '  shop:',
        '    class: test',
        '    base-url: https://gate.example/prefix',
        '    login: my-shop',
        '    endpoint-id: 4001',
        `    control-key: { file: ${home}/control.key }`,
        '    redirect-url: https://shop.example/return',
        '    ask-first: "off"',
        '    max-amount:',
        '      - 500.00 EUR',
        '      - 400.00 USD',
        '    endpoints: { EUR: 4002, USD: 4003 }',
        '    defaults:',
        '      order-desc: Tickets',
        '',
      ].join('\n'),
    );
  });

  test('KEY= takes a key out, and an empty mapping with its last entry', async () => {
    const home = homeWithProfile({ more: ['endpoints: { EUR: 4002 }'] });
    expect((await paycli(set('redirect-url=', 'endpoints.EUR='), { home })).exit).toBe(0);
    expect(config(home)).not.toMatch(/redirect-url|endpoints/);
  });

  test.each([
    [['redirct-url=https://x.example'], 'did you mean redirect-url?'],
    [[`control-key=${controlKey}`], 'set-key'],
    [['control-key-file=~/other'], 'set-key'],
    [['endpoints=4002'], 'endpoints.NAME=VALUE'],
    [['assume.A03=minor'], 'assumptions are set with --assume ID=VALUE'],
    [['--assume', 'A99=x'], 'there is no assumption A99'],
    [['--assume', 'control-encoding=hex-uper'], 'assume.control-encoding: use one of hex-lower, hex-upper, base64'],
    [['--assume', 'A03=minor', '--assume', 'body-amount=minor'], 'body-amount is given twice'],
    [['login=one', 'login=two'], 'login is given twice'],
    [['endpoint-id=abc'], 'endpoint-id: use a whole number above zero'],
    [['max-amount=much'], 'max-amount: use an amount and a currency, such as "500.00 EUR"'],
    [['class=tset'], 'class: use sandbox, test or live; did you mean test?'],
    [['class='], 'the profile has no class; set it to sandbox, test or live'],
    [['redirect-url=x', 'require-approval=maybe'], 'require-approval: use true or false'],
    [['defaults.order-dsec=Tickets'], 'defaults.order-dsec is unknown; did you mean order-desc?'],
    [['defaults.cvv2=123'], 'defaults.cvv2 is card data'],
  ] as const)('%j is refused with what is allowed, and nothing is written', async (settings, said) => {
    const home = homeWithProfile();
    const before = config(home);
    const ran = await paycli(set(...settings), { home });
    expect([ran.exit, config(home)], ran.err).toEqual([2, before]);
    const text = ran.err.replace(/\s+/g, ' ');
    expect(text).toContain('nothing was changed');
    expect(text).toContain(said);
    expect(text).not.toContain(configFile(home));
    expect(text).not.toContain('profiles.shop');
  });

  test('a test profile cannot be pointed at a live host', async () => {
    const home = homeWithProfile();
    writeFileSync(configFile(home), `live-hosts: [live.example]\n${config(home)}`);
    const ran = await paycli(set('base-url=https://live.example'), { home });
    expect(ran.exit).toBe(3);
    expect(config(home)).toContain('base-url: https://gate.example/prefix');
  });

  test('a live profile asks first', async () => {
    const home = homeWithProfile({ class: 'live' });
    const before = config(home);
    expect((await paycli(set('max-amount='), { home })).exit).toBe(10);
    expect((await paycli(set('login=two'), { home, tty: true, answers: [['change', 'no']] })).exit).toBe(10);
    const assuming = set('--assume', 'payout-pay=accepted');
    const asked = await paycli(assuming, { home, tty: true, answers: [['change', 'no']] });
    expect(asked.questions[0]?.message).toBe('profile shop is live; change assume.payout-pay to accepted?');
    expect(config(home)).toBe(before);
    expect((await paycli(set('login=two', '--yes'), { home })).exit).toBe(0);
    expect(config(home)).toContain('login: two');
  });

  test('a profile that becomes live is no longer the default', async () => {
    const home = homeWithProfile();
    const ran = await paycli(set('class=live'), { home });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.err).toContain('paycli profile set shop --default');
    expect(config(home)).not.toContain('default-profile');
  });

  test('--default makes it the default, and says what goes before it or what is live', async () => {
    const home = homeWithProfile({ class: 'live' });
    const sandbox = await paycli(['profile', 'set', 'sandbox', '--default'], { home });
    expect([sandbox.exit, config(home)]).toEqual([0, expect.stringContaining('default-profile: sandbox\n')]);
    const live = await paycli(set('--default'), { home, env: { PAYCLI_PROFILE: 'sandbox' } });
    expect([live.exit, config(home)]).toEqual([0, expect.stringContaining('default-profile: shop\n')]);
    expect(live.err).toContain('profile shop is live and moves real money');
    expect(live.err).toContain('overridden by environment PAYCLI_PROFILE');
    expect((await paycli(['profile', 'set', 'shpo', '--default'], { home })).err).toContain('did you mean shop?');
    expect((await paycli(set(), { home })).exit).toBe(2);
  });

  test('--assume sets an assumption by its id or switch, and resets it', async () => {
    const home = homeWithProfile({ more: ['assume: { A03: minor }'] });
    const ran = await paycli(set('--assume', 'A01=hex-upper', '--assume', 'body-amount='), { home });
    expect([ran.exit, ran.out]).toEqual([
      0,
      expect.stringContaining('assume.control-encoding changed; assume.A03 removed'),
    ]);
    expect(config(home)).toContain('    assume: { control-encoding: hex-upper }\n');
    const signed = await paycli(['sign', 'status', '1', '--client-order-id', 'a', '--json'], { home });
    expect(JSON.parse(signed.out).signature.digest).toMatch(/^[\dA-F]{40}$/);
    expect((await paycli(set('--assume', 'control-encoding='), { home })).exit).toBe(0);
    expect(config(home)).not.toContain('assume');
    const sandbox = await paycli(['profile', 'set', 'sandbox', '--assume', 'A03=minor'], { home });
    expect([sandbox.exit, sandbox.err]).toEqual([2, expect.stringContaining('`paycli sandbox start --assume')]);
  });
});

describe('the age of a control key', () => {
  const since = async (home: string) =>
    JSON.parse((await paycli(['profile', 'show', '--json'], { home })).out).profiles[0].controlKeySince;
  const add = (...more: string[]) => ['init', '--name', 'shop', '--replace', '--no-check', ...more];
  const oldYear = '2029-01-01T00:00:00.000Z';
  const aged = () => {
    const home = homeWithStoredKey();
    utimesSync(stored(home), 1_861_920_000, 1_861_920_000);
    return home;
  };

  test('stays when the same key is stored again, and begins anew with another key', async () => {
    const home = aged();
    expect((await paycli(add('--control-key-file', 'control.key'), { home })).exit).toBe(0);
    expect(await since(home)).toBe(oldYear);
    expect((await paycli(add('--control-key-file', 'next.key'), { home })).exit).toBe(0);
    expect(await since(home)).not.toBe(oldYear);
  });
});

/** A home with the profile shop of this class, and its control key again in the file same.key. */
function homeOf(kind: 'test' | 'live'): string {
  const home = homeWithProfile({ class: kind });
  writeFileSync(join(home, 'same.key'), `${controlKey}\n`, { mode: 0o600 });
  writeFileSync(join(home, 'another.key'), `${next}\n`, { mode: 0o600 });
  return home;
}

const connection = (kind: string, key: string) =>
  `--class ${kind} --base-url https://second.example --login my-shop --endpoint-id 4001 --control-key-file ${key}`.split(
    ' ',
  );
const warned = (name: string, kind: string, other: string) =>
  `warning: profile ${name} of class ${kind} has the same control key as profile shop of class ${other}; ask gateway support for a separate key for each\n`;

test.each([
  ['live', 'test', 'same.key', warned('second', 'test', 'live')],
  ['live', 'test', 'another.key', ''],
  ['test', 'test', 'same.key', ''],
] as const)('beside a %s profile, init of a %s one with %s', async (kind, added, key, says) => {
  const init = ['init', '--name', 'second', ...connection(added, key), '--no-check'];
  const made = await paycli(init, { home: homeOf(kind) });
  expect([made.exit, made.err]).toEqual([0, says]);
});

test('profile set-key and doctor say it, and show no key', async () => {
  const home = homeOf('live');
  const add = await paycli(['init', '--no-check', '--name', 'second', ...connection('test', 'another.key')], { home });
  expect([add.exit, add.err]).toEqual([0, '']);
  const set = await paycli(['profile', 'set-key', 'second', 'control', '--file', 'same.key', '--unchecked'], { home });
  expect([set.exit, set.err]).toEqual([0, warned('second', 'test', 'live')]);
  const doctor = await paycli(['doctor', '--profile', 'second'], { home });
  expect(doctor.out).toMatch(/^warn +control key +file .*: the same control key as profile shop of class live$/m);
  expect(doctor.out).toContain('do: ask gateway support for a separate key for each');
  for (const { out, err } of [set, doctor]) expect(out + err).not.toContain(controlKey);
});
