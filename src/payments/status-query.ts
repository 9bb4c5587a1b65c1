import type { Unsigned } from '../signing/index.js';
import { statusQuery } from '../spec/index.js';
import type { Classified } from './classify.js';
import { compose, type Target } from './compose.js';
import { exchange } from './exchange.js';
import { exchangeOptions, type GatewayConnection, type Watched } from './gateway-connection.js';

export interface StatusQuery {
  readonly endpointId: string;
  readonly orderId: string | undefined;
  readonly clientOrderId: string | undefined;
  /** Asks about the one request whose reply had this serial number (A42). */
  readonly bySerial?: string | undefined;
}

export function statusRequest({ endpointId, ...ids }: StatusQuery, target: (endpointId: string) => Target): Unsigned {
  const given = Object.entries(ids).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return compose(statusQuery, Object.fromEntries(given), [], target(endpointId));
}

/** Queries status once. */
export async function queryStatus(
  connection: GatewayConnection,
  query: StatusQuery,
  watched: Watched,
): Promise<Classified> {
  const request = statusRequest(query, (endpointId) => connection.target(endpointId));
  const credentials = await connection.credentials(request.protection);
  return exchange(request, credentials, connection.ports, exchangeOptions(connection, watched));
}
