import { failureFacts } from '../payments/failure.js';
import type { Watched } from '../payments/gateway-connection.js';
import { queryStatus } from '../payments/status-query.js';
import { replyField } from '../spec/index.js';
import { digitsOf, readAmount } from '../wire/amount.js';
import type { BatchConnection } from './connection.js';
import type { BatchRow } from './plan.js';

/**
 * Whether the gateway still holds a payout as it validated it: asked right before it is paid. Gives the reason against it, as a
 * whole clause; undefined where there is none.
 */
export async function changedSinceCheck(row: BatchRow, connection: BatchConnection, watched: Watched): Promise<string | undefined> {
  const { endpointId, values, sum } = row;
  const about = { endpointId, orderId: values['orderId'], clientOrderId: values['clientOrderId'] };
  const classified = await queryStatus(connection, about, watched);
  const { class: kind, fields } = classified;
  if (kind !== 'accepted' || fields === undefined) return `the gateway does not confirm its check: ${failureFacts(classified).why}`;
  // A29
  const stage = fields.get('order-stage')?.toLowerCase() ?? '';
  if (stage !== 'payout_check_validated')
    return `the gateway has it as ${stage === '' ? (replyField(fields, 'status') ?? 'unknown') : stage}, not as checked`;
  if (sum === undefined) return undefined;
  const currency = fields.get('currency') ?? sum.currency;
  const amount = fields.get('amount');
  if (amount === undefined) return undefined;
  const reading = readAmount(amount, currency, digitsOf(currency, connection.assume['minor-digits'], endpointId));
  const isSame = reading.ok && reading.minor === BigInt(sum.minor) && currency === sum.currency;
  return isSame ? undefined : 'the gateway has it with another amount than the one that was checked';
}
