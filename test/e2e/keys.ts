import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files of a merchant, all made by the openssl command line. */
export interface KeyFiles {
  readonly control: string;
  readonly publicKey: string;
  readonly pkcs8: string;
  /** Keys nobody was told of. */
  readonly otherControl: string;
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
    otherControl: join(folder, 'other-control.key'),
  };
}

function makeOnce(): string {
  const folder = mkdtempSync(join(tmpdir(), 'paycli-keys-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const openssl = (...words: string[]) =>
    execFileSync('openssl', words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const generate = (name: string) =>
    openssl('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048', '-out', name);
  openssl('rand', '-hex', '-out', 'control.key', '16');
  openssl('rand', '-hex', '-out', 'other-control.key', '16');
  generate('rsa.pem');
  openssl('pkey', '-in', 'rsa.pem', '-pubout', '-out', 'rsa.pub');
  for (const name of readdirSync(folder)) if (/\.(?:key|pem|txt)$/.test(name)) chmodSync(join(folder, name), 0o600);
  return folder;
}
