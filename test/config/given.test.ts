import { expect, test } from 'vitest';
import { type ConnectionFlags, readFlags } from '../../src/config/given.js';
import { loadProfile } from '../../src/config/load-profile.js';
import { failure, makeFixture, shop, userFile } from './support.js';

const canary = 'AF4B9B1A-CANARY-KEY';

const read: readonly (readonly [flags: ConnectionFlags, key: string, source: object, origin: string])[] = [
  [{ controlKeyFile: 'key' }, 'control-key', { kind: 'file', path: 'WORKING/key' }, 'flag --control-key-file'],
  [{ controlKeyFile: '-' }, 'control-key', { kind: 'stdin' }, 'flag --control-key-file'],
  [{ controlKeyFd: '3' }, 'control-key', { kind: 'descriptor', descriptor: 3 }, 'flag --control-key-fd'],
];

test.each(read)('%j', (flags, key, source, origin) => {
  const { home, working, ports } = makeFixture();
  const value = JSON.parse(JSON.stringify(source).replaceAll('WORKING', working).replaceAll('HOME', home));
  expect(readFlags(flags, ports().files)).toEqual({ [key]: { value, origin } });
});

const refused: readonly (readonly [flags: ConnectionFlags, said: string])[] = [
  [{ controlKeyFile: 'key', controlKeyFd: '3' }, '--control-key-file and --control-key-fd both name the secret'],
  ...['1', '-3', '', canary].map(
    (controlKeyFd) => [{ controlKeyFd }, '--control-key-fd: use the number of an open descriptor'] as const,
  ),
];

test.each(refused)('%j is refused', async (flags, said) => {
  const error = await failure(() => readFlags(flags, makeFixture().ports().files));
  expect(error).toMatchObject({ code: 'FIELD_INVALID', exit: 2 });
  expect(error.message).toContain(said);
  expect(error.seen).not.toContain('CANARY');
});

const whole = {
  PAYCLI_BASE_URL: 'http://127.0.0.1:8080/paynet/',
  PAYCLI_LOGIN: 'shop',
  PAYCLI_ENDPOINT_ID: '9223372036854775807',
  PAYCLI_CONTROL_KEY_FILE: '/keys/control',
};

test('the environment alone makes a profile', async () => {
  const env = {
    ...whole,
    PAYCLI_PRIVATE_KEY_FILE: '/keys/rsa',
    PAYCLI_TIMEOUT: '7',
    PAYCLI_NO_INPUT: '1',
    PAYCLI_OUTPUT: 'json',
  };
  const loaded = await loadProfile({}, makeFixture().ports(env));
  expect(loaded).toMatchObject({
    profile: {
      name: 'environment',
      class: 'test',
      baseUrl: 'http://127.0.0.1:8080/paynet',
      login: 'shop',
      endpointId: '9223372036854775807',
      controlKey: { kind: 'environment', name: 'PAYCLI_CONTROL_KEY_FILE' },
      privateKey: { kind: 'environment', name: 'PAYCLI_PRIVATE_KEY_FILE' },
    },
    rows: expect.arrayContaining([
      { key: 'login', value: 'shop', origin: 'environment PAYCLI_LOGIN' },
      { key: 'class', value: 'test', origin: 'built-in' },
      { key: 'no-input', value: 'true', origin: 'environment PAYCLI_NO_INPUT' },
    ]),
    output: 'json',
    timeoutSeconds: 7,
    warnings: [],
  });
});

test.each(Object.keys(whole))('without %s it is incomplete and says so', async (name) => {
  const { [name as keyof typeof whole]: _, ...env } = whole;
  for (const config of [undefined, shop]) {
    const fixture = makeFixture();
    if (config !== undefined) fixture.write(userFile, config);
    const error = await failure(() => loadProfile({}, fixture.ports(env)));
    expect(error).toMatchObject({ code: 'PROFILE_INCOMPLETE', exit: 3 });
    expect(error.message).toBe(`connection settings are missing: ${name}`);
  }
});

test.each([...Object.keys(whole), 'PAYCLI_PROFILE', 'PAYCLI_CLASS', 'PAYCLI_STATE_DIR'])(
  '%s empty is an error and never the sandbox',
  async (name) => {
    const error = await failure(() => loadProfile({}, makeFixture().ports({ [name]: '' })));
    expect(error).toMatchObject({ code: 'ENVIRONMENT_INVALID', exit: 3, topic: 'profiles' });
    expect(error.message).toBe(`${name}: it is set but empty`);
  },
);

test.each([
  ['PAYCLI_BASE_URL', 'https://u:hunter2@gate.example'],
  ['PAYCLI_LOGIN', 'hunter2 hunter2'],
  ['PAYCLI_CLASS', 'hunter2'],
  ['PAYCLI_TIMEOUT', '86401'],
])('%s=%s is refused without being repeated', async (name, value) => {
  const error = await failure(() => loadProfile({}, makeFixture().ports({ ...whole, [name]: value })));
  expect(error).toMatchObject({ code: 'ENVIRONMENT_INVALID', exit: 3 });
  expect(error.message).toContain(name);
  expect(error.seen).not.toContain('hunter2');
});

test('a variable of nobody is warned about', async () => {
  const ports = makeFixture().ports({ PAYCLI_PROFIL: 'hunter2', PATH: '/bin' });
  const { warnings } = await loadProfile({ isOptional: true }, ports);
  expect(warnings).toEqual(['PAYCLI_PROFIL is not a variable of paycli and was ignored']);
});
