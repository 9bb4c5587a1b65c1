import { type CertifySettings, certify, type Judgement, type Scenario, scenarios } from '../../src/certify/index.js';
import { nodeRuntime } from '../../src/runtime/node.js';
import { rsaPairs } from '../support/rsa-pairs.js';

/** Without a command and a handler. */
export const quickSettings = {
  command: [],
  handler: undefined,
  timeout: 2,
  patience: 5,
  port: 0,
  callbackHosts: [],
};

/** Certifies a client for real, in this process. */
export function certified(
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
  chosen: readonly Scenario[] = scenarios,
  changed: Partial<CertifySettings> = {},
): Promise<readonly Judgement[]> {
  const runtime = nodeRuntime();
  return certify(
    chosen,
    { ...quickSettings, ...changed, command },
    { ...runtime, random: { ...runtime.random, rsaPem: rsaPairs() }, env: { PATH: process.env['PATH'], ...env } },
    new AbortController().signal,
  );
}
