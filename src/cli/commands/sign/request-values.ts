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
  const row = (field: string, wire: string, value: string, origin: string): ShownValue => ({
    field,
    wire,
    value,
    origin,
  });
  const { baseUrl } = session.target(unsigned.endpointId);
  const address = row('baseUrl', '(address)', baseUrl, originOf('base-url', session));
  const path = row('endpointId', '(path)', unsigned.endpointId, endpoint?.origin ?? `profile ${session.name}`);
  if (scheme === 'none') return [address, path];
  const keyOrigin = originOf(scheme === 'rsa-sha256' ? 'private-key' : 'control-key', session);
  const key = row('key', '(key)', session.keyName(scheme), keyOrigin);
  const login = row('login', '(login)', session.login, originOf('login', session));
  if (scheme === 'control') {
    if (unsigned.minor === undefined) return [address, path, login, key];
    return [address, path, login, key, row('amount', '(minor units)', unsigned.minor, 'amount and currency, derived')];
  }
  const nonceOrigin = given.nonce === undefined ? 'random, new each time' : 'flag --nonce';
  const timeOrigin = given.timestamp === undefined ? 'the clock of this machine' : 'flag --timestamp';
  return [
    ...[address, path, key, { ...login, wire: 'oauth_consumer_key' }],
    row('nonce', 'oauth_nonce', nonce, nonceOrigin),
    row('timestamp', 'oauth_timestamp', timestamp, timeOrigin),
  ];
}

/** Where a value of the connection came from: the row that is in force, else the profile. */
function originOf(key: string, session: Session): string {
  return session.connection.find((row) => row.key === key)?.origin ?? `profile ${session.name}`;
}
