import { basename } from 'node:path';
import { fail } from '../errors/index.js';
import { findings } from './audit/findings.js';
import { callbackAttempts, callbacks } from './callbacks/outbox.js';
import { callbackScripts } from './callbacks/scripts.js';
import { cardRefs, cards } from './cards.js';
import { nonces } from './checks.js';
import { events } from './log.js';
import {
  addBuiltinMerchants,
  addMerchant,
  builtinPrivateKey,
  type CreatedMerchant,
  createMerchant,
  endpoints,
  listMerchants,
  merchantOf,
  merchants,
  type NewMerchant,
  type SandboxMerchant,
} from './merchants.js';
import { openings, orders, serials, transactions } from './orders.js';
import { type QueueTarget, queue, queueOutcome } from './outcomes.js';
import { profiles } from './recurring.js';
import {
  builtinEndpointId,
  builtinLogin,
  counters,
  meta,
  metaValue,
  movedClock,
  type Store,
  setMeta,
} from './store.js';
import { visits } from './visits.js';

/** The state of one sandbox: its merchants and everything they did. */
export interface SandboxState {
  readonly store: Store;
  /** The built-in one first. */
  merchants(): readonly SandboxMerchant[];
  /** The merchant every sandbox has. */
  identity(): Identity;
  /** PEM; the pair is generated when first needed, which takes a moment. */
  builtinPrivateKey(): string;
  addMerchant(merchant: NewMerchant): void;
  /** Adds a merchant with generated keys; by default at the next free endpoint. Throws USAGE. */
  createMerchant(login: string, endpointId?: string): CreatedMerchant;
  /** Queues an outcome for the next request of a merchant, or of one order; returns its login. Throws USAGE. */
  queueOutcome(outcome: string, target?: QueueTarget): string;
  /** Deletes all orders, cards and queued outcomes; merchants, keys and counters stay. */
  reset(): void;
}

/** What a client needs to sign for a sandbox. */
export interface Identity {
  readonly login: string;
  readonly endpointId: string;
  readonly controlKey: string;
  /** Changes with each reset, so that the journal tells the old gateway from the new one. */
  readonly instance: string;
}

/** Opens the state in a database; creates it with the built-in merchants at first use. `clock` is the machine's. */
export function openSandboxState(ports: Pick<Store, 'database' | 'clock' | 'random'>): SandboxState {
  const { database, clock: machine } = ports;
  const store: Store = { ...ports, clock: movedClock(database, machine), machine, early: new Set() };
  // Waits for no disk: after a power cut the newest orders of a sandbox may be missing.
  database.exec('PRAGMA synchronous = NORMAL');
  createTables(store);
  return {
    store,
    merchants: () => listMerchants(store),
    identity: () => ({
      login: builtinLogin,
      endpointId: builtinEndpointId,
      controlKey: merchantOf(store, builtinEndpointId)?.controlKey ?? '',
      instance: metaValue(store, 'instance') ?? '',
    }),
    builtinPrivateKey: () => builtinPrivateKey(store),
    addMerchant: (merchant) => addMerchant(store, merchant),
    createMerchant: (login, endpointId) => createMerchant(store, login, endpointId),
    queueOutcome: (outcome, target) => queueOutcome(store, outcome, target),
    reset: () => reset(store),
  };
}

/** Incremented with every change to the tables. */
const version = 10;
const keptAtReset = [meta, counters, merchants, endpoints];
const emptiedAtReset = [
  ...[cards, cardRefs, orders, transactions, serials, openings, visits, profiles, queue, nonces],
  ...[events, findings, callbacks, callbackAttempts, callbackScripts],
];

// Random starts: a new sandbox must not repeat ids of an older one that a journal still has.
const firstValues: Readonly<Record<string, readonly [least: number, spread: number]>> = {
  order: [10_000_000, 80_000_000],
  serial: [0x1000, 0xff_ffff],
  'card-ref': [100_000, 800_000],
  recurring: [100_000, 800_000],
};

function createTables(store: Store): void {
  const { database, random } = store;
  if (isPrepared(store)) return;
  database.transaction(() => {
    // Another process may have been first.
    if (isPrepared(store)) return;
    for (const { sql } of [...keptAtReset, ...emptiedAtReset]) database.exec(sql);
    database.exec(`PRAGMA user_version = ${version}`);
    setMeta(store, 'instance', random.uuid());
    for (const [name, [least, spread]] of Object.entries(firstValues))
      counters.insert(store, { name, value: least + random.below(spread) });
    addBuiltinMerchants(store);
  });
}

/** Throws STORAGE for a file made by another version of paycli. */
function isPrepared({ database }: Store): boolean {
  const found = Number(database.get('PRAGMA user_version')?.['user_version'] ?? 0);
  if (found === 0 || found === version) return found === version;
  const name = basename(String(database.get('PRAGMA database_list')?.['file'] ?? ''), '.db');
  throw fail('STORAGE', {
    what: 'the sandbox file',
    why: 'it was made by another version of paycli',
    how: 'run `paycli sandbox reset --all`',
    name,
  });
}

/** Deletes everything but merchants, endpoints, keys and counters, and brings the clock back. */
function reset(store: Store): void {
  store.database.transaction(() => {
    setMeta(store, 'instance', store.random.uuid());
    setMeta(store, 'clock-offset', undefined);
    for (const table of emptiedAtReset) store.database.run(`DELETE FROM ${table.name}`);
  });
}
