import { join } from 'node:path';
import { fail } from '../errors/index.js';
import type { HttpReply, HttpRequest, Runtime, Transport } from '../runtime/ports.js';
import type { Sandbox, SandboxState } from '../sandbox/index.js';
import { assumeDefaults } from '../spec/index.js';
import { isLoopback } from '../wire/address.js';
import { secretIn } from '../wire/secret-names.js';
import type { CommonOptions } from './core/common-options.js';
import { Reporter } from './core/reporter.js';

/** The name of the sandbox; each name has its own data. Throws USAGE. */
export function sandboxName({ env }: Runtime): string {
  const name = env['PAYCLI_SANDBOX'] ?? 'default';
  if (name === '')
    throw fail('USAGE', { why: 'the name of the sandbox is empty; an empty PAYCLI_SANDBOX?', command: 'sandbox' });
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(name) && secretIn(name) === undefined) return name;
  throw fail('USAGE', {
    why: 'the name of a sandbox is 1 to 40 letters, digits, - and _, and is not a key or card number',
    command: 'sandbox',
  });
}

/** Where all sandboxes live. */
export function sandboxFolder(runtime: Runtime): string {
  return join(runtime.files.folders.state, 'sandbox');
}

/** The one database file of a sandbox, shared by all commands. */
export function sandboxPath(runtime: Runtime): string {
  return join(sandboxFolder(runtime), `${sandboxName(runtime)}.db`);
}

/**
 * Short at first, since a sandbox makes a transaction final quickly; then less than a query a second: its audit reports
 * more.
 */
export const sandboxPauses: readonly number[] = [300, 1200, 2400];

export const defaultPort = 8484;
/** Where hosted pages will be found once `sandbox start` listens on its usual port. */
export const defaultPages = `http://127.0.0.1:${defaultPort}`;

/** A payer who does not exist, at addresses reserved for documentation. */
export const testPayer: Readonly<Record<string, string>> = {
  orderDesc: 'Sandbox order',
  email: 'payer@example.com',
  phone: '+4930123456',
  address1: 'Example Street 1',
  city: 'Berlin',
  zipCode: '10115',
  country: 'DE',
  ipAddress: '192.0.2.10',
  redirectUrl: 'https://shop.example/return',
  firstName: 'Pat',
  lastName: 'Payer',
};

/** Removes the data of a sandbox, with its keys. */
export function removeSandbox(runtime: Runtime): void {
  for (const end of ['', '-wal', '-shm']) runtime.files.remove(sandboxPath(runtime) + end);
}

/** The state of a sandbox together with its database file. */
export interface LocalSandbox extends SandboxState {
  close(): void;
}

/** Opens the sandbox, creating it at first use. With a seed, keys and ids depend only on the seed. */
export async function openLocalSandbox(runtime: Runtime, seed?: string): Promise<LocalSandbox> {
  const database = (await runtime.database()).open(sandboxPath(runtime));
  const { openSandboxState, seededRandom } = await import('../sandbox/index.js');
  const random = seed === undefined ? runtime.random : seededRandom(seed, runtime.random);
  return { ...openSandboxState({ database, clock: runtime.clock, random }), close: () => database.close() };
}

/** Opens the sandbox while `use` runs. */
export async function withSandbox<T>(
  flags: CommonOptions,
  runtime: Runtime,
  use: (sandbox: LocalSandbox, report: Reporter) => Promise<T>,
): Promise<T> {
  const report = new Reporter(flags, undefined, runtime);
  const sandbox = await openLocalSandbox(runtime);
  try {
    return await use(sandbox, report);
  } finally {
    sandbox.close();
  }
}

/** A sandbox that listens for this user. */
export interface ListeningSandbox {
  readonly pid: number;
  readonly url: string;
  /** Of the sandbox. */
  readonly name: string;
}

function listeningPath(runtime: Runtime): string {
  return join(sandboxFolder(runtime), `${sandboxName(runtime)}.listening.json`);
}

export function writeListening(listening: ListeningSandbox, runtime: Runtime): void {
  runtime.files.writeText(listeningPath(runtime), `${JSON.stringify(listening)}\n`);
}

export function removeListening(runtime: Runtime): void {
  runtime.files.remove(listeningPath(runtime));
}

/** The sandbox of this name that listens; undefined when none does. */
export async function findListening(runtime: Runtime): Promise<ListeningSandbox | undefined> {
  const note = readListening(runtime);
  return note !== undefined && (await answersWithPid(note, runtime)) ? note : undefined;
}

/** What a process that still runs has noted. */
function readListening(runtime: Runtime): ListeningSandbox | undefined {
  const { files, processes } = runtime;
  const path = listeningPath(runtime);
  if (!files.exists(path)) return undefined;
  try {
    const { pid, url, name } = JSON.parse(files.readText(path));
    const isNote = typeof pid === 'number' && typeof url === 'string' && typeof name === 'string';
    return isNote && processes.isAlive(pid) ? { pid, url, name } : undefined;
  } catch (cause) {
    throw fail('STORAGE', { what: path, why: 'it cannot be read', how: 'remove it' }, { cause });
  }
}

/** True for the address that a sandbox has noted. Not verified, so only polling pauses may depend on it. */
export function isLocalSandbox(baseUrl: string, runtime: Runtime): boolean {
  return isLoopback(baseUrl) && readListening(runtime)?.url === baseUrl;
}

/** Throws PORT_TAKEN while another process serves the same data. */
export async function assertNotListening(runtime: Runtime): Promise<void> {
  const running = await findListening(runtime);
  if (running === undefined) return;
  const holder = `the sandbox of process ${running.pid}, which serves the same data; \`paycli sandbox stop\` ends it`;
  throw fail('PORT_TAKEN', { port: new URL(running.url).port, holder });
}

/** Process ids are reused, so the process must answer as that sandbox. */
async function answersWithPid({ url, pid }: ListeningSandbox, runtime: Runtime): Promise<boolean> {
  const transport = await runtime.transport({});
  try {
    const delivery = await transport.post({ url: new URL('/healthz', url).href, headers: {}, body: '' }, 10_000);
    return delivery.kind === 'reply' && Buffer.from(delivery.reply.body).toString().includes(`"pid":${pid}`);
  } finally {
    await transport.close();
  }
}

export async function sandboxTransport(sandbox: LocalSandbox): Promise<Transport> {
  const { createSandbox } = await import('../sandbox/index.js');
  const settings = { assume: assumeDefaults, pagesBase: defaultPages, client: 'paycli' } as const;
  return inProcessTransport(createSandbox(sandbox, settings));
}

/** The sandbox as a transport: the same bytes as over HTTP, without a socket. */
export function inProcessTransport(sandbox: Sandbox): Transport {
  return {
    async post(request: HttpRequest) {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const { method = 'POST', url, body } = request;
      const answer = sandbox.handle({ method, url, headers, body: Buffer.from(body) });
      if (answer.delivery !== undefined) return { kind: 'lost', reason: 'the connection ended before a reply' };
      const reply: HttpReply = { status: answer.status, headers: answer.headers, body: Buffer.from(answer.body) };
      return { kind: 'reply', reply };
    },
    close: async () => undefined,
  };
}
