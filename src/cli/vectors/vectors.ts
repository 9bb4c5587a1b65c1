import { type ControlStages, type Fresh, type OauthStages, percentEncode, requestSigning, Secret } from '../../signing/index.js';
import { type Assume, assumeDefaults, type Operation } from '../../spec/index.js';
import type { VectorKeys } from './keys.js';
import { controlNeighbours, oauthNeighbours } from './neighbours.js';
import { requestsFor, type VectorRequest } from './requests.js';
import type { Seeded } from './seeded.js';

/** A request with its signature; further keys hold the rest. */
export interface Vector {
  readonly id: string;
  readonly about: string;
  readonly scheme: string;
}

/** The vectors of one operation, signed in each way that an assumption leaves open. */
export function vectorsOf(row: Operation, keys: VectorKeys, seeded: Seeded): readonly Vector[] {
  const { protection } = row;
  const settings = protection.scheme === 'switched' ? Object.keys(protection.values).map((value) => ({ [protection.by]: value })) : [{}];
  return settings.flatMap((setting) =>
    requestsFor(row, { ...assumeDefaults, ...setting }, seeded).map((request) => ({
      id: request.id,
      operation: row.id,
      about: request.about,
      assume: setting,
      scheme: request.unsigned.protection.scheme,
      ...signed(request, { ...assumeDefaults, ...setting }, keys, seeded),
    })),
  );
}

/** A request with everything that goes into its signature. */
interface Signing extends VectorRequest {
  readonly keys: VectorKeys;
  readonly controlKey: string;
  readonly fresh: Fresh;
}

function signed(request: VectorRequest, assume: Assume, keys: VectorKeys, seeded: Seeded): object {
  const { id, unsigned, login } = request;
  const controlName = request.style === 'plain' ? 'uuid' : 'reserved';
  const keyName = unsigned.protection.scheme === 'rsa-sha256' ? 'rsa' : controlName;
  const controlKey = keys[controlName];
  const fresh = { nonce: seeded.hex(`${id}/nonce`, 32), timestamp: String(1_893_456_000 + seeded.below(`${id}/timestamp`, 86_400)) };
  const credentials = { login, controlKey: new Secret(controlKey), privateKey: keys.rsa };
  const { stages, body } = requestSigning.sign(unsigned, credentials, assume, fresh);
  const sent = { method: 'POST', url: unsigned.url, login, endpointId: unsigned.endpointId, fields: unsigned.pairs };
  if (stages.scheme === 'none') return { request: sent, result: { body } };
  const signing: Signing = { ...request, keys, controlKey, fresh };
  const parts = stages.scheme === 'control' ? controlParts(stages, signing) : oauthParts(stages, signing);
  const { more, result, wrong } = parts;
  return { request: { ...sent, key: keyName, ...more }, stages: parts.stages, result: { ...result, body }, wrong };
}

function controlParts({ slots, string, length, encoding, digest }: ControlStages, { unsigned, login, controlKey, keys }: Signing) {
  const { minor, values, endpointId } = unsigned;
  const { amount: amountText, currency, email } = values;
  const others = { otherEndpoints: [String(Number(endpointId) + 1)], otherKeys: [{ name: 'another merchant', key: keys.other }] };
  const given = { slots, key: controlKey, encoding, amountText, currency, email, login, endpointId, ...others };
  return {
    more: minor === undefined ? {} : { amountInMinorUnits: minor },
    stages: { slots: slots.map(({ wire, value }) => [wire, value]), string, bytes: length, encoding },
    result: { control: digest },
    wrong: controlNeighbours(given, digest).map(({ name, variant, result }) => ({ name, variant, control: result })),
  };
}

function oauthParts(stages: OauthStages, { unsigned, login, controlKey, keys, fresh }: Signing) {
  const { encoded, sorted, parts, baseString, signature, header } = stages;
  const isRsa = stages.scheme === 'rsa-sha256';
  const signatureMethod = isRsa ? 'RSA-SHA256' : 'HMAC-SHA1';
  const common = { method: 'POST', url: unsigned.url, body: unsigned.pairs, consumerKey: login, ...fresh, hasVersion: true };
  const key = isRsa ? { privateKey: keys.rsa.keyObject } : { secret: controlKey };
  return {
    more: { ...fresh, signatureMethod, version: '1.0' },
    stages: { encoded, sorted, parts, baseString, ...(isRsa ? {} : { signingKey: `${percentEncode(controlKey)}&` }) },
    result: { signature, authorization: header },
    wrong: oauthNeighbours({ ...common, ...key, signatureMethod }, signature).map(({ name, variant, result }) => ({
      name,
      variant,
      signature: result,
    })),
  };
}
