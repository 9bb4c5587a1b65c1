import { type Merchant, type Received, readPublicKey, requestSigning } from '../../signing/index.js';
import { minorText } from '../../wire/amount.js';
import { Secret } from '../../wire/secret.js';
import { Refusal } from '../refusal.js';
import type { Checked, SandboxRequest } from '../request.js';
import type { Store } from '../store.js';

/** Verifies the protection of a request and uses up its nonce. Throws a Refusal that says which recipe is expected. */
export function checkSignature(store: Store, request: SandboxRequest, checked: Checked): void {
  const { protection, terms } = checked;
  const verdict = requestSigning.verify(receivedOf(request, checked), keysOf(checked), terms.assume);
  if (!verdict.ok && protection.scheme === 'control') throw new Refusal('control', `INVALID_CONTROL_CODE: ${verdict.detail}`);
  if (!verdict.ok)
    throw new Refusal('oauth', `${verdict.detail} (this operation is signed with OAuth 1.0a, ${protection.scheme.toUpperCase()})`);
  if (verdict.nonce !== undefined) useNonce(store, checked, verdict.nonce, Number(verdict.timestamp));
}

/** A checked request as signing sees it. */
export function receivedOf(request: SandboxRequest, { route, protection, pairs, amount }: Checked): Received {
  const authorization = request.headers['authorization'];
  return {
    row: route.row,
    url: request.url,
    protection,
    endpointId: route.endpointId,
    pairs,
    ...(authorization === undefined ? {} : { authorization }),
    ...(amount === undefined ? {} : { minor: minorText(amount) }),
  };
}

/** The keys its signature is held against. */
export function keysOf({ merchant, protection }: Checked): Merchant {
  return {
    login: merchant.login,
    controlKey: new Secret(merchant.controlKey),
    ...(merchant.publicKeyPem === undefined || protection.scheme !== 'rsa-sha256'
      ? {}
      : { publicKey: readPublicKey(merchant.publicKeyPem).keyObject }),
  };
}

/** A23: a timestamp near the clock of this machine, and a nonce no earlier request of this merchant had. */
function useNonce({ database, machine }: Store, { merchant, terms }: Checked, nonce: string, stamp: number): void {
  const window = Number(terms.assume['oauth-window']);
  const now = Math.floor(machine.now() / 1000);
  const off = Math.abs(now - stamp);
  if (off > window)
    throw new Refusal('oauth', `oauth_timestamp is ${off} seconds away from the clock of the sandbox; at most ${window} are allowed`);
  database.run('DELETE FROM nonces WHERE stamp < ?', now - window);
  const { changes } = database.run('INSERT OR IGNORE INTO nonces VALUES (?, ?, ?)', merchant.login, nonce, stamp);
  if (changes === 0) throw new Refusal('oauth', 'oauth_nonce was used before; each attempt takes a new one');
}
