import { dirname } from 'node:path';
import { fail, type PaycliError, shellWord } from '../errors/index.js';
import type { Clock, Env, Files, Keyring, Runtime } from '../runtime/ports.js';
import { hidden as mask, Secret } from '../wire/mask.js';
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
  const text = (await textOf(source, ports)).replace(/\r?\n$/, '');
  if (text === '') throw unreadable(from, 'is empty', 'put the secret in it');
  const secret = new Secret(text);
  const odd = secretWarning(text);
  if (odd !== undefined) return { secret, from, warning: `${from}: ${odd}` };
  return /\p{Cc}/u.test(text)
    ? { secret, from, warning: `${from}: holds control characters or more than one line` }
    : { secret, from };
}

function unreadable(what: string, why: string, how: string): PaycliError {
  return fail('SECRET_UNREADABLE', { what, why, how });
}

/** Reads a PEM text unchanged; whether it is a usable key is checked when it is parsed. Throws SECRET_UNREADABLE. */
export async function readPemText(source: SecretSource, ports: SecretPorts): Promise<ReadSecret> {
  const from = secretLocation(source);
  const text = await textOf(source, ports);
  if (text.trim() === '') throw unreadable(from, 'is empty', 'put the key in it');
  return { secret: new Secret(text), from };
}

/** Reads the certificates of `ca-file`, which are no secret. Throws SECRET_UNREADABLE. */
export function readCaFile(path: string, files: Files): string {
  const from = `file ${shownPath(path)}`;
  const refused = (why: string) => unreadable(from, why, 'name a PEM file with certificates');
  const facts = fileFacts(path, files, refused);
  if (facts === undefined) throw refused('there is no such file');
  if (!facts.isFile) throw refused('is not a regular file');
  const text = attempt(
    () => files.readText(path),
    (why) => unreadable(from, why, 'check the file and its permissions'),
  );
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw refused('contains no certificate');
  return text;
}

/** Throws TLS_POLICY when certificate checks are switched off. */
export function checkTlsPolicy(env: Env): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw fail('TLS_POLICY', { why: 'NODE_TLS_REJECT_UNAUTHORIZED=0 disables certificate checks' });
}

