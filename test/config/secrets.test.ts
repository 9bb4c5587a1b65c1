import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { checkTlsPolicy, readCaFile, readSecret } from '../../src/config/secrets.js';
import type { SecretSource } from '../../src/config/settings.js';
import type { Env, Files } from '../../src/runtime/ports.js';
import { type Fixture, failure, makeFixture } from './support.js';

const canary = 'AF4B9B1A-CANARY-KEY';
const fileAt = (path: string): SecretSource => ({ kind: 'file', path });
const named: SecretSource = { kind: 'environment', name: 'SHOP_KEY' };
const stdin: SecretSource = { kind: 'stdin' };

const warning = 'which are part of the secret';
const contents = [
  { text: `${canary}\r\n`, secret: canary },
  { text: `${canary}\n\n`, secret: `${canary}\n`, warning },
  { text: `\ufeff${canary}\n`, secret: `\ufeff${canary}`, warning },
  { text: `"${canary}"`, secret: `"${canary}"`, warning },
];

test.each(contents)('a secret file with $text', async ({ text, secret, ...rest }) => {
  const fixture = makeFixture();
  const path = fixture.write('keys/control', text);
  const read = await readSecret(fileAt(path), fixture.ports());
  expect(read.secret.open()).toBe(secret);
  expect(read.from).toBe(`file ${path}`);
  if (rest.warning === undefined) expect(read.warning).toBeUndefined();
  else expect(read.warning).toContain(warning);
  expect(inspect(read) + JSON.stringify(read)).not.toContain('CANARY');
});

const put =
  (text: string | Uint8Array<ArrayBuffer>, mode = 0o600) =>
  (_: string, fixture: Fixture) =>
    fixture.write('keys/control', text, mode);

const unusable: ReadonlyArray<readonly [what: string, make: (path: string, fixture: Fixture) => unknown, why: string]> =
  [
    ['is not there', () => undefined, 'there is no such file'],
    ['is empty', put(''), 'is empty'],
    ['is readable by others', put(canary, 0o644), 'that only you can open'],
    ['is a FIFO', (path) => fifo(path), 'not a regular file'],
    [
      'is a link to an open file',
      (path, fixture) => link(fixture.write('else', canary, 0o644), path),
      'that only you can open',
    ],
    [
      'lies in an open folder',
      (path, fixture) => open(put(canary)(path, fixture), dirname(path)),
      'other users can change',
    ],
    ['is no UTF-8', put(Uint8Array.of(0xff, 0xfe)), 'not UTF-8'],
    ['is huge', put(canary.repeat(10_000)), 'is larger than'],
  ];

test.each(unusable)('a secret file that %s is refused', async (_, make, why) => {
  const fixture = makeFixture();
  const path = `${fixture.home}/keys/control`;
  make(path, fixture);
  const error = await failure(() => readSecret(fileAt(path), fixture.ports()));
  expect(error).toMatchObject({ code: 'SECRET_UNREADABLE', exit: 3 });
  expect(error.message).toContain(why);
  expect(error.seen).not.toContain('CANARY');
});

test('a file of another user is refused', async () => {
  const fixture = makeFixture();
  const path = fixture.write('keys/control', canary);
  const { files } = fixture.ports();
  const foreign: Files = {
    ...files,
    facts: () => ({ isFile: true, size: 1, isPrivate: false, isTrusted: false }),
  };
  expect((await failure(() => readSecret(fileAt(path), { ...fixture.ports(), files: foreign }))).message).toContain(
    'that only you can open',
  );
});

test('a variable names a file, from the working folder or home', async () => {
  const fixture = makeFixture('keys');
  fixture.write('keys/control', canary);
  for (const value of ['control', `${fixture.home}/keys/control`, '~/keys/control']) {
    const read = await readSecret(named, fixture.ports({ SHOP_KEY: value }));
    expect(read.secret.open()).toBe(canary);
    expect(read.from).toBe('the file named by SHOP_KEY');
  }
});

const mistaken: readonly Env[] = [{}, { SHOP_KEY: '' }, { SHOP_KEY: canary }, { SHOP_KEY: `${canary}\0` }];
test.each(mistaken)('a variable that holds no path is refused and never shown', async (env) => {
  const error = await failure(() => readSecret(named, makeFixture().ports(env)));
  expect(error.code).toBe('SECRET_UNREADABLE');
  expect(error.message).toContain('SHOP_KEY');
  expect(error.seen).not.toContain('CANARY');
});

test('standard input gives a secret unless it is a terminal', async () => {
  const ports = makeFixture().ports();
  const { terminal } = ports;
  const readStdinBytes = async () => Buffer.from(`${canary}\n`);
  const read = await readSecret(stdin, { ...ports, terminal: { ...terminal, readStdinBytes } });
  expect([read.secret.open(), read.from]).toEqual([canary, 'standard input']);
  const terminals = [
    { ...terminal, readStdinBytes, canPrompt: true },
    { ...terminal, readStdinBytes: () => Promise.reject(new Error(canary)) },
  ];
  for (const unfit of terminals) {
    const error = await failure(() => readSecret(stdin, { ...ports, terminal: unfit }));
    expect(error.code).toBe('SECRET_UNREADABLE');
    expect(error.seen).not.toContain('CANARY');
  }
});

test('a descriptor gives a secret while it is open', async () => {
  const fixture = makeFixture();
  const descriptor = openSync(fixture.write('keys/control', `${canary}\n`), 'r');
  const source: SecretSource = { kind: 'descriptor', descriptor };
  expect((await readSecret(source, fixture.ports())).secret.open()).toBe(canary);
  closeSync(descriptor);
  const error = await failure(() => readSecret({ ...source, descriptor: 9999 }, fixture.ports()));
  expect(error.message).toContain('descriptor 9999');
});

test('a file of authorities needs no mode but a certificate', async () => {
  const fixture = makeFixture();
  const { files } = fixture.ports();
  const text = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';
  expect(readCaFile(fixture.write('ca.pem', text, 0o644), files)).toBe(text);
  for (const path of [fixture.write('key.pem', '-----BEGIN PRIVATE KEY-----'), `${fixture.home}/none`, fixture.home]) {
    expect(await failure(() => readCaFile(path, files))).toMatchObject({ code: 'SECRET_UNREADABLE', exit: 3 });
  }
});

test('certificate checks cannot be switched off', async () => {
  expect(await failure(() => checkTlsPolicy({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }))).toMatchObject({
    code: 'TLS_POLICY',
    exit: 3,
  });
  for (const value of [undefined, '', '1']) checkTlsPolicy({ NODE_TLS_REJECT_UNAUTHORIZED: value });
});

function fifo(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync('mkfifo', ['-m', '600', path]);
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

function open(_: string, folder: string): void {
  chmodSync(folder, 0o777);
}
