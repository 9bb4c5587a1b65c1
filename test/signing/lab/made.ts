import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { controlRequests, oauthOrders, plainControl, plainRequest } from './requests.js';

/** A value that a client made wrongly, or a base string that it would have signed. */
export interface Made {
  /** Which of the requests. */
  readonly request: number;
  /** Where in the making: encoder, order, source, address, text, key, digest, writing. */
  readonly channels: readonly string[];
  /** For each fault the names that are right, with | between them; `any` for any that is proven. */
  readonly expected: readonly string[];
  readonly what: readonly string[];
  readonly value: string;
  /** Where the fault is in the base string. */
  readonly base?: string;
}

export interface MadeByScheme {
  readonly oauth: readonly Made[];
  readonly control: readonly Made[];
}

const interpreters = { php: 'client.php', python3: 'client.py', node: 'client.mjs' } as const;
export type Interpreter = keyof typeof interpreters;

/** Runs a client over all requests: one process for all its faults. */
export function madeBy(program: Interpreter): MadeByScheme {
  const input = JSON.stringify({
    oauth: oauthOrders.map(plainRequest),
    control: controlRequests.map(plainControl),
  });
  const path = fileURLToPath(new URL(interpreters[program], import.meta.url));
  const { status, stdout, stderr } = spawnSync(program, [path], { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
  return JSON.parse(stdout);
}
