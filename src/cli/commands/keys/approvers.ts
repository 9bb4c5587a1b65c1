import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { Approvers } from '../../../batch/plan/approval.js';
import { isInlineKey, readApprovers } from '../../../config/index.js';
import { fail, type PaycliError, shellWord } from '../../../errors/index.js';
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
  if (key.asymmetricKeyType !== 'ed25519') throw approverKeyNotEd25519(source);
  return key;
}

/** The private key of an approver. Throws SECRET_UNREADABLE or KEY_UNUSABLE. */
export function approverKey(written: string, runtime: Runtime): KeyObject {
  const path = pathOf(written, runtime);
  const { bytes } = readKeyFile(written, runtime);
  const facts = runtime.files.facts(path);
  if (facts === undefined || (facts.mode & 0o077) !== 0 || !facts.ownedByUser)
    throw fail('SECRET_UNREADABLE', {
      what: `key file ${path}`,
      why: 'other users can read it',
      how: `run \`chmod 600 ${shellWord(path, 'PATH')}\``,
      path,
    });
  const key = tried(() => createPrivateKey(Buffer.from(bytes)), path);
  if (key.asymmetricKeyType !== 'ed25519') throw approverKeyNotEd25519(path);
  return key;
}

function tried(read: () => KeyObject, source: string): KeyObject {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'SECRET_UNREADABLE') throw cause;
    throw fail('KEY_UNUSABLE', { source, why: 'it is not an unencrypted private key in PEM' }, { cause });
  }
}

function approverKeyNotEd25519(source: string): PaycliError {
  return fail('KEY_UNUSABLE', {
    source,
    why: 'it is not an Ed25519 key; make one with `openssl genpkey -algorithm ed25519 -out approver.pem`, and print its public key with `openssl pkey -in approver.pem -pubout`',
  });
}
