import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files of a merchant, all made by the openssl command line. */
export interface KeyFiles {
  readonly control: string;
  readonly publicKey: string;
  readonly pkcs8: string;
  /** The same key as `pkcs8`, in two other forms. */
  readonly pkcs1: string;
  readonly encrypted: string;
  readonly passphrase: string;
  /** Keys nobody was told of. */
  readonly otherControl: string;
  readonly otherPkcs8: string;
}

let made: string | undefined;

/**
 * Keys in a folder of one's own, readable by nobody else. They are made once by each process: it takes half a second.
 */
export function makeKeys(folder: string): KeyFiles {
  made ??= makeOnce();
  for (const name of readdirSync(made)) cpSync(join(made, name), join(folder, name));
  return {
    control: join(folder, 'control.key'),
    publicKey: join(folder, 'rsa.pub'),
    pkcs8: join(folder, 'rsa.pem'),
    pkcs1: join(folder, 'rsa-pkcs1.pem'),
    encrypted: join(folder, 'rsa-encrypted.pem'),
    passphrase: join(folder, 'phrase.txt'),
    otherControl: join(folder, 'other-control.key'),
    otherPkcs8: join(folder, 'other-rsa.pem'),
  };
}

function makeOnce(): string {
  const folder = mkdtempSync(join(tmpdir(), 'paycli-keys-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const openssl = (...words: string[]) =>
    execFileSync('openssl', words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const generate = (name: string) =>
    openssl('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048', '-out', name);
  writeFileSync(join(folder, 'phrase.txt'), 'correct horse, battery & staple\n');
  openssl('rand', '-hex', '-out', 'control.key', '16');
  openssl('rand', '-hex', '-out', 'other-control.key', '16');
  generate('rsa.pem');
  generate('other-rsa.pem');
  openssl('pkey', '-in', 'rsa.pem', '-pubout', '-out', 'rsa.pub');
  openssl('rsa', '-in', 'rsa.pem', '-traditional', '-out', 'rsa-pkcs1.pem');
  openssl(
    'pkcs8',
    '-topk8',
    '-v2',
    'aes-256-cbc',
    '-in',
    'rsa.pem',
    '-passout',
    'file:phrase.txt',
    '-out',
    'rsa-encrypted.pem',
  );
  for (const name of readdirSync(folder)) if (/\.(?:key|pem|txt)$/.test(name)) chmodSync(join(folder, name), 0o600);
  return folder;
}
