import type { IntentPlace, NewIntent } from '../journal/index.js';
import { compose } from '../payments/compose.js';
import type { GatewayConnection } from '../payments/gateway-connection.js';
import { type EntryPlace, entryKind, journalEntryOf } from '../payments/journal-entry.js';
import type { Unsigned } from '../signing/index.js';
import type { Operation } from '../spec/index.js';
import type { BatchRow } from './plan.js';

/** All that the rows of a batch have in common. */
export interface BatchConnection extends GatewayConnection {
  readonly row: Operation;
  readonly place: EntryPlace;
  /** The keyed hash of the journal, or of the gate. */
  hash(parts: readonly string[]): string;
}

type RowContent = Pick<BatchRow, 'values' | 'endpointId'>;

/** The request of a row. */
export function unsignedOf(
  { row: operation, target }: Pick<BatchConnection, 'row' | 'target'>,
  row: RowContent,
): Unsigned {
  return compose(operation, row.values, [], target(row.endpointId));
}

/** What the journal keeps of a row. */
export function intentForRow(
  connection: Pick<BatchConnection, 'row' | 'target' | 'place' | 'hash'>,
  row: RowContent,
): NewIntent {
  const intent = journalEntryOf(unsignedOf(connection, row), connection.place, connection.hash);
  if (intent === undefined) throw new Error('a read is not recorded');
  return intent;
}

/** Where the journal has requests on the order of a row: by the ids that identify an operation of this kind. */
export function orderPlaceOf(operation: Operation, { values, endpointId }: RowContent, base: string): IntentPlace {
  const { clientOrderId, orderId } = values;
  return {
    ...{ kind: entryKind(operation, orderId), base, endpointId, operation: operation.id, clientOrderId },
    orderId: operation.opens ? undefined : orderId,
  };
}
