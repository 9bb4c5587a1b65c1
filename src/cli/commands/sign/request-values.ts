import type { NonceAndTimestamp, Unsigned } from '../../../signing/index.js';
import { maskPairs } from '../../../wire/redact.js';
import type { Resolved } from '../../fields/resolve.js';
import type { ShownValue } from '../../format/request.js';
import type { Session } from '../../session.js';

/** A request before it is signed, where its values came from, and the connection it would be sent over. */
interface RequestContext {
  readonly unsigned: Unsigned;
  readonly resolved: Resolved;
  readonly session: Session;
}

/** The fields of the body, in its order; card fields masked where asked for. */
export function fieldValues(
  { unsigned, resolved, session }: RequestContext,
  masksCards: boolean,
): readonly ShownValue[] {
  const pairs = masksCards ? maskPairs(unsigned.row, unsigned.pairs, { showAccounts: true }) : unsigned.pairs;
  const keyByWire = new Map(Object.entries(unsigned.row.fields).map(([key, field]) => [field.wire, key]));
  return pairs.map(([wire, value]): ShownValue => {
    const key = keyByWire.get(wire) ?? '';
    return {
      field: key,
      wire,
      value,
      origin: key === 'login' ? originOf('login', session) : (resolved.origins[key] ?? 'flag --field'),
    };
  });
}

/**
 * The values that are signed or sent outside the body: address, login, key, amount in minor units, nonce and timestamp
 * (seconds). `given` are the nonce and timestamp that the user set.
 */
export function connectionValues(
  { unsigned, session }: RequestContext,
  { nonce, timestamp }: NonceAndTimestamp,
  given: Partial<NonceAndTimestamp> = {},
): readonly ShownValue[] {
  const { scheme } = unsigned.protection;
  const endpoint = session.connection.find(
    ({ key, value }) => value === unsigned.endpointId && (key === 'endpoint-id' || key.startsWith('endpoints.')),
  );
  const address = {
    field: 'baseUrl',
    wire: '(address)',
    value: session.target(unsigned.endpointId).baseUrl,
    origin: originOf('base-url', session),
  };
  const path = {
    field: 'endpointId',
    wire: '(path)',
    value: unsigned.endpointId,
    origin: endpoint?.origin ?? `profile ${session.name}`,
  };
  if (scheme === 'none') return [address, path];
  const keyOrigin = originOf(scheme === 'rsa-sha256' ? 'private-key' : 'control-key', session);
  const key = { field: 'key', wire: '(key)', value: session.keyName(scheme), origin: keyOrigin };
  const minorUnits = {
    field: 'amount',
    wire: '(minor units)',
    value: unsigned.minor ?? '',
    origin: 'amount and currency, derived',
  };
  const login = { field: 'login', wire: '(login)', value: session.login, origin: originOf('login', session) };
  if (scheme === 'control') return [address, path, login, key, ...(unsigned.minor === undefined ? [] : [minorUnits])];
  return [
    address,
    path,
    key,
    { ...login, wire: 'oauth_consumer_key' },
    {
      field: 'nonce',
      wire: 'oauth_nonce',
      value: nonce,
      origin: given.nonce === undefined ? 'random, new each time' : 'flag --nonce',
    },
    {
      field: 'timestamp',
      wire: 'oauth_timestamp',
      value: timestamp,
      origin: given.timestamp === undefined ? 'the clock of this machine' : 'flag --timestamp',
    },
  ];
}

/** Where a value of the connection came from: the row that is in force, else the profile. */
function originOf(key: string, session: Session): string {
  return session.connection.find((row) => row.key === key)?.origin ?? `profile ${session.name}`;
}
