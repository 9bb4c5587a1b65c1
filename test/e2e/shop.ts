import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import { systemClock, systemRandom } from '../../src/runtime/machine.js';
import { openSandboxState } from '../../src/sandbox/state.js';
import { operations } from '../../src/spec/index.js';
import { eventually, Home, type Ran, type Running, type Signal, type Variables } from './home.js';
import { type KeyFiles, makeKeys } from './keys.js';

/** What --json prints of a reply. */
export interface Document {
  readonly schema: string;
  readonly ok: boolean;
  readonly operation: string;
  readonly order: { readonly orderId: string | null; readonly clientOrderId: string | null };
  readonly result: Variables;
  readonly next: string | null;
  readonly exit: number;
}

/** How follow-ups name an order. */
export type OrderWords = readonly [orderId: string, flag: '--client-order-id', clientOrderId: string];

/** A sandbox that listens, with a merchant of one's own; its data is in a home of its own. */
export interface Gateway {
  readonly home: Home;
  readonly keys: KeyFiles;
  readonly url: string;
  /** As Ctrl-C would. */
  stop(): Promise<Ran>;
  /** As a power cut would. */
  kill(): Promise<Ran>;
  /** Stops it and removes its home. */
  close(): Promise<Ran>;
}

export async function startGateway(
  flags: readonly string[] = ['--settle-ms', '0'],
  home = new Home(),
): Promise<Gateway> {
  const keys = makeKeys(home.path);
  const ready = join(home.path, 'ready');
  // One that was killed could not take its file along.
  rmSync(ready, { force: true });
  addMerchant(home, keys);
  const server = await home.start(['sandbox', 'start', '--port', '0', '--ready-file', ready, ...flags]);
  const url = await firstLine(ready, server);
  const end = (signal: Signal) => {
    server.signal(signal);
    return server.done;
  };
  return {
    home,
    keys,
    url,
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    async close() {
      const ran = await end('SIGINT');
      home.remove();
      return ran;
    },
  };
}

/** Puts the merchant into the file of the sandbox, with keys that openssl made. */
function addMerchant({ env }: Home, { control, publicKey }: KeyFiles): void {
  const folder = join(env['PAYCLI_STATE_DIR'] ?? '', 'sandbox');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = sqlite.open(join(folder, 'default.db'));
  const state = openSandboxState({ database, clock: systemClock, random: systemRandom });
  const [controlKey, publicKeyPem] = [control, publicKey].map((path) => readFileSync(path, 'utf8').trim());
  state.addMerchant({ login: 'shop', endpointId: '5001', controlKey: controlKey ?? '', publicKeyPem });
  database.close();
}

async function firstLine(path: string, server: Running): Promise<string> {
  let ended: Ran | undefined;
  void server.done.then((ran) => {
    ended = ran;
  });
  return eventually('the sandbox is ready', () => {
    if (ended !== undefined) throw new Error(`the sandbox ended with ${ended.exit}: ${ended.err}`);
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
  });
}

export interface ProfileOptions {
  readonly class?: 'sandbox' | 'test' | 'live';
}

const payer = {
  'order-desc': 'Two cups & a plate, 100 % "good"',
  email: 'pat.payer@example.com',
  phone: '+4930123456',
  address1: "1 O'Neill Straße (back)",
  city: 'Köln',
  'zip-code': '50667',
  country: 'DE',
  'ip-address': '192.0.2.10',
  'first-name': 'Pat',
  'last-name': 'Payer',
};

/** The payer as flags, for a connection without a profile. */
export const payerFlags: readonly string[] = Object.entries(payer).flatMap(([name, value]) => [`--${name}`, value]);

/** A home whose only profile is the merchant of a gateway; `more` are lines of the profile. */
export function homeAt(
  { url, keys, home: gatewayHome }: Pick<Gateway, 'url' | 'keys'> & { readonly home?: Home },
  options?: ProfileOptions,
  more = '',
): Home {
  const home = new Home(`default-profile: shop\nprofiles:\n${profileText('shop', url, keys, options)}${more}`);
  // A sandbox of this user, whose outcomes are asked for without the pauses that a stranger gets.
  const note = 'sandbox/default.listening.json';
  if (gatewayHome !== undefined) cpSync(join(gatewayHome.state, note), join(home.state, note));
  return home;
}

/**
 * For the tests of one file: a gateway that makes a second payment with the same id (A20), so that only the journal
 * stands between an accident and a duplicate, and homes that pay by it. All of it ends with the file.
 */
export function payingGateway() {
  let gateway: Gateway;
  const homes: Home[] = [];
  beforeAll(async () => {
    gateway = await startGateway(['--settle-ms', '0', '--assume', 'duplicate-order-id=pay']);
  }, 60_000);
  afterAll(async () => {
    for (const home of homes) home.remove();
    await gateway.close();
  });
  return {
    gateway: () => gateway,
    /** Of class sandbox questions about an unknown outcome take no minutes. */
    newHome(kind: ProfileOptions['class'] = 'sandbox'): Home {
      const home = homeAt(gateway, { class: kind });
      homes.push(home);
      return home;
    },
  };
}

/** One profile of a YAML configuration, two blanks deep. */
export function profileText(name: string, url: string, keys: KeyFiles, options: ProfileOptions = {}): string {
  return [
    `  ${name}:`,
    ...[
      `class: ${options.class ?? 'test'}`,
      `base-url: ${url}`,
      'login: shop',
      'endpoint-id: 5001',
      `control-key: { file: ${keys.control} }`,
      `private-key: { file: ${keys.pkcs8} }`,
      'redirect-url: https://shop.example/return?from=gateway',
      'defaults:',
    ].map((line) => `    ${line}`),
    ...Object.entries(payer).map(([field, value]) => `      ${field}: ${JSON.stringify(value)}`),
    '',
  ].join('\n');
}

let made = 0;

/** An id for what opens an order, and --again for money: equal payments of one user at once would stop each other. */
function ownId(operation: string, argv: readonly string[]): string[] {
  const row = operations.find(({ id }) => id === operation);
  if (row?.opens !== true) return [];
  const again = row.effect === 'money' && !argv.includes('--again') ? ['--again'] : [];
  if (argv.includes('--client-order-id')) return again;
  made += 1;
  return ['--client-order-id', `own-${process.pid}-${made}`, ...again];
}

/** The merchant's side: commands with --json, each held against its exit code. */
export class Shop {
  readonly home: Home;

  constructor(home: Home) {
    this.home = home;
  }

  async send(operation: string, argv: readonly string[], exit = 0): Promise<Document> {
    const ran = await this.home.call([...argv, ...ownId(operation, argv), '--json']);
    expect(ran.exit, `${argv.join(' ')}\n${ran.err}${ran.out}`).toBe(exit);
    const document: Document = JSON.parse(ran.out);
    expect(document).toMatchObject({ schema: 'paycli/1', operation, exit });
    return document;
  }

  /** Runs the command a document gives as the next one. */
  next(operation: string, { next }: Document, placeholders: Variables = {}, exit = 0): Promise<Document> {
    const [first, ...words] = (next ?? '').split(' ');
    expect(first).toBe('paycli');
    return this.send(
      operation,
      words.map((word) => placeholders[word] ?? word),
      exit,
    );
  }
}

export function named({ order: { orderId, clientOrderId } }: Document): OrderWords {
  expect(orderId).toMatch(/^\d+$/);
  expect(clientOrderId).toBeTruthy();
  return [orderId ?? '', '--client-order-id', clientOrderId ?? ''];
}
