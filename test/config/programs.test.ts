import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadProfile } from '../../src/config/load-profile.js';
import { readSecret } from '../../src/config/secrets.js';
import type { SecretSource } from '../../src/config/settings.js';
import { systemClock } from '../../src/runtime/machine.js';
import { fakeKeyring } from '../support/runtime.js';
import { type Fixture, failure, makeFixture, shop, userFile } from './support.js';

const canary = 'AF4B9B1A-CANARY-KEY';
const entry: SecretSource = { kind: 'keyring', account: 'shop/control-key' };

test('a keyring entry gives its secret, and says it came from there', async () => {
  const keyring = async () => fakeKeyring(new Map([['shop/control-key', canary]]));
  const read = await readSecret(entry, { ...makeFixture().ports(), keyring });
  expect([read.secret.open(), read.from]).toEqual([canary, 'keyring entry shop/control-key']);
});

test('a keyring that hangs is given up on after 3 seconds', async () => {
  const ports = makeFixture().ports();
  const before = ports.clock.now();
  const signals: AbortSignal[] = [];
  const hanging = fakeKeyring(new Map(), 'hangs');
  const keyring = async () => (signal: AbortSignal) => {
    signals.push(signal);
    return hanging(signal, 'read', 'shop/control-key');
  };
  const error = await failure(() => readSecret(entry, { ...ports, keyring }));
  expect(error).toMatchObject({ code: 'SECRET_UNREADABLE', exit: 3 });
  expect(error.message).toContain('did not answer within 3 seconds');
  expect(error.next).toContain('separate file, mode 0600');
  expect(ports.clock.now() - before).toBe(3000);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

/** A helper as a real program. */
function helper(fixture: Fixture, script: string): SecretSource {
  return {
    kind: 'helper',
    command: [fixture.write('bin/helper', `#!/bin/sh\n${script}\n`, 0o700), 'shop'],
  };
}

/** The folder of the user file is there whenever a helper is. */
function worldWithConfig(): Fixture {
  const fixture = makeFixture();
  fixture.write(userFile, shop);
  return fixture;
}

const good: readonly (readonly [script: string, secret: string])[] = [[`echo ${canary}`, canary]];
test.each(good)('the helper %j gives its secret', async (script, secret) => {
  const fixture = worldWithConfig();
  const read = await readSecret(helper(fixture, script), { ...fixture.ports(process.env), clock: systemClock });
  expect([read.secret.open(), read.from]).toEqual([secret, `helper ${fixture.home}/bin/helper`]);
});

const bad: readonly (readonly [script: string, said: string])[] = [
  ['exit 0', 'is empty'],
  [`echo ${canary}; exit 4`, 'ended with 4'],
  ["printf '\\377\\376'", 'not UTF-8'],
];
test.each(bad)('the helper %j is an error and never the next source', async (script, said) => {
  const fixture = worldWithConfig();
  const error = await failure(() =>
    readSecret(helper(fixture, script), { ...fixture.ports(process.env), clock: systemClock }),
  );
  expect(error).toMatchObject({ code: 'SECRET_UNREADABLE', exit: 3 });
  expect(error.message).toContain(said);
  expect(error.seen).not.toContain('CANARY');
});

test('a helper that hangs is killed after 10 seconds', async () => {
  const fixture = worldWithConfig();
  const ports = fixture.ports(process.env);
  const before = ports.clock.now();
  const error = await failure(() => readSecret(helper(fixture, 'exec sleep 600'), ports));
  expect(error.message).toContain('did not end within 10 seconds');
  expect(ports.clock.now() - before).toBe(10_000);
});

test('a helper gets no variable of paycli, no shell, and the folder of the configuration', async () => {
  const fixture = worldWithConfig();
  const seen = `${fixture.home}/seen`;
  const { files } = fixture.ports();
  const source = helper(fixture, `{ env; pwd; echo "arg $2"; } > ${seen}; echo ${canary}`);
  const command = [...(source.kind === 'helper' ? source.command : []), `$(touch ${fixture.home}/ran)`];
  const env = {
    PATH: process.env['PATH'],
    PAYCLI_CONTROL_KEY_FILE: '/keys/control',
    PAYCLI_LOGIN: 'shop',
    VAULT: 'open',
  };
  await readSecret({ ...source, kind: 'helper', command }, { ...fixture.ports(env), clock: systemClock });
  const text = readFileSync(seen, 'utf8');
  expect(text).toContain('VAULT=open');
  expect(text).toContain(`arg $(touch ${fixture.home}/ran)`);
  expect(text).toContain(`\n${files.folders.config}\n`);
  expect(text).not.toContain('PAYCLI_');
  expect(existsSync(`${fixture.home}/ran`)).toBe(false);
});

test('a profile names keyring entries and helpers; a path of a helper starts at the file', async () => {
  const fixture = makeFixture();
  const sources = [
    'control-key: { keyring: shop/key }',
    'private-key: { helper: [./bin/helper, rsa] }',
    'passphrase: { helper: [pass, show, shop] }',
  ];
  fixture.write(userFile, shop.replace('control-key: { file: ~/keys/control }', sources.join('\n    ')));
  const { profile } = await loadProfile({}, fixture.ports());
  expect(profile).toMatchObject({
    controlKey: { kind: 'keyring', account: 'shop/key' },
    privateKey: {
      kind: 'helper',
      command: [`${fixture.home}/.config/paycli/bin/helper`, 'rsa'],
    },
    passphrase: { kind: 'helper', command: ['pass', 'show', 'shop'] },
  });
  expect(profile?.rows.map(({ key, value }) => `${key}: ${value}`)).toEqual(
    expect.arrayContaining(['control-key: keyring entry shop/key', 'passphrase: helper pass']),
  );
});
