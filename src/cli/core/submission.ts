import type { PaycliError } from '../../errors/index.js';
import type { Journal, Request, Sum } from '../../journal/port.js';
import type { Classified } from '../../payments/classify.js';
import { describe } from '../../payments/words.js';
import type { Unsigned } from '../../signing/index.js';
import { replyField } from '../../spec/index.js';
import type { Fields, OrderName } from '../format/meaning.js';
import type { GatewayContext } from '../gateway.js';
import type { Origins } from './live/confirmation-text.js';

/** What is known about a request besides its fields. */
export interface SendContext {
  /** Where each value came from. */
  readonly origins: Origins;
  /** The amount of its order, where the gateway told it. */
  readonly ofOrder: Sum | undefined;
  /** Called once the request may be sent, before it is; not for one that was sent before. */
  readonly announce: () => void;
}

/** A request in its open journal, as it is known now. */
export interface Recorded {
  readonly journal: Journal;
  request: Request;
  /** Storage that failed after something was sent: reported at the end, as the outcome must still be shown. */
  fault?: PaycliError;
  /** How its attempt ended, where that could not be recorded. */
  readonly unrecorded?: Classified['class'];
}

/** One request being sent. */
export interface Submission extends GatewayContext {
  readonly unsigned: Unsigned;
  /** Its journal entry; undefined for a read. */
  readonly record: Recorded | undefined;
  /** It was sent before, and nothing is sent now. */
  readonly isRepeat?: true;
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
    isRecorded: record !== undefined,
    flags: session.flags,
  };
}

/** The request in conflict: a person has to decide. */
export function conflictIn(requests: readonly Request[]): Request | undefined {
  return requests.find(({ state }) => state === 'conflict');
}

/**
 * Says that nothing is sent, and what to do where the user means another request. A second refund may be meant, so
 * --quiet must not hide this; a payment under the same id is meant as a repeat.
 */
export function warnSentBefore({ record, unsigned, report }: Submission, say: (which: string) => string): void {
  const { row, values } = unsigned;
  const what = record === undefined ? 'request' : describe(record.request);
  const again =
    values['amount'] === undefined
      ? '--again sends it again on purpose'
      : 'for a second one of the same amount, use --again';
  const hint = row.opens ? 'another payment needs an order id of its own' : again;
  const line = `${say(`${row.opens || record === undefined ? 'this' : 'an equal'} ${what}`)}; ${hint}`;
  if (row.opens) report.notes([`warning: ${line}`]);
  else report.warn([line]);
}
