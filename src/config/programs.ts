import { fail, type PaycliError } from '../errors/index.js';
import type { Clock, Env, Keyring, Runtime } from '../runtime/ports.js';
import { shown } from './paths.js';

type Ports = Pick<Runtime, 'env' | 'files' | 'processes' | 'keyring' | 'clock'>;

const keyringMs = 3000;
const helperMs = 10_000;

const elsewhere = 'or keep the secret in a file of its own, mode 0600, and name that in the profile';

/** The secret of a keyring entry. Throws SECRET_UNREADABLE, after 3 seconds at the latest. */
export async function fromKeyring(account: string, from: string, ports: Pick<Ports, 'keyring' | 'clock'>): Promise<string> {
  const secret = await askKeyring(from, ports, (keyring, signal) => keyring.read(account, signal));
  if (secret === undefined)
    throw unreadable(from, 'there is no such entry', 'store it with `paycli profile add NAME --store keyring --replace`');
  return secret;
}

/** One question to the key store. Throws SECRET_UNREADABLE, after 3 seconds at the latest. */
export async function askKeyring<T>(
  from: string,
  { keyring, clock }: Pick<Ports, 'keyring' | 'clock'>,
  ask: (keyring: Keyring, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const how = `start and unlock the key store of this system, ${elsewhere}`;
  let answer: { readonly value: T } | undefined;
  try {
    const store = await keyring();
    answer = await within(keyringMs, clock, (signal) => ask(store, signal));
  } catch (error) {
    throw unreadable(from, `the keyring cannot be used (${error instanceof Error ? shown(error.message) : 'unknown reason'})`, how);
  }
  if (answer === undefined) throw unreadable(from, 'the keyring did not answer within 3 seconds', how);
  return answer.value;
}

/** What a credential helper prints. It gets no variable of paycli. Throws SECRET_UNREADABLE, after 10 seconds at the latest. */
export async function fromHelper(command: readonly string[], from: string, { env, files, processes, clock }: Ports): Promise<string> {
  const options = { env: withoutOurs(env), folder: files.folders.config };
  const ran = await within(helperMs, clock, (signal) => processes.capture(command, { ...options, signal })).catch((error: unknown) => {
    throw unreadable(from, startFailure(error), 'correct the helper in the profile');
  });
  if (ran === undefined)
    throw unreadable(from, 'did not end within 10 seconds', 'run it by hand: it must print the secret and end, asking nothing');
  const { value } = ran;
  const text = decoded(value.out);
  if (value.exit !== 0) {
    const said = saidBy(value.err, text);
    throw unreadable(from, `ended with ${value.exit}${said === '' ? '' : `, saying: ${said}`}`, 'run it by hand to see why');
  }
  if (text === undefined) throw unreadable(from, 'printed something that is not UTF-8 text', 'it must print the secret and nothing else');
  if (text.trim() === '') throw unreadable(from, 'printed nothing', 'it must print the secret and nothing else');
  return text;
}

/** Undefined when the time is up; the work is then told to stop, and not waited for. */
async function within<T>(ms: number, clock: Clock, work: (signal: AbortSignal) => Promise<T>): Promise<{ readonly value: T } | undefined> {
  const stop = new AbortController();
  const done = work(stop.signal).then((value) => ({ value }));
  const timeUp = clock.sleep(ms).then(() => undefined);
  try {
    return await Promise.race([done, timeUp]);
  } finally {
    stop.abort();
  }
}

function withoutOurs(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('PAYCLI_')));
}

const startFailures: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program',
  EACCES: 'may not be run by this user',
  EFBIG: 'printed more than 1 MiB',
};

function startFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
  return startFailures[code] ?? `could not be run (${code})`;
}

/** Its last words on standard error, fit for a message, without what it printed as the secret. */
function saidBy(err: Uint8Array, secret: string | undefined): string {
  const text = new TextDecoder().decode(err).trim();
  const hidden = secret === undefined || secret.trim() === '' ? text : text.replaceAll(secret.trim(), '•••');
  return shown(hidden.split('\n').at(-1) ?? '');
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function unreadable(what: string, why: string, how: string): PaycliError {
  return fail('SECRET_UNREADABLE', { what, why, how });
}
