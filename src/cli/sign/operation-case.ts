import type { KeyObject } from 'node:crypto';
import type { Runtime } from '../../runtime/ports.js';
import type { ControlCase, OauthCase } from '../../signing/diagnose/index.js';
import { type Fresh, requestSigning, type Unsigned } from '../../signing/index.js';
import type { Session } from '../session.js';
import { readOthers } from './others.js';

// A control is the same whatever these are.
const noFresh: Fresh = { nonce: '', timestamp: '' };

/** A request protected by a control, with its key and with what may have been taken for either. */
export async function controlCaseOf(unsigned: Unsigned, session: Session, runtime: Runtime): Promise<ControlCase> {
  const credentials = await session.credentials(unsigned.protection);
  const { stages } = requestSigning.sign(unsigned, credentials, session.assume, noFresh);
  const { slots, encoding } = stages.scheme === 'control' ? stages : { slots: [], encoding: 'hex-lower' as const };
  const others = await readOthers(session, runtime);
  const { amount, currency, email } = unsigned.values;
  const key = credentials.controlKey?.open() ?? '';
  return {
    slots,
    key,
    encoding,
    amountText: amount,
    currency,
    email,
    login: session.login,
    endpointId: unsigned.endpointId,
    otherEndpoints: others.endpoints.filter((id) => id !== unsigned.endpointId),
    otherKeys: others.keys.filter((other) => other.key !== key),
  };
}

/** A request signed by OAuth, with its key; a public key serves as well where RSA is used. */
export async function oauthCaseOf(unsigned: Unsigned, session: Session, fresh: Fresh, publicKey?: KeyObject): Promise<OauthCase> {
  const { url, pairs, protection } = unsigned;
  const common = { method: 'POST', url, body: pairs, consumerKey: session.login, ...fresh, hasVersion: true };
  if (protection.scheme === 'rsa-sha256' && publicKey !== undefined) return { ...common, signatureMethod: 'RSA-SHA256', publicKey };
  const { controlKey, privateKey } = await session.credentials(protection);
  if (protection.scheme === 'rsa-sha256') return { ...common, signatureMethod: 'RSA-SHA256', privateKey: privateKey?.keyObject };
  const keyForm = session.assume['hmac-key-encoding'] === 'raw' ? 'raw' : 'encoded';
  return { ...common, signatureMethod: 'HMAC-SHA1', secret: controlKey?.open(), tokenSecret: '', keyForm };
}
