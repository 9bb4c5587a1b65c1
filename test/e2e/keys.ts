import { chmodSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Files of a merchant. */
export interface KeyFiles {
  readonly control: string;
  readonly publicKey: string;
  readonly pkcs8: string;
  /** A key nobody was told of. */
  readonly otherControl: string;
}

const vectors = fileURLToPath(new URL('../vectors/keys', import.meta.url));

/** Keys in a folder of one's own, readable by nobody else; those of RSA were made by openssl. */
export function makeKeys(folder: string): KeyFiles {
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), `${text}\n`, { mode: 0o600 });
    return join(folder, name);
  };
  const copy = (from: string, name: string) => {
    cpSync(join(vectors, from), join(folder, name));
    return join(folder, name);
  };
  const pkcs8 = copy('test-rsa-2048.pkcs8.pem', 'rsa.pem');
  chmodSync(pkcs8, 0o600);
  return {
    pkcs8,
    publicKey: copy('test-rsa-2048.public.pem', 'rsa.pub'),
    control: write('control.key', '3f2a9c4e8d1b7065a4c3e2f1908d7b6c'),
    otherControl: write('other-control.key', '8d7b6c5a4e3f213f2a9c4e8d1b7065a4'),
  };
}
