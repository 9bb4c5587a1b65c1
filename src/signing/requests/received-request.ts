import { type Assume, allOperations, type Operation } from '../../spec/index.js';
import { digitsOf, readAmount } from '../../wire/amount.js';
import { fieldsInForce, protectionOf, withLostPlusSigns } from '../../wire/check.js';
import { decodeForm } from '../../wire/form.js';
import type { Received, Unsigned } from '../schemes/request.js';
import { headerOf, type PastedRequest, urlOf } from './pasted-request.js';

/** The operation and the endpoint an address is of. */
export interface OperationPlace {
  readonly row: Operation;
  readonly endpointId: string;
}

/** Undefined when the interface has no such path. */
export function operationAt(url: string): OperationPlace | undefined {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  const cut = path.lastIndexOf('/');
  const row = allOperations.find((candidate) => path.slice(0, cut).endsWith(candidate.path));
  return row === undefined ? undefined : { row, endpointId: path.slice(cut + 1) };
}

/** A pasted request as the gateway would see it, and as it looked before it was signed. */
export interface ReceivedRequest {
  readonly received: Received;
  readonly unsigned: Unsigned;
  /** What is wrong with its body, where a plus sign was sent unencoded; the values have it. */
  readonly lostPlusSigns?: string;
}

/**
 * `baseUrl` says what a request that names only its host leaves open. Throws TEXT_INVALID for a body that is no form.
 */
export function receivedRequestFrom(
  pasted: PastedRequest,
  { row, endpointId }: OperationPlace,
  { assume, baseUrl }: { readonly assume: Assume; readonly baseUrl: string },
): ReceivedRequest {
  const { pairs, findings } = withLostPlusSigns(decodeForm(pasted.body), pasted.body, row, assume);
  const values = valuesIn(pairs, row, assume);
  const minor = minorOf(values, endpointId, assume);
  const common = {
    row,
    url: urlOf(pasted, baseUrl),
    endpointId,
    protection: protectionOf(row, assume),
    ...(minor === undefined ? {} : { minor }),
  };
  const authorization = headerOf(pasted, 'authorization');
  return {
    received: { ...common, pairs, ...(authorization === undefined ? {} : { authorization }) },
    unsigned: { ...common, values, pairs: pairs.filter(([name]) => name !== 'control' && !name.startsWith('oauth_')) },
    ...(findings.length === 0 ? {} : { lostPlusSigns: findings.join('; ') }),
  };
}

function valuesIn(
  pairs: readonly (readonly [name: string, value: string])[],
  row: Operation,
  assume: Assume,
): Record<string, string> {
  const first = new Map([...pairs].reverse());
  return Object.fromEntries(
    fieldsInForce(row, assume).flatMap(([key, { wire }]) => {
      const value = first.get(wire);
      return value === undefined || value === '' ? [] : [[key, value]];
    }),
  );
}

/** The amount of the body in minor units (A03, A04); undefined when there is none that can be read. */
function minorOf({ amount, currency }: Record<string, string>, endpointId: string, assume: Assume): string | undefined {
  if (amount === undefined) return undefined;
  if (assume['body-amount'] === 'minor') return /^[1-9]\d{0,15}$/.test(amount) ? amount : undefined;
  const reading = readAmount(amount, currency ?? '', digitsOf(currency ?? '', assume['minor-digits'], endpointId));
  return reading.ok ? String(reading.minor) : undefined;
}
