import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Runtime } from '../../../src/runtime/ports.js';
import { saleFlags } from '../profiles.js';
import type { ErrorCase } from './error-case.js';

/** A fault of paycli at a place that does not move. */
function fault(): Error {
  return Object.assign(new TypeError('never shown'), {
    stack: `TypeError: never shown\n    at example (${process.cwd()}/src/example.ts:1:2)`,
  });
}

const failing = (usual: Runtime): Runtime => ({ ...usual, database: () => Promise.reject(fault()) });

const silentClient = (usual: Runtime): Runtime => ({
  ...usual,
  processes: { ...usual.processes, start: async () => ({ exit: Promise.resolve(127), signal: () => {} }) },
});

/** A port somebody else listens at. */
async function takenPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** This machine, and paycli itself. */
export const machine: readonly ErrorCase[] = [
  {
    code: 'RUNTIME_UNTESTED',
    given: 'run by another version of Node',
    profile: {},
    argv: saleFlags,
    options: () => ({
      outside: (usual) => ({ ...usual, processes: { ...usual.processes, nodeVersion: '23.1.0' } }),
    }),
  },
  {
    code: 'TLS_POLICY',
    argv: ['status', '1', '--client-order-id', 'a'],
    options: () => ({ env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } }),
  },
  {
    code: 'STORAGE',
    given: 'a full disk',
    argv: ['profile', 'set', 'shop', '--default'],
    profile: {},
    options: () => ({ failing: (path) => path.endsWith('config.yaml') }),
  },
  { code: 'PORT_TAKEN', argv: ['callback', 'listen', '--port', 'PORT'], port: takenPort },
  {
    code: 'CLIENT_SILENT',
    given: 'a client with a command that is not there',
    argv: ['sign', 'doctor', '--', 'client'],
    options: () => ({ outside: silentClient }),
  },
  { code: 'INTERNAL', argv: ['resolve', 'order-1'], given: 'a fault of paycli', options: () => ({ outside: failing }) },
];
