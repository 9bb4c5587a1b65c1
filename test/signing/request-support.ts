import {
  type Credentials,
  type Merchant,
  type NonceAndTimestamp,
  type Received,
  readPrivateKey,
  readPublicKey,
  Secret,
  type SignedRequest,
  type Unsigned,
} from '../../src/signing/index.js';
import { type Assume, assumeDefaults, type Operation } from '../../src/spec/index.js';
import { allOperations } from '../../src/spec/operations/index.js';
import { decodeForm, type Pair } from '../../src/wire/form.js';
import { controls, pem } from './support.js';

const key = readPrivateKey(pem('test-rsa-2048.pkcs8'));

export const credentials: Credentials = {
  login: controls.login,
  controlKey: new Secret(controls.controlKey),
  privateKey: key,
};
export const merchant: Merchant = {
  login: controls.login,
  controlKey: new Secret(controls.controlKey),
  publicKey: readPublicKey(pem('test-rsa-2048.public')).keyObject,
};
export const fresh: NonceAndTimestamp = { nonce: 'nonce000000000000000000000000017', timestamp: '1700000000' };
export const withSwitch = (name: keyof Assume, value: string): Assume => ({ ...assumeDefaults, [name]: value });

export function rowOf(id: string): Operation {
  const row = allOperations.find((candidate) => candidate.id === id);
  if (row === undefined) throw new Error(`no row ${id}`);
  return row;
}

export function unsignedOf(id: string, values: Record<string, string>, minor?: string): Unsigned {
  const row = rowOf(id);
  if (row.protection.scheme === 'switched') throw new Error(`${id} is switched`);
  const pairs = Object.entries(values).map(([name, value]): Pair => [row.fields[name]?.wire ?? name, value]);
  const url = `https://gateway.example/paynet${row.path}/${controls.endpointId}`;
  const unsigned = { row, url, endpointId: controls.endpointId, protection: row.protection, values, pairs };
  return minor === undefined ? unsigned : { ...unsigned, minor };
}

/** The request as a server would find it: the body decoded from its text, the header beside it. */
export function received(unsigned: Unsigned, signed: SignedRequest): Received {
  const { row, endpointId, protection, minor } = unsigned;
  const authorization = signed.headers['Authorization'];
  return {
    row,
    endpointId,
    protection,
    url: signed.url,
    pairs: decodeForm(signed.body),
    ...(authorization === undefined ? {} : { authorization }),
    ...(minor === undefined ? {} : { minor }),
  };
}
