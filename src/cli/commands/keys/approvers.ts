import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { Approvers } from '../../../batch/plan/approval.js';
import { isInlineKey, readApprovers } from '../../../config/index.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { pathOf, readKeyFile } from './key-files.js';

/** The public keys of those who may approve, from the user's own file. Throws SECRET_UNREADABLE or KEY_UNUSABLE. */
export async function approversOf(runtime: Pick<Runtime, 'env' | 'files'>): Promise<Approvers> {
  const written = await readApprovers(runtime);
  return new Map([...written].map(([name, text]) => [name, publicKey(name, text, runtime)]));
}

function publicKey(name: string, text: string, runtime: Pick<Runtime, 'files'>): KeyObject {
  const source = `of approver ${name}`;
  const key = tried(() => {
    if (isInlineKey(text)) return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return createPublicKey(Buffer.from(readKeyFile(text, runtime).bytes));
  }, source);
  if (key.asymmetricKeyType !== 'ed25519') throw fail('approverKeyNotEd25519', { source });
  return key;
}

/** The private key of an approver. Throws SECRET_UNREADABLE or KEY_UNUSABLE. */
export function approverKey(written: string, runtime: Runtime): KeyObject {
  const path = pathOf(written, runtime);
  const { bytes } = readKeyFile(written, runtime);
  const facts = runtime.files.facts(path);
  if (facts === undefined || (facts.mode & 0o077) !== 0 || !facts.ownedByUser)
    throw fail('approverKeyExposed', { path });
  const key = tried(() => createPrivateKey(Buffer.from(bytes)), path);
  if (key.asymmetricKeyType !== 'ed25519') throw fail('approverKeyNotEd25519', { source: path });
  return key;
}

function tried(read: () => KeyObject, source: string): KeyObject {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'SECRET_UNREADABLE') throw cause;
    throw fail('approverKeyUnreadable', { source }, { cause });
  }
}
