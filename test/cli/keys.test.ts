import { spawnSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPrivateKey, readPublicKey, signRsaSha256, verifyRsaSha256 } from '../../src/signing/index.js';
import { keys, pem, vectorFolder } from '../signing/support.js';
import { examplesOf } from '../support/declared.js';
import { paycli, temporaryHome } from '../support/runtime.js';

const fingerprint = keys.private[0]?.fingerprint ?? '';
const word = keys.passphrase;

/** A folder with files of these contents, mode 0600. */
function folder(files: Readonly<Record<string, string>> = {}): string {
  const home = temporaryHome();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text, { mode: 0o600 });
  return home;
}

function withKey(name = 'test-rsa-2048.pkcs8'): string {
  return folder({ 'key.pem': pem(name), pass: `${word}\n`, 'new-pass': 'another one\n', wrong: 'no' });
}

const read = (home: string, name: string) => readFileSync(join(home, name), 'utf8');
const modeOf = (home: string, name: string) => statSync(join(home, name)).mode & 0o777;
const filesIn = (home: string) => readdirSync(home).filter((name) => !['config', 'state'].includes(name));

function shell(command: string, home: string): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: home, encoding: 'utf8' });
  expect(status, `${command}\n${stderr}`).toBe(0);
  return stdout.trim();
}

describe('the examples of the help', () => {
  test('work, one after the other', async () => {
    const home = temporaryHome();
    for (const line of await examplesOf('keys')) {
      const ran = await paycli(line.split(' '), { home });
      expect(ran.exit, `${line}\n${ran.err}${ran.out}`).toBe(0);
    }
  });
});

describe('keys generate', () => {
  const generate = ['keys', 'generate', '--bits', '2048', '--out', 'key.pem'];

  test('writes two files, and says what to send without showing the private key', async () => {
    const home = temporaryHome();
    const ran = await paycli(generate, { home });
    expect(ran.exit, ran.err).toBe(0);
    expect([modeOf(home, 'key.pem'), modeOf(home, 'key.pub.pem')]).toEqual([0o600, 0o644]);
    const made = readPrivateKey(read(home, 'key.pem'));
    expect(made).toMatchObject({
      form: 'PKCS#8',
      bits: 2048,
      fingerprint: readPublicKey(read(home, 'key.pub.pem')).fingerprint,
    });
    expect(ran.out).toContain(read(home, 'key.pub.pem'));
    expect(ran.out).toContain(made.fingerprint);
    expect(ran.out).toMatch(/^once .*`paycli profile set-key NAME private --file .*key\.pem`$/m);
    expect(ran.out + ran.err).not.toContain('PRIVATE KEY');
    expect(ran.out + ran.err).not.toContain(read(home, 'key.pem').split('\n')[3]);
  });

  test('encrypts with a passphrase from a file', async () => {
    const home = folder({ pass: `${word}\n` });
    const ran = await paycli([...generate, '--encrypt', '--passphrase-file', 'pass'], { home });
    expect(ran.exit, ran.err).toBe(0);
    expect(readPrivateKey(read(home, 'key.pem'), word).form).toBe('encrypted PKCS#8');
    expect(ran.out + ran.err).not.toContain(word);
    expect(ran.out).toMatch(/`paycli profile set-key NAME private --file \S+key\.pem --passphrase-file pass`/);
  });

  test('asks twice on a terminal', async () => {
    const home = temporaryHome();
    const answers = [
      ['new-passphrase', word],
      ['new-passphrase-again', word],
    ] as const;
    const ran = await paycli([...generate, '--encrypt'], { home, tty: true, answers });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.questions.map(({ hidden }) => hidden)).toEqual([true, true]);
    expect(ran.questions[1]?.check?.('something else')).toMatch(/do not match/);
    expect(readPrivateKey(read(home, 'key.pem'), word).bits).toBe(2048);
  });

  test.each([[{}], [{ tty: true, env: { PAYCLI_NO_INPUT: '1' } }]])(
    'says which flag it needs where nobody can be asked: %j',
    async (how) => {
      const home = temporaryHome();
      const ran = await paycli([...generate, '--encrypt'], { home, ...how });
      expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('--passphrase-file')]);
      expect(filesIn(home)).toEqual([]);
    },
  );

  test.each(['key.pem', 'key.pub.pem'])('touches nothing when %s is there', async (name) => {
    const home = folder({ [name]: 'mine' });
    const ran = await paycli(generate, { home });
    expect([ran.exit, ran.err]).toEqual([2, expect.stringMatching(new RegExp(`${name} already.*nothing was written`))]);
    expect(filesIn(home)).toEqual([name]);
    expect(read(home, name)).toBe('mine');
  });

  test.each([
    [['--out', 'key.pem', '--bits', '1024'], /2048, 3072, 4096/],
    [['--bits', '2048'], /--out/],
    [['--out', '-'], /never to standard output/],
    [['--out', '/dev/stdout'], /already/],
  ])('%j is wrong usage', async (flags, why) => {
    const ran = await paycli(['keys', 'generate', ...flags]);
    expect([ran.exit, ran.err]).toEqual([2, expect.stringMatching(why)]);
  });

  test('makes keys that openssl signs and verifies with', { tags: 'openssl' }, async () => {
    const home = folder({ text: 'POST&https%3A%2F%2Fgate.example' });
    const ran = await paycli([...generate, '--json'], { home });
    expect(shell('openssl pkey -in key.pem -check -noout', home)).toMatch(/valid/);
    const digest = shell(
      'openssl pkey -pubin -in key.pub.pem -outform DER | openssl dgst -sha256 -r | cut -c1-64',
      home,
    );
    expect(JSON.parse(ran.out).fingerprint).toBe(`SHA256:${digest}`);
    const theirs = shell('openssl dgst -sha256 -sign key.pem text | base64 -w0', home);
    expect(verifyRsaSha256(read(home, 'text'), theirs, read(home, 'key.pub.pem'))).toBe(true);
    writeFileSync(join(home, 'ours'), Buffer.from(signRsaSha256(read(home, 'text'), read(home, 'key.pem')), 'base64'));
    expect(shell('openssl dgst -sha256 -verify key.pub.pem -signature ours text', home)).toBe('Verified OK');
  });
});

