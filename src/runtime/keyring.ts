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
let answer = {};
try {
  const { Entry } = require('node:module').createRequire(from)('@napi-rs/keyring');
  const entry = new Entry('paycli', account, { linux: { store: 'secret-service' } });
  if (action === 'read') answer = { result: entry.getPassword() ?? undefined };
  else if (action === 'write') entry.setPassword(secret);
  else entry.deleteCredential();
} catch (error) {
  const missing = error.code === 'MODULE_NOT_FOUND' || /native binding/.test(error.message);
  answer = { why: missing ? 'the package @napi-rs/keyring is not installed' : error.message };
}
writeSync(1, JSON.stringify(answer));
`;

/**
 * Asks for an entry: what it holds, undefined for none. Rejects, with the reason in words, when the store cannot be used
 * or at the signal.
 */
export function openKeyring(env: Env) {
  return async (signal: AbortSignal, action: 'read' | 'write' | 'remove', account: string, secret?: string) => {
    // Started where this file is, so that no package of the working folder is taken for ours.
    const options = { env: { ...env, NODE_OPTIONS: '' }, folder: import.meta.dirname, signal };
    const input = JSON.stringify({ from: import.meta.url, action, account, secret });
    const { exit, out } = await capture([process.execPath, '-e', program], { ...options, input });
    if (exit !== 0) throw new Error(`its process exited with ${exit}`);
    const { result, why }: { result?: string; why?: string } = JSON.parse(Buffer.from(out).toString('utf8'));
    if (why !== undefined) throw new Error(why);
    return result;
  };
}
