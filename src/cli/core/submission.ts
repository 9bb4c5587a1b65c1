import { fail, type PaycliError } from '../../errors/index.js';
import type { Journal, Request } from '../../journal/port.js';
import { describe } from '../../payments/words.js';
import type { Unsigned } from '../../signing/index.js';
import { replyField } from '../../spec/index.js';
import { commandFor, type Fields, type OrderName } from '../format/meaning.js';
import type { GatewayContext } from '../gateway.js';
import type { Session } from '../session.js';

/** A request in its open journal, as it is known now. */
export interface Recorded {
  readonly journal: Journal;
  request: Request;
  /** Storage that failed after something was sent: reported at the end, as the outcome must still be shown. */
  fault?: PaycliError | undefined;
}

/** One request being sent. */
export interface Submission extends GatewayContext {
  readonly unsigned: Unsigned;
  /** Its journal entry, once there is one; undefined for a read. */
  record?: Recorded | undefined;
  /** It was sent before, and nothing is sent now. */
  isRepeat?: boolean;
  /**
   * When --wait gives up, by the monotonic clock: the time begins with the first call, once there is a reply or none.
   */
  readonly waitEnd: () => number;
}

/** The ids of its order, as far as they are known. */
export function nameOf({ unsigned, session, record }: Submission, fields: Fields): OrderName {
  return {
    orderId: replyField(fields, 'orderId') ?? unsigned.values['orderId'] ?? record?.request.orderId,
    clientOrderId: unsigned.values['clientOrderId'] ?? replyField(fields, 'clientOrderId'),
    flags: session.flags,
  };
}

/**
 * Says that nothing is sent, and what to do where the user means another request. A second refund may be meant, so
 * --quiet must not hide this; a payment under the same id is meant as a repeat.
 */
export function warnSentBefore({ unsigned, report }: Submission, request: Request, clause: string): void {
  const { opens } = unsigned.row;
  const hint = opens
    ? 'another payment needs an order id of its own'
    : 'if a second one is meant, --again sends it as well';
  const line = `${opens ? 'this' : 'an equal'} ${describe(request)} ${clause}; ${hint}`;
  if (opens) report.notes([`warning: ${line}`]);
  else report.warn([line]);
}

/** The error for storage that failed after a request was sent: it must not suggest sending again. */
export function faultAfterSending({ facts }: PaycliError, request: Request, { flags }: Session): PaycliError {
  const shown = `\`${commandFor('journal', request, flags)}\` shows it`;
  const settled = `\`${commandFor('resolve', request, flags)}\` brings it up to date`;
  const how = `the request was sent; do not send it again. Check the disk; then ${shown}, and ${settled}`;
  return fail('STORAGE', { ...facts, how });
}