describe('keys inspect', () => {
  test.each([
    ['a certificate', 'test-rsa-2048.certificate', [], /certificate/, /convert key.pem --to spki --out key.pub/],
    ['an elliptic-curve key', 'test-ec-p256.pkcs8', [], /elliptic-curve/, /keys generate/],
    ['1024 bits', 'test-rsa-1024.pkcs8', [], /1024 bits/, /keys generate/],
    ['an encrypted key', 'test-rsa-2048.pkcs8-encrypted', [], /no passphrase/, /--passphrase-file FILE/],
    ['a wrong passphrase', 'test-rsa-2048.pkcs8-encrypted', ['--passphrase-file', 'wrong'], /is wrong/, undefined],
  ])('%s: exit 11', async (_, name, flags, why, next) => {
    const ran = await paycli(['keys', 'inspect', 'key.pem', ...flags], { home: withKey(name) });
    expect([ran.exit, ran.out]).toEqual([11, expect.stringMatching(why)]);
    expect(ran.err).toMatch(/^error: a check failed: .*\nnext: /s);
    if (next === undefined) expect(ran.out).not.toMatch(/^next/m);
    else expect(ran.out).toMatch(next);
  });

  test.each(['test-rsa-2048.pkcs8-encrypted', 'test-rsa-2048.pkcs1-encrypted'])(
    'opens %s, by a file or by asking',
    async (name) => {
      const home = withKey(name);
      const byFile = await paycli(['keys', 'inspect', 'key.pem', '--passphrase-file', 'pass', '--json'], { home });
      expect(JSON.parse(byFile.out)).toMatchObject({ fits: true, fingerprint });
      const asked = await paycli(['keys', 'inspect', 'key.pem', '--json', '--no-color'], {
        home,
        tty: true,
        answers: [['passphrase', word]],
      });
      expect(JSON.parse(asked.out)).toEqual(JSON.parse(byFile.out));
    },
  );

  test('an escaped key of an .env file is usable as it is; DER is so once it is converted as proposed', async () => {
    const escaped = `RSA_KEY="${pem('test-rsa-2048.pkcs8').trimEnd().replaceAll('\n', '\\n')}"\n`;
    const home = folder({ 'my key.txt': escaped });
    expect((await paycli(['keys', 'inspect', 'my key.txt'], { home })).exit).toBe(0);
    const der = createPrivateKey(pem('test-rsa-2048.pkcs8')).export({ type: 'pkcs8', format: 'der' });
    writeFileSync(join(home, 'my key.der'), der, { mode: 0o600 });
    const ran = await paycli(['keys', 'inspect', 'my key.der', '--json'], { home });
    expect([ran.exit, JSON.parse(ran.out)]).toEqual([
      11,
      expect.objectContaining({
        fits: false,
        encoding: 'DER',
        next: "paycli keys convert 'my key.der' --out 'my key.new.pem'",
      }),
    ]);
    const mended = await paycli(['keys', 'convert', 'my key.der', '--out', 'my key.new.pem'], { home });
    expect(mended.exit, mended.err).toBe(0);
    expect((await paycli(['keys', 'inspect', 'my key.new.pem'], { home })).exit).toBe(0);
  });
});

