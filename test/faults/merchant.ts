import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { Home, type Ran, type Variables } from '../e2e/home.js';
import { program, quoted } from '../e2e/program.js';
import { payerFlags } from '../e2e/shop.js';
import { readJournalFile } from '../support/journal-file.js';
import { expectSound } from '../support/user-journal.js';
import { type FaultServer, faultServer } from './server.js';

/** What `journal --json` says of a request. */
interface Entry {
  readonly entry: number;
  readonly operation: string;
  readonly state: string;
  readonly attempts: number;
  readonly reason: string;
  readonly gateway: string;
  readonly order: { readonly orderId: string | null; readonly clientOrderId: string | null };
}

/** A row of the journal's own tables. */
export type Row = Readonly<Record<string, unknown>>;

/** A merchant without a configuration file, who can be sent to any gateway. */
export class Merchant {
  readonly home = new Home(undefined, 'without a profile');
  readonly #key = this.home.write('control.key', '7d1c0f5e2a9b4c68\n');

  reaching(url: string): Variables {
    return {
      PAYCLI_BASE_URL: url,
      PAYCLI_LOGIN: 'shop',
      PAYCLI_ENDPOINT_ID: '5001',
      PAYCLI_CONTROL_KEY_FILE: this.#key,
      PAYCLI_ASK_FIRST: 'off',
    };
  }

  /** In a process of its own. */
  run(argv: readonly string[], url: string, env: Variables = {}): Promise<Ran> {
    return this.home.run(argv, { ...this.reaching(url), ...env });
  }

  /** The same inside this process, over the real network and files: a third of the processor time. */
  call(argv: readonly string[], url: string, env: Variables = {}): Promise<Ran> {
    return this.home.call(argv, { ...this.reaching(url), ...env });
  }

  /** The same under strace with faults injected into system calls; strace ends as the program does. */
  async traced(inject: readonly string[], argv: readonly string[], env: Variables): Promise<Ran> {
    const calls = inject.map((one) => one.split(':', 1)[0] ?? '').join(',');
    const words = ['strace', '-f', '-qq', '-o', join(this.home.path, 'trace'), '-e', `trace=${calls}`];
    const line = [
      ...words,
      ...inject.flatMap((one) => ['-e', `inject=${one}`]),
      process.execPath,
      await program(),
      ...argv,
    ];
    return this.home.shell(`exec ${line.map(quoted).join(' ')}`, env);
  }

  /** By way of the product. */
  async entries(url: string): Promise<Entry[]> {
    const { exit, out, err } = await this.home.call(['journal', '--json']);
    expect(exit, err).toBe(0);
    const { entries }: { entries: Entry[] } = JSON.parse(out);
    return entries.filter(({ gateway }) => gateway === url);
  }

  /** As they stand in the file. */
  rows(url: string): Row[] {
    return readJournalFile(this.home.state).requests.filter((row) => row['base'] === url);
  }

  /** States a request went through, in the order of its events. */
  states(id: number): unknown[] {
    const moves = readJournalFile(this.home.state).events.filter((row) => row['request'] === id);
    return moves.filter((row) => row['from_state'] !== row['to_state']).map((row) => row['to_state']);
  }

  /** The file is sound, and lacks nothing that was marked. */
  async expectWhole(): Promise<void> {
    await expectSound(this.home.path);
  }
}

const money = ['--amount', '10.42', '--currency', 'USD'];

/** A complete sale; the reply of the fault server speaks of order-1. */
export const sale = (id = 'order-1'): readonly string[] => [
  ...['sale', ...money, '--test-card', 'approved', '--client-order-id', id],
  ...['--redirect-url', 'https://shop.example/', ...payerFlags],
];

/** Merchants and gateways of a test file, which end with it. */
export function openMerchants() {
  const merchants: Merchant[] = [];
  const open: FaultServer[] = [];
  afterAll(async () => {
    for (const { home } of merchants) home.remove();
    await Promise.all(open.map((server) => server.close()));
  });
  return {
    newMerchant(): Merchant {
      const merchant = new Merchant();
      merchants.push(merchant);
      return merchant;
    },
    async serve(...how: Parameters<typeof faultServer>): Promise<FaultServer> {
      const server = await faultServer(...how);
      open.push(server);
      return server;
    },
  };
}

/** The error object of a run with --json, which is the last line. */
export function lastError({ err }: Ran): Readonly<Record<string, unknown>> {
  return JSON.parse(err.trim().split('\n').at(-1) ?? '');
}
