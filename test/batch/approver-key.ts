import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes an Ed25519 key pair of an approver: `NAME.pem`, for its owner alone, and the public half `NAME.pub`. Gives
 * that half as DER.
 */
export function writeApproverKey(folder: string, name: string): Buffer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(folder, `${name}.pem`), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  writeFileSync(join(folder, `${name}.pub`), publicKey.export({ type: 'spki', format: 'pem' }));
  return publicKey.export({ type: 'spki', format: 'der' });
}
