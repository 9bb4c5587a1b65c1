import { dirname } from 'node:path';
import { fail, type PaycliError, shellWord } from '../errors/index.js';
import type { Env, Files, Runtime } from '../runtime/ports.js';
import { Secret } from '../wire/mask.js';
import {
  fileFacts,
  pathFrom,
  printableName,
  readSecretText,
  reasonOf,
  secretText,
  secretWarning,
  shownPath,
} from './file-access.js';
import { type SecretSource, secretLocation } from './settings.js';

export type SecretPorts = Pick<Runtime, 'env' | 'files' | 'terminal' | 'processes' | 'keyring' | 'clock'>;

interface ReadSecret {
  readonly secret: Secret;
  /** Where it came from, fit for a message. */
  readonly from: string;
  /** Something unusual about it that may be intended. */
  readonly warning?: string;
}

const maxBytes = 64 * 1024;

/** Reads a key or passphrase. Exactly one line end at its end is dropped, nothing else. Throws SECRET_UNREADABLE. */
export async function readSecret(source: SecretSource, ports: SecretPorts): Promise<ReadSecret> {
  const from = secretLocation(source);
  const text = (await readText(source, from, ports)).replace(/\r?\n$/, '');
  if (text === '') throw unreadable(from, 'is empty', 'put the secret in it');
  const warning = secretWarning(text);
  return { secret: new Secret(text), from, ...(warning === undefined ? {} : { warning: `${from}: ${warning}` }) };
}

function unreadable(what: string, why: string, how: string): PaycliError {
  return fail('SECRET_UNREADABLE', { what, why, how });
}

/** Reads the certificates of `ca-file`, which are no secret. Throws SECRET_UNREADABLE. */
export function readCaFile(path: string, files: Files): string {
  const from = `file ${shownPath(path)}`;
  const how = 'name a PEM file with certificates';
  const text = attempt(() => files.readText(path), from, how);
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw unreadable(from, 'contains no certificate', how);
  return text;
}

/** Throws TLS_POLICY when certificate checks are switched off. */
export function checkTlsPolicy(env: Env): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw fail('TLS_POLICY', { why: 'NODE_TLS_REJECT_UNAUTHORIZED=0 disables certificate checks' });
}

async function readText(source: SecretSource, from: string, ports: SecretPorts): Promise<string> {
  const { files, terminal } = ports;
  switch (source.kind) {
    case 'file':
      return guardedText(source.path, from, files);
    case 'environment':
      return guardedText(pathNamedBy(source.name, from, ports), from, files);
    case 'descriptor': {
      const { descriptor } = source;
      const how = `open descriptor ${descriptor} for reading, as in ${descriptor}<file`;
      return attempt(() => secretText(files.readDescriptor(descriptor)), from, how);
    }
    case 'stdin':
      if (terminal.canPrompt) throw unreadable(from, 'is a terminal', 'send the secret through a pipe');
      return terminal
        .readStdinBytes()
        .then(secretText)
        .catch((error: unknown) => {
          throw unreadable(from, reasonOf(error), 'send the secret, and nothing else, through a pipe');
        });
    case 'keyring': {
      const secret = await askKeyring(from, ports, 'read', source.account);
      if (secret !== undefined) return secret;
      throw unreadable(from, 'there is no such entry', 'store it with `paycli profile set-key`');
    }
    case 'helper':
      return readHelper(source.command, from, ports);
  }
}

// The value of the variable is never shown: it may be the key itself, put there by mistake.
function pathNamedBy(name: string, from: string, { env, files }: SecretPorts): string {
  const value = env[name];
  if (value === undefined || value === '')
    throw unreadable(from, `${name} is not set`, `set ${name} to the path of a file`);
  return pathFrom(value, files.folders.working, files.folders.home);
}

/** The text of a file that only its owner may read. Throws SECRET_UNREADABLE. */
function guardedText(path: string, from: string, files: Files): string {
  const check = 'check the file and its permissions';
  const refuse = (why: string, how = check) => unreadable(from, why, how);
  const facts = fileFacts(path, files, (why) => refuse(why));
  if (facts === undefined) throw refuse('there is no such file', 'put the secret in that file, mode 0600');
  if (!facts.isFile)
    throw refuse('is not a regular file', 'name a regular file; for a pipe use the flag that ends in -fd');
  if (!facts.isPrivate)
    throw refuse('is not a file that only you can open', `run \`chmod 600 ${shellWord(path, 'FILE')}\` as its owner`);
  if (fileFacts(dirname(path), files, (why) => refuse(why))?.isTrusted === false)
    throw refuse('is in a folder that other users can change', 'move it into a folder of your own');
  return attempt(() => readSecretText(path, files, maxBytes), from, check);
}

// The error is not passed on as cause: its message may repeat the path, and a variable may hold a key in its place.
function attempt(read: () => string, from: string, how: string): string {
  try {
    return read();
  } catch (error) {
    throw unreadable(from, reasonOf(error), how);
  }
}

const keyringMs = 3000;
const helperMs = 10_000;

const useKeyring =
  'start and unlock the keyring of this system, or keep the secret in a separate file, mode 0600, and name that in the profile';

/** One call to the key store. Throws SECRET_UNREADABLE, after 3 seconds at the latest. */
export async function askKeyring(
  from: string,
  { keyring, clock }: Pick<Runtime, 'keyring' | 'clock'>,
  ...words: [action: 'read' | 'write' | 'remove', account: string, secret?: string]
): Promise<string | undefined> {
  const answer = await keyring()
    .then((ask) => within(keyringMs, clock, (signal) => ask(signal, ...words)))
    .catch((error: unknown) => {
      const reported = error instanceof Error ? printableName(error.message) : 'unknown reason';
      throw unreadable(from, `the keyring cannot be used (${reported})`, useKeyring);
    });
  if (answer === undefined) throw unreadable(from, 'the keyring did not answer within 3 seconds', useKeyring);
  return answer.value;
}

/**
 * What a credential helper prints. It gets no variable of paycli. Throws SECRET_UNREADABLE, after 10 seconds at the
 * latest.
 */
async function readHelper(
  command: readonly string[],
  from: string,
  { env, files, processes, clock }: SecretPorts,
): Promise<string> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('PAYCLI_')));
  const options = { env: own, folder: files.folders.config };
  const ran = await within(helperMs, clock, (signal) => processes.capture(command, { ...options, signal })).catch(
    (error: unknown) => {
      throw unreadable(from, reasonOf(error), 'correct the helper in the profile');
    },
  );
  const how = 'run it manually: it has to print the secret and nothing else, without prompting';
  if (ran === undefined) throw unreadable(from, 'did not end within 10 seconds', how);
  const { exit, out } = ran.value;
  if (exit !== 0) throw unreadable(from, `ended with ${exit}`, how);
  return attempt(() => secretText(out), from, how);
}

/** Undefined when the time is up; the work is then aborted and not waited for. */
async function within<T>(
  ms: number,
  clock: Runtime['clock'],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ readonly value: T } | undefined> {
  const stop = new AbortController();
  const done = work(stop.signal).then((value) => ({ value }));
  try {
    return await Promise.race([done, clock.sleep(ms).then(() => undefined)]);
  } finally {
    stop.abort();
  }
}
