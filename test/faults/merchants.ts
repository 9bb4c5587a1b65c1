import { afterAll } from 'vitest';
import type { Ran } from '../e2e/home.js';
import { Merchant } from './merchant.js';
import { type FaultServer, faultServer } from './server.js';

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
