import type { Env } from './machine.js';
import { capture } from './processes.js';

/**
 * Runs in a process of its own, which can be killed: a store that hangs (a silent D-Bus) blocks its whole process. The
 * secret is passed through pipes, never as an argument. Linux must not fall back to the kernel's keyring, which loses
 * everything at the next boot.
 */
const program = `
const { readFileSync, writeSync } = require('node:fs');
const { from, action, account, secret } = JSON.parse(readFileSync(0, 'utf8'));
let answer;
try {
  const { Entry } = require('node:module').createRequire(from)('@napi-rs/keyring');
  const entry = new Entry('paycli', account, { linux: { store: 'secret-service' } });
  if (action === 'read') answer = { result: entry.getPassword() ?? undefined };
  else if (action === 'write') answer = { result: entry.setPassword(secret) };
  else answer = { result: entry.deleteCredential() ? 'removed' : undefined };
} catch (error) {
  const missing = error.code === 'MODULE_NOT_FOUND' || /native binding/.test(error.message);
  answer = { why: missing ? 'the package @napi-rs/keyring is not installed' : error.message };
}
writeSync(1, JSON.stringify(answer));
`;

/** Rejects, with the reason in words, when the store cannot be used or at the signal. */
export function openKeyring(env: Env) {
  const ask = async (action: 'read' | 'write' | 'remove', account: string, signal: AbortSignal, secret?: string) => {
    // Started where this file is, so that no package of the working folder is taken for ours.
    const options = { env: { ...env, NODE_OPTIONS: '' }, folder: import.meta.dirname, signal };
    const input = JSON.stringify({ from: import.meta.url, action, account, secret });
    const { exit, out } = await capture([process.execPath, '-e', program], { ...options, input });
    if (exit !== 0) throw new Error(`its process exited with ${exit}`);
    const { result, why }: { result?: string; why?: string } = JSON.parse(Buffer.from(out).toString('utf8'));
    if (why !== undefined) throw new Error(why);
    return result;
  };
  return {
    read: (account: string, signal: AbortSignal) => ask('read', account, signal),
    write: (account: string, secret: string, signal: AbortSignal): Promise<unknown> =>
      ask('write', account, signal, secret),
    /** Gives nothing where there was no such entry. */
    remove: (account: string, signal: AbortSignal): Promise<unknown> => ask('remove', account, signal),
  };
}