describe('keys convert', () => {
  const convert = (home: string, ...flags: string[]) =>
    paycli(['keys', 'convert', 'key.pem', ...(flags.includes('--out') ? [] : ['--out', 'new.pem']), ...flags], {
      home,
    });

  test.each<[from: string, flags: string[], label: string]>([
    ['pkcs1', [], 'PRIVATE KEY'],
    ['pkcs8', ['--to', 'spki'], 'PUBLIC KEY'],
    ['public-pkcs1', [], 'PUBLIC KEY'],
    ['certificate', [], 'PUBLIC KEY'],
    ['pkcs8', ['--encrypt', '--passphrase-file', 'pass'], 'ENCRYPTED PRIVATE KEY'],
    ['pkcs8-encrypted', ['--passphrase-file', 'pass'], 'ENCRYPTED PRIVATE KEY'],
    ['pkcs1-encrypted', ['--passphrase-file', 'pass', '--decrypt'], 'PRIVATE KEY'],
  ])('%s %j', async (from, flags, label) => {
    const home = withKey(`test-rsa-2048.${from}`);
    const ran = await convert(home, ...flags, '--json');
    expect(ran.exit, ran.err).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({
      schema: 'paycli.key-file/1',
      file: join(home, 'new.pem'),
      bits: 2048,
      fingerprint,
    });
    const text = read(home, 'new.pem');
    expect(text).toMatch(new RegExp(`^-----BEGIN ${label}-----\n`));
    expect((label.includes('PUBLIC') ? readPublicKey(text) : readPrivateKey(text, word)).fingerprint).toBe(fingerprint);
    expect(modeOf(home, 'new.pem')).toBe(0o600);
    expect(ran.out + ran.err).not.toContain(text.split('\n')[3]);
  });

  test.each<[from: string, flags: string[], exit: number, why: RegExp]>([
    ['pkcs8-encrypted', [], 2, /missing: --passphrase-file/],
    ['pkcs8', ['--encrypt'], 2, /missing: --passphrase-file/],
    ['pkcs8-encrypted', ['--passphrase-file', 'wrong'], 3, /passphrase is wrong/],
    ['pkcs8', ['--encrypt', '--decrypt'], 2, /--encrypt and --decrypt/],
    ['pkcs8', ['--encrypt', '--to', 'spki'], 2, /never encrypted/],
    ['public', ['--to', 'pkcs8'], 2, /public key/],
    ['pkcs8', ['--out', 'key.pem'], 2, /already/],
  ])('%s %j ends with %i', async (from, flags, exit, why) => {
    const home = withKey(`test-rsa-2048.${from}`);
    const before = read(home, 'key.pem');
    const ran = await convert(home, ...flags);
    expect([ran.exit, ran.out, ran.err]).toEqual([exit, '', expect.stringMatching(why)]);
    expect(existsSync(join(home, 'new.pem'))).toBe(false);
    expect(read(home, 'key.pem')).toBe(before);
  });

  test('a key of no use here names the way out', async () => {
    const ran = await convert(withKey('test-rsa-1024.pkcs8'));
    expect([ran.exit, ran.err]).toEqual([3, expect.stringContaining('keys generate')]);
  });

  test('what it encrypts, openssl opens and signs with', { tags: 'openssl' }, async () => {
    const home = withKey();
    writeFileSync(join(home, 'text'), 'text');
    await convert(home, '--encrypt', '--passphrase-file', 'pass');
    const theirs = shell('openssl dgst -sha256 -sign new.pem -passin file:pass text | base64 -w0', home);
    expect(verifyRsaSha256('text', theirs, pem('test-rsa-2048.public'))).toBe(true);
  });
});

describe('keys inspect of two files', () => {
  const home = () => {
    const at = withKey();
    mkdirSync(join(at, 'keys'));
    for (const name of readdirSync(`${vectorFolder}/keys`))
      copyFileSync(`${vectorFolder}/keys/${name}`, join(at, 'keys', name));
    return at;
  };

  test.each([
    ['pkcs8', 'public'],
    ['pkcs1', 'public-pkcs1'],
    ['pkcs8', 'certificate'],
    ['pkcs8-encrypted', 'public'],
  ])('%s and %s belong together', async (secret, open) => {
    const files = [`keys/test-rsa-2048.${secret}.pem`, `keys/test-rsa-2048.${open}.pem`];
    const ran = await paycli(['keys', 'inspect', ...files, '--passphrase-file', 'pass', '--json'], { home: home() });
    expect(ran.exit, ran.err).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({
      schema: 'paycli.key-check/1',
      pair: true,
      verifies: true,
      private: { bits: 2048, fingerprint },
      public: { bits: 2048, fingerprint },
    });
  });

  test('halves of two pairs: exit 11, with both fingerprints', async () => {
    const ran = await paycli(['keys', 'inspect', 'key.pem', 'keys/test-rsa-3072.public.pem'], { home: home() });
    expect([ran.exit, ran.err]).toEqual([11, expect.stringMatching(/^error: a check failed: /)]);
    expect(ran.out).toContain(fingerprint);
    expect(ran.out).toContain(keys.public.find(({ file }) => file.includes('3072'))?.fingerprint);
    expect(ran.out).toMatch(/pair +no:/);
  });

  test.each([
    [['keys/test-rsa-2048.public.pem', 'key.pem'], 3, /private key, which must not be shared/],
    [['keys/test-rsa-2048.public.pem', 'keys/test-rsa-2048.public.pem'], 3, /public key, but signing needs a private/],
    [['keys/test-rsa-2048.pkcs1-encrypted.pem', 'keys/test-rsa-2048.public.pem'], 2, /--passphrase-file/],
    [['key.pem', 'keys/none.pem'], 3, /no such file/],
  ])('%j ends with %i', async (files, exit, why) => {
    const ran = await paycli(['keys', 'inspect', ...files], { home: home() });
    expect([ran.exit, ran.err]).toEqual([exit, expect.stringMatching(why)]);
  });
});
