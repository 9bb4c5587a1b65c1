import type { Pair } from '../../wire/form.js';
import { number } from '../columns.js';
import { maskedAuthorization, maskedFields, maskedText, mostFields } from '../log/masked.js';
import { shownMethod, shownPath } from '../log/paths.js';
import type { Store } from '../store.js';
import { control } from './control.js';
import { address, headers } from './envelope.js';
import { fields, moves } from './fields.js';
import { oauth } from './oauth.js';
import type { ShownRequest } from './occurrence.js';
import { type Detector, mostOfOne, type Seen, type Sighting } from './seen.js';

export const findingTables = `
  CREATE TABLE findings (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, rule TEXT NOT NULL, detail TEXT NOT NULL,
    login TEXT, order_name TEXT, request TEXT NOT NULL
  );
`;

const mostFindings = 10_000;
const sweptEvery = 500;

const detectors: readonly Detector[] = [address, headers, fields, control, oauth, moves];

/** Looks for the reasons behind a refusal and keeps what it finds, at the time of the machine. The newest 10,000 are kept. */
export function noteFindings(store: Store, seen: Seen): void {
  const sightings = detectors.flatMap((detect) => sightingsOf(detect, seen, store)).slice(0, mostOfOne);
  if (sightings.length === 0) return;
  const about = { login: seen.login, orderName: orderName(seen), request: requestOf(seen) };
  for (const each of sightings) keepSighting(store, each, about);
}

interface About {
  readonly login?: string | undefined;
  readonly orderName?: string | undefined;
  /** Masked already; undefined when it could not be read. */
  readonly request: ShownRequest | undefined;
}

export function keepSighting({ database, machine }: Store, { rule, detail }: Sighting, { login, orderName, request }: About): void {
  const row = database.get(
    'INSERT INTO findings (at, rule, detail, login, order_name, request) VALUES (?, ?, ?, ?, ?, ?) RETURNING id',
    machine.now(),
    rule,
    maskedText(detail),
    login ?? null,
    orderName ?? null,
    JSON.stringify(request ?? null),
  );
  const id = number(row ?? {}, 'id');
  if (id % sweptEvery === 0) database.run('DELETE FROM findings WHERE id <= ?', id - mostFindings);
}

/** The report card must never be the reason why a request is answered otherwise. */
function sightingsOf(detect: Detector, seen: Seen, store: Store): readonly Sighting[] {
  try {
    return detect(seen, store);
  } catch {
    return [];
  }
}

function orderName({ orderId, pairs }: Seen): string | undefined {
  const sent = pairs.find(([name]) => name === 'client_orderid' || name === 'client-order-id')?.[1];
  return orderId ?? (sent === undefined ? undefined : maskedText(sent));
}

/** The request as it may be shown. */
function requestOf({ request, route, pairs }: Seen): ShownRequest {
  const { accept, 'content-type': contentType, authorization } = request.headers;
  return {
    line: `${shownMethod(request)} ${shownPath(request)}`,
    headers: [
      ...header('Accept', accept, maskedText),
      ...header('Content-Type', contentType, maskedText),
      ...header('Authorization', authorization, maskedAuthorization),
    ],
    fields: maskedFields(route?.row, pairs.slice(0, mostFields)),
  };
}

function header(name: string, value: string | undefined, mask: (value: string) => string): Pair[] {
  return value === undefined ? [] : [[name, mask(value)]];
}
