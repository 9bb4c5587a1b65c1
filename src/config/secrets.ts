import { dirname } from 'node:path';
import { fail, type PaycliError, shellWord } from '../errors/index.js';
import type { Env, Files, Runtime } from '../runtime/ports.js';
import { Secret } from '../wire/secret.js';
import { placeOf, type SecretSource } from './draft.js';
import { pathFrom } from './paths.js';
import { fromHelper, fromKeyring } from './programs.js';
import { lookAt, reasonOf } from './reason.js';

export type SecretPorts = Pick<Runtime, 'env' | 'files' | 'terminal' | 'processes' | 'keyring' | 'clock'>;

export interface ReadSecret {
  readonly secret: Secret;
  /** Where it came from, fit for a message. */
  readonly from: string;
  /** Something odd about it that need not be wrong. */
  readonly warning?: string;
}

const maxBytes = 64 * 1024;

/** Reads a key or passphrase. Exactly one line end at its end is dropped, nothing else. Throws SECRET_UNREADABLE. */
export async function readSecret(source: SecretSource, ports: SecretPorts): Promise<ReadSecret> {
  const from = placeOf(source);
  const text = (await textOf(source, ports)).replace(/\r?\n$/, '');
  if (text === '') throw unreadable(from, 'is empty', 'write the secret into it');
  const secret = new Secret(text);
  if (/^\s|\s$/u.test(text))
    return { secret, from, warning: `${from}: begins or ends with a blank or line break, which counts as part of the secret` };
  return /\p{Cc}/u.test(text) ? { secret, from, warning: `${from}: holds control characters or more than one line` } : { secret, from };
}

/** Reads a PEM text as it is; whether it is a usable key shows when it is parsed. Throws SECRET_UNREADABLE. */
export async function readPemText(source: SecretSource, ports: SecretPorts): Promise<ReadSecret> {
  const from = placeOf(source);
  const text = await textOf(source, ports);
  if (text.trim() === '') throw unreadable(from, 'is empty', 'write the key into it');
  return { secret: new Secret(text), from };
}

/** Reads the certificates of `ca-file`, which are no secret. Throws SECRET_UNREADABLE. */
export function readCaFile(path: string, files: Files): string {
  const how = 'name a PEM file with certificates';
  const facts = lookAt(path, files, (why) => unreadable(`file ${path}`, why, how));
  if (facts === undefined) throw unreadable(`file ${path}`, 'there is no such file', how);
  if (!facts.isFile) throw unreadable(`file ${path}`, 'is not a regular file', how);
  const text = readFile(path, `file ${path}`, files, 1024 * 1024);
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw unreadable(`file ${path}`, 'holds no certificate', how);
  return text;
}

/** Refuses to go on when certificate checks are switched off. Throws TLS_POLICY. */
export function checkTlsPolicy(env: Env): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw fail('TLS_POLICY', { why: 'NODE_TLS_REJECT_UNAUTHORIZED=0 switches certificate checks off' });
}

async function textOf(source: SecretSource, ports: SecretPorts): Promise<string> {
  const from = placeOf(source);
  switch (source.kind) {
    case 'file':
      return guardedText(source.path, from, ports.files);
    case 'environment':
      return guardedText(pathNamedBy(source.name, from, ports), from, ports.files);
    case 'descriptor':
      return attempt(
        from,
        () => ports.files.readDescriptor(source.descriptor),
        `open descriptor ${source.descriptor} for reading, as in ${source.descriptor}<file`,
      );
    case 'stdin': {
      const { terminal } = ports;
      if (terminal.canPrompt) throw unreadable(from, 'is a terminal', 'send the secret through a pipe');
      try {
        return await terminal.readStdin();
      } catch (error) {
        throw unreadable(from, reasonOf(error), 'send the secret, and nothing else, through a pipe');
      }
    }
    case 'keyring':
      return fromKeyring(source.account, from, ports);
    case 'helper':
      return fromHelper(source.command, from, ports);
  }
}

// The value of the variable is never shown: it may be the key itself, put there by mistake.
function pathNamedBy(name: string, from: string, { env, files }: SecretPorts): string {
  const value = env[name];
  if (value === undefined || value === '') throw unreadable(from, `${name} is not set`, `set ${name} to the path of a file`);
  return pathFrom(value, files.folders.working, files.folders.home);
}

/** The text of a file that only its owner may read. Throws SECRET_UNREADABLE. */
function guardedText(path: string, from: string, files: Files): string {
  const facts = lookAt(path, files, (why) => unreadable(from, why, 'check the file and its permissions'));
  if (facts === undefined) throw unreadable(from, 'there is no such file', 'write the secret into that file, mode 0600');
  if (!facts.isFile) throw unreadable(from, 'is not a regular file', 'name a regular file; for a pipe use the flag that ends in -fd');
  if (!facts.ownedByUser) throw unreadable(from, 'belongs to another user', 'use a file of your own, mode 0600');
  if ((facts.mode & 0o077) !== 0) throw unreadable(from, 'may be read or written by other users', `run \`chmod 600 ${shellWord(path)}\``);
  if (facts.size > maxBytes) throw unreadable(from, 'is larger than 64 KiB', 'name the file that holds the secret and nothing else');
  const folder = lookAt(dirname(path), files, (why) => unreadable(from, why, 'check the folder of the file'));
  if (folder !== undefined && (folder.mode & 0o002) !== 0) {
    throw unreadable(from, 'lies in a folder that every user may write to', 'move it into a folder of your own');
  }
  return readFile(path, from, files, maxBytes);
}

function readFile(path: string, from: string, files: Files, limit: number): string {
  return attempt(from, () => files.readText(path, limit), 'check the file and its permissions');
}

function attempt(from: string, read: () => string, how: string): string {
  try {
    return read();
  } catch (error) {
    throw unreadable(from, reasonOf(error), how);
  }
}

// Without a cause: its message may repeat the path, and a variable may hold a key where a path should be.
function unreadable(what: string, why: string, how: string): PaycliError {
  return fail('SECRET_UNREADABLE', { what, why, how });
}
