import { fail } from '../errors/index.js';
import type { Classified } from '../payments/classify.js';
import { compose } from '../payments/compose.js';
import { defaultLimits, exchange } from '../payments/exchange.js';
import { failureFacts } from '../payments/failure.js';
import type { Runtime } from '../runtime/ports.js';
import type { Unsigned } from '../signing/index.js';
import { type OperationId, operationById } from '../spec/index.js';
import type { Fields } from './present/meaning.js';
import { adviceAfterRefusal } from './present/refusal.js';
import type { Session } from './session.js';

/** One order, by either id or both. */
export interface OrderIds {
  readonly orderId: string | undefined;
  readonly clientOrderId: string | undefined;
}

/** A request about an order, ready to be sent. Values left out are not sent. */
export function composeForOrder(
  id: OperationId,
  values: Readonly<Record<string, string | undefined>>,
  { endpointFor, target }: Session,
): Unsigned {
  const row = operationById(id);
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return compose(row, Object.fromEntries(given), [], target(endpointFor(row, undefined)));
}

/** The status fields of an order, without showing them. Throws REFUSED or READ_FAILED. */
export async function fetchStatus({ orderId, clientOrderId }: OrderIds, session: Session, runtime: Runtime): Promise<Fields> {
  return sendSilently(composeForOrder('STATUS', { orderId, clientOrderId }, session), session, runtime);
}

/** Sends a request and gives the accepted reply. Throws REFUSED, READ_FAILED or OUTCOME_UNKNOWN. */
export async function sendSilently(unsigned: Unsigned, session: Session, runtime: Runtime): Promise<Fields> {
  const ports = { transport: await session.transport(), clock: runtime.clock, random: runtime.random };
  const credentials = await session.credentials(unsigned.protection);
  const classified = await exchange(unsigned, credentials, ports, { assume: session.assume, limits: defaultLimits });
  if (classified.class === 'accepted' && classified.fields !== undefined) return classified.fields;
  throw refusal(classified, unsigned, session);
}

function refusal(classified: Classified, unsigned: Unsigned, session: Session): Error {
  const { class: kind, reason } = classified;
  const facts = failureFacts(classified);
  if (kind === 'refused') return fail('REFUSED', { ...facts, how: adviceAfterRefusal(classified, unsigned, session) });
  if (kind === 'not-sent') return fail('NOT_SENT', { why: reason });
  if (unsigned.row.effect === 'read') return fail('READ_FAILED', { ...facts });
  return fail('OUTCOME_UNKNOWN', { ...facts, why: reason, how: 'paycli status' });
}