async function textOf(source: SecretSource, ports: SecretPorts): Promise<string> {
  const from = secretLocation(source);
  switch (source.kind) {
    case 'file':
      return guardedText(source.path, from, ports.files);
    case 'environment':
      return guardedText(pathNamedBy(source.name, from, ports), from, ports.files);
    case 'descriptor':
      return attempt(
        () => ports.files.readDescriptor(source.descriptor),
        (why) =>
          unreadable(from, why, `open descriptor ${source.descriptor} for reading, as in ${source.descriptor}<file`),
      );
    case 'stdin': {
      const { terminal } = ports;
      if (terminal.canPrompt) throw unreadable(from, 'is a terminal', 'send the secret through a pipe');
      try {
        return await terminal.readStdin({ withMark: true });
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
  if (value === undefined || value === '')
    throw fail('SECRET_UNREADABLE', {
      what: from,
      why: `${name} is not set`,
      how: `set ${name} to the path of a file`,
      variable: name,
    });
  return pathFrom(value, files.folders.working, files.folders.home);
}

/** The text of a file that only its owner may read. Throws SECRET_UNREADABLE. */
function guardedText(path: string, from: string, files: Files): string {
  const facts = fileFacts(path, files, (why) => unreadable(from, why, 'check the file and its permissions'));
  if (facts === undefined) throw unreadable(from, 'there is no such file', 'put the secret in that file, mode 0600');
  if (!facts.isFile)
    throw unreadable(from, 'is not a regular file', 'name a regular file; for a pipe use the flag that ends in -fd');
  if (!facts.ownedByUser) throw unreadable(from, 'belongs to another user', 'use a file of your own, mode 0600');
  if ((facts.mode & 0o077) !== 0)
    throw fail('SECRET_UNREADABLE', {
      what: from,
      why: 'can be read or written by other users',
      how: `run \`chmod 600 ${shellWord(path, 'FILE')}\``,
      file: path,
    });
  if (facts.size > maxBytes)
    throw unreadable(from, 'is larger than 64 KiB', 'name a file that contains only the secret');
  const folder = fileFacts(dirname(path), files, (why) => unreadable(from, why, 'check the folder of the file'));
  if (folder !== undefined && (folder.mode & 0o002) !== 0)
    throw unreadable(from, 'is in a folder that every user can write to', 'move it into a folder of your own');
  return attempt(
    () => readSecretText(path, files, maxBytes),
    (why) => unreadable(from, why, 'check the file and its permissions'),
  );
}

// The error is not passed on as cause: its message may repeat the path, and a variable may hold a key in its place.
function attempt(read: () => string, unreadable: (why: string) => PaycliError): string {
  try {
    return read();
  } catch (error) {
    throw unreadable(reasonOf(error));
  }
}

type Ports = Pick<Runtime, 'env' | 'files' | 'processes' | 'keyring' | 'clock'>;

const keyringMs = 3000;
const helperMs = 10_000;

/** The secret of a keyring entry. Throws SECRET_UNREADABLE, after 3 seconds at the latest. */
async function fromKeyring(account: string, from: string, ports: Pick<Ports, 'keyring' | 'clock'>): Promise<string> {
  const secret = await askKeyring(from, ports, (keyring, signal) => keyring.read(account, signal));
  if (secret === undefined)
    throw unreadable(
      from,
      'there is no such entry',
      'store it with `paycli profile add NAME --store keyring --replace`',
    );
  return secret;
}

/** One call to the key store. Throws SECRET_UNREADABLE, after 3 seconds at the latest. */
export async function askKeyring<T>(
  from: string,
  { keyring, clock }: Pick<Ports, 'keyring' | 'clock'>,
  ask: (keyring: Keyring, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  let answer: { readonly value: T } | undefined;
  try {
    const store = await keyring();
    answer = await within(keyringMs, clock, (signal) => ask(store, signal));
  } catch (error) {
    const reported = error instanceof Error ? printableName(error.message) : 'unknown reason';
    throw unreadable(
      from,
      `the keyring cannot be used (${reported})`,
      'start and unlock the keyring of this system, or keep the secret in a separate file, mode 0600, and name that in the profile',
    );
  }
  if (answer === undefined)
    throw unreadable(
      from,
      'the keyring did not answer within 3 seconds',
      'start and unlock the keyring of this system, or keep the secret in a separate file, mode 0600, and name that in the profile',
    );
  return answer.value;
}

/**
 * What a credential helper prints. It gets no variable of paycli. Throws SECRET_UNREADABLE, after 10 seconds at the
 * latest.
 */
async function fromHelper(
  command: readonly string[],
  from: string,
  { env, files, processes, clock }: Ports,
): Promise<string> {
  const options = { env: withoutPaycliVariables(env), folder: files.folders.config };
  const ran = await within(helperMs, clock, (signal) => processes.capture(command, { ...options, signal })).catch(
    (error: unknown) => {
      throw unreadable(from, startFailure(error), 'correct the helper in the profile');
    },
  );
  if (ran === undefined)
    throw unreadable(
      from,
      'did not end within 10 seconds',
      'run it manually: it has to print the secret and exit without prompting',
    );
  const { value } = ran;
  const text = decoded(value.out);
  if (value.exit !== 0) {
    const message = lastErrorLine(value.err, text);
    throw fail('SECRET_UNREADABLE', {
      what: from,
      why: `ended with ${value.exit}${message === '' ? '' : `, saying: ${message}`}`,
      how: 'run it manually to see why',
    });
  }
  if (text === undefined)
    throw unreadable(
      from,
      'printed something that is not UTF-8 text',
      'change it so that it prints the secret and nothing else',
    );
  if (text.trim() === '')
    throw unreadable(from, 'printed nothing', 'change it so that it prints the secret and nothing else');
  return text;
}

/** Undefined when the time is up; the work is then aborted and not waited for. */
async function within<T>(
  ms: number,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ readonly value: T } | undefined> {
  const stop = new AbortController();
  const done = work(stop.signal).then((value) => ({ value }));
  const timeUp = clock.sleep(ms).then(() => undefined);
  try {
    return await Promise.race([done, timeUp]);
  } finally {
    stop.abort();
  }
}

function withoutPaycliVariables(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('PAYCLI_')));
}

const startFailures: Readonly<Record<string, string>> = {
  ENOENT: 'no such program',
  EACCES: 'may not be run by this user',
  EFBIG: 'printed more than 1 MiB',
};

function startFailure(error: unknown): string {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
  return startFailures[code] ?? `could not be run (${code})`;
}

/** The last line of its standard error, fit for a message, without the secret it printed. */
function lastErrorLine(err: Uint8Array, secret: string | undefined): string {
  const text = new TextDecoder().decode(err).trim();
  const hidden = secret === undefined || secret.trim() === '' ? text : text.replaceAll(secret.trim(), mask);
  return printableName(hidden.split('\n').at(-1) ?? '');
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return secretText(bytes);
  } catch {
    return undefined;
  }
}
