import { afterAll, beforeAll, expect } from 'vitest';
import type { Home, Ran } from '../e2e/home.js';
import { type Gateway, startGateway } from '../e2e/shop.js';
import { PostgresServer } from './postgres.js';

/**
 * For all tests of a file: a database server, and a gateway that pays every request, also one with the id of another, so
 * that nothing but paycli stands between a fault and a second payment.
 */
export function openServers(): { readonly gateway: Gateway; readonly server: PostgresServer } {
  let opened: { readonly gateway: Gateway; readonly server: PostgresServer } | undefined;
  const servers = () => {
    if (opened === undefined) throw new Error('the servers run only while tests do');
    return opened;
  };
  beforeAll(async () => {
    const gateway = await startGateway(['--settle-ms', '0', '--assume', 'duplicate-order-id=pay']);
    opened = { gateway, server: await PostgresServer.start() };
  }, 120_000);
  afterAll(async () => {
    await servers().gateway.close();
    await servers().server.remove();
  }, 120_000);
  return {
    get gateway() {
      return servers().gateway;
    },
    get server() {
      return servers().server;
    },
  };
}

/** Runs a command of paycli that has to end so. */
export async function json(home: Home, exit: number, ...words: readonly string[]): Promise<Ran> {
  const ran = await home.call([...words, '--json']);
  expect(ran.exit, ran.err + ran.out).toBe(exit);
  return ran;
}
