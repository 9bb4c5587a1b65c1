import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { examplesOf } from '../support/declared.js';
import { fakeKeyring, temporaryHome } from '../support/runtime.js';
import { canaryKey as canary, canaryFingerprint as fingerprint, neverPrinting } from './never-printed.js';
import { homeWithProfile, saleFlags } from './profiles.js';

const paycli = neverPrinting([]);

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

function config(home: string): string {
  return readFileSync(join(home, 'config/config.yaml'), 'utf8');
}

describe('a key as a flag value', () => {
  const lines = [
    add('shop', '--control-key', canary),
    ['sale', '--amount', '10.42', '--currency', 'USD', '--control_key', canary],
    ['status', '1', `--private-key=-----BEGIN PRIVATE KEY-----${canary}`],
    ['sign', 'sale', `--merchant-control-key=${canary}`, '--json'],
  ];
  test.each(lines)('paycli %s %s … is refused, whatever the command', async (...argv) => {
    const { exit, err, out } = await paycli(argv);
    expect([exit, out]).toEqual([2, '']);
    expect(err).toMatch(/--(?:control-key|private-key|passphrase)-file/);
    expect(err).toContain('from your shell history');
  });

  test('means nothing behind the end of the flags', async () => {
    const { exit, err } = await paycli(['profile', 'set', '--default', '--', '--control-key']);
    expect(exit).toBe(3);
    expect(err).toContain('there is no profile named --control-key');
  });
});

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

  test('a keyring that fails is told, since its entry is still there', async () => {
    const home = homeWithKey();
    await paycli(add('shop', ...withKey, '--store', 'keyring'), { home, keyring: fakeKeyring() });
    const { exit, err } = await paycli(['profile', 'remove', 'shop', '--yes'], {
      home,
      keyring: fakeKeyring(new Map(), 'hangs'),
    });
    expect(exit).toBe(3);
    expect(err).toContain('profile shop was removed, but its key still exists');
    expect(config(home)).toBe('');
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

  test('a key that cannot be read is told with its cure', async () => {
    const home = homeWithKey();
    await paycli(add('shop', ...withKey), { home });
    const key = join(home, 'config/keys/shop.control-key');
    chmodSync(key, 0o644);
    const { exit, out } = await paycli(['profile', 'show', 'shop'], { home });
    expect([exit, out]).toEqual([0, expect.stringContaining(`chmod 600 ${key}`)]);
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
    const shown = await paycli(['profile', 'show', '--origins', '-p', 'shop', '--login', 'other'], { home });
    expect(shown.out).toMatch(/^login +other +flag --login *$/m);
  });
});

test('every example of the help works, one after the other', async () => {
  const home = homeWithKey();
  const keyring = fakeKeyring();
  await paycli(add('shop-test', ...withKey), { home });
  await paycli(add('shop-live', ...withKey), { home });
  for (const path of ['profile show', 'profile set', 'profile remove']) {
    for (const line of await examplesOf(path)) {
      const words = [...line.matchAll(/((?:"[^"]*"|[^\s"])+)/g)].map(([word]) => word.replaceAll('"', ''));
      const ran = await paycli(words, { home, keyring, stdin: `${canary}\n` });
      expect(ran.exit, `${line}\n${ran.err}`).toBe(0);
    }
  }
});
