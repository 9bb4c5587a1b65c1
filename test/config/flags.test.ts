import { expect, test } from 'vitest';
import { type ConnectionFlags, readFlags } from '../../src/config/given.js';
import { failure, makeFixture } from './support.js';

const canary = 'AF4B9B1A-CANARY-KEY';

const read: readonly (readonly [flags: ConnectionFlags, layer: object])[] = [
  [
    { controlKeyFile: 'key' },
    { 'control-key': { value: { kind: 'file', path: 'WORKING/key' }, origin: 'flag --control-key-file' } },
  ],
  [
    { controlKeyFile: '~/key' },
    { 'control-key': { value: { kind: 'file', path: 'HOME/key' }, origin: 'flag --control-key-file' } },
  ],
  [{ controlKeyFile: '-' }, { 'control-key': { value: { kind: 'stdin' }, origin: 'flag --control-key-file' } }],
  [
    { controlKeyFd: '3' },
    { 'control-key': { value: { kind: 'descriptor', descriptor: 3 }, origin: 'flag --control-key-fd' } },
  ],
  [{ controlKeyFd: '0' }, { 'control-key': { value: { kind: 'stdin' }, origin: 'flag --control-key-fd' } }],
  [
    { privateKeyFd: '4', passphraseFd: '5' },
    {
      'private-key': { value: { kind: 'descriptor', descriptor: 4 }, origin: 'flag --private-key-fd' },
      passphrase: { value: { kind: 'descriptor', descriptor: 5 }, origin: 'flag --passphrase-fd' },
    },
  ],
  [
    { privateKeyFile: 'rsa.pem', passphraseFile: '-' },
    {
      'private-key': { value: { kind: 'file', path: 'WORKING/rsa.pem' }, origin: 'flag --private-key-file' },
      passphrase: { value: { kind: 'stdin' }, origin: 'flag --passphrase-file' },
    },
  ],
];

test.each(read)('%j', (flags, layer) => {
  const { home, working, ports } = makeFixture();
  const wanted = JSON.stringify(layer).replaceAll('WORKING', working).replaceAll('HOME', home);
  expect(readFlags(flags, ports().files)).toEqual(JSON.parse(wanted));
});

const refused: readonly (readonly [flags: ConnectionFlags, said: string])[] = [
  [{ controlKeyFile: 'key', controlKeyFd: '3' }, '--control-key-file and --control-key-fd both name the secret'],
  [
    { controlKeyFile: '-', passphraseFd: '0' },
    'only one of --control-key-file, --passphrase-fd can read standard input',
  ],
  ...['1', '2', '03', '-3', '3.0', '10000', '', canary].map(
    (controlKeyFd) => [{ controlKeyFd }, '--control-key-fd: use the number of an open descriptor'] as const,
  ),
];

test('all of them at once', async () => {
  const flags = { baseUrl: 'gate.example', login: 'my shop', endpointId: '0', controlKeyFd: 'x', passphraseFd: '1' };
  const error = await failure(() => readFlags(flags, makeFixture().ports().files));
  expect(error).toMatchObject({ code: 'FIELD_INVALID', exit: 2 });
  expect(error.message).toMatch(/^5 problems:\n {2}--base-url: address of the gateway: .*\n {2}--login: use letters/);
});

test.each(refused)('%j is refused', async (flags, said) => {
  const error = await failure(() => readFlags(flags, makeFixture().ports().files));
  expect(error).toMatchObject({ code: 'FIELD_INVALID', exit: 2 });
  expect(error.message).toContain(said);
  expect(error.seen).not.toContain('CANARY');
});
