import { decideFollowUp } from '../payments/decide.js';
import { type Sent, send } from '../payments/send.js';
import { describe, stateClause } from '../payments/words.js';
import type { Delivery } from '../runtime/ports.js';
import { payoutPay } from '../spec/index.js';
import { revalidatePayout } from './pay.js';
import { type BatchRow, requestOf } from './rows.js';
import type { RunPorts } from './run-ports.js';

interface SendRowOptions {
  readonly received: (delivery: Delivery) => void;
  /** A person agreed that it is sent once more. */
  readonly isResend: boolean;
}

/**
 * Sends a row as it was planned; or says why it is left, undefined where that was the user's wish. Throws what `send`
 * throws, BATCH_REFUSED where the row is no longer what was planned, and CAP_EXCEEDED.
 */
export async function sendRow(
  row: BatchRow,
  { journal, connection, stop, abort, batch, limitsOf, onSend }: RunPorts,
  { received, isResend }: SendRowOptions,
): Promise<Sent | { readonly left: string | undefined }> {
  const { request } = row;
  const unsigned = requestOf(row, connection, journal);
  const isPayout = connection.row.id === payoutPay.id;
  if (isPayout && !(await revalidatePayout(row, connection, { signal: stop }))) return { left: undefined };
  const followUp = request.kind === 'follow-up' ? await decideFollowUp(journal, request, false) : undefined;
  if (followUp !== undefined && followUp.do !== 'send') {
    const { earlier } = followUp;
    return { left: `an equal one was sent already: ${describe(earlier)} ${stateClause(earlier.state)}` };
  }
  return send(
    {
      ...{ unsigned, wanted: request, first: undefined },
      decision: {
        ...{ do: 'send', earlier: request, attemptsOnOrder: followUp?.attemptsOnOrder },
        isResend: isResend || undefined,
      },
      limits: { ...(await limitsOf(unsigned, request)), batch },
    },
    journal,
    connection,
    { signal: abort, received, begun: () => onSend?.() },
  );
}
