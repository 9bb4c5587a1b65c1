import { readFileSync } from 'node:fs';
import { sqlite } from '../../src/runtime/database.js';
import type { Database } from '../../src/runtime/ports.js';
import { openSandboxState, type SandboxState } from '../../src/sandbox/state.js';
import { rsaPairs } from '../support/rsa-pairs.js';
import type { Merchant } from './target.js';

const pem = (name: string): string => readFileSync(new URL(`../vectors/keys/${name}.pem`, import.meta.url), 'utf8');

export const merchant: Merchant = {
  login: 'cup-shop_1',
  endpointId: '7001',
  controlKey: 'B7E1F6C4-0D5A-4B66-9E3F-5E5D0A7C9F21',
  privateKeyPem: pem('test-rsa-2048.pkcs8'),
};
export const other: Merchant = {
  login: 'tea-house',
  endpointId: '7002',
  controlKey: 'AE90C3B5-77F4-4D0B-8F5D-6A1B2C3D4E5F',
  privateKeyPem: pem('test-rsa-3072.pkcs8'),
};

export interface ConfigFixture {
  readonly sandboxState: SandboxState;
  readonly database: Database;
  now(): number;
  advance(ms: number): void;
}

/** A fresh sandboxState in memory with two merchants of the suite's own, on a clock that moves only when told to. */
export function configFixture(): ConfigFixture {
  let now = Date.UTC(2030, 0, 15, 12);
  let seed = 1;
  const below = (bound: number): number => {
    // Park and Miller's generator: the same ids in every run.
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % bound;
  };
  const letters = (length: number): string =>
    Array.from({ length }, () => String.fromCharCode(97 + below(26))).join('');
  const hex = (length: number): string => Array.from({ length }, () => below(16).toString(16)).join('');
  const database = sqlite.open(':memory:');
  const clock = { now: () => now, monotonic: () => now, sleep: () => Promise.resolve() };
  const sandboxState = openSandboxState({
    database,
    clock,
    random: { rsaPem: rsaPairs(), below, letters, uuid: () => [8, 4, 4, 4, 12].map(hex).join('-') },
  });
  sandboxState.addMerchant({ ...merchant, publicKeyPem: pem('test-rsa-2048.public') });
  sandboxState.addMerchant({ ...other, publicKeyPem: pem('test-rsa-3072.public') });
  return {
    sandboxState,
    database,
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
}
