import type { PaycliError } from '../errors/index.js';
import type { State } from '../journal/states.js';
import type { Classified } from '../payments/classify.js';
import { failureFacts, isLastingFailure } from '../payments/failure.js';

/** Why a run sends no further row. */
export interface Halt {
  /** A whole clause. */
  readonly why: string;
  /** False when status queries would fail as well. */
  readonly mayQuery: boolean;
  /** How the run ends, whatever its rows came to. */
  readonly exit?: number;
}

const maxConsecutive = 5;

/** How many outcomes, the newest ones, the share of unknown ones is taken of. */
const breakerWindow = 200;

/** Watches the outcomes of the rows of a run, and says when to stop it before it goes wrong for all of them. */
export class CircuitBreaker {
  readonly #maxUnknown: number;
  /** Newest first. */
  readonly #outcomes: State[] = [];

  /** `maxUnknown` is the share of unknown outcomes, from 0 to 1, that is accepted among the newest ones. */
  constructor(maxUnknown: number) {
    this.#maxUnknown = maxUnknown;
  }

  /** Takes the outcome of a row into account; the reason to stop, if there is one now. */
  record(state: State, { status, isOfAnother }: Classified): Halt | undefined {
    this.#outcomes.unshift(state);
    this.#outcomes.splice(breakerWindow);
    if (status === 401 || status === 403 || status === 404) {
      const why = `the gateway answered ${status}: check login, keys, endpoint and address`;
      return { why, mayQuery: false };
    }
    const why = isOfAnother === true ? 'the gateway replied about a different order from the one sent' : this.#reason();
    return why === undefined ? undefined : { why, mayQuery: true };
  }

  #reason(): string | undefined {
    const newest = this.#outcomes;
    const areConsecutive = (state: State) =>
      newest.length >= maxConsecutive && newest.slice(0, maxConsecutive).every((each) => each === state);
    if (areConsecutive('unknown')) return `${maxConsecutive} consecutive rows have an unknown outcome`;
    if (areConsecutive('not_sent')) return `${maxConsecutive} consecutive rows could not be sent`;
    const unknown = newest.filter((state) => state === 'unknown').length;
    if (newest.length < breakerWindow || unknown / breakerWindow <= this.#maxUnknown) return undefined;
    return `the outcomes of ${unknown} of the last ${breakerWindow} rows are unknown`;
  }
}

/** Why a run stops after a status query that failed in a way that waiting does not change; undefined after another. */
export function haltAfterQuery(failure: Classified | undefined): Halt | undefined {
  if (failure === undefined || !isLastingFailure(failure)) return undefined;
  const { why, check = 'check login, keys, endpoint and address' } = failureFacts(failure);
  return { why: `a status query failed: ${why}; ${check}`, mayQuery: false };
}

/** Why a row was not sent, and whether that is about this row alone; a cap, say, stops all that follow. */
export function rejectionFacts({ code, message, facts }: PaycliError): { why: string; isOfOneRow: boolean } {
  // That the batch is not complete goes without saying at the end of its run.
  const why = code === 'BATCH_LEFT' ? String(facts['why']) : message;
  return { why, isOfOneRow: codesOfOneRow.has(code) };
}

const codesOfOneRow: ReadonlySet<string> = new Set([
  'ORDER_ID_USED',
  'ORDER_BUSY',
  'SAME_CONTENT_OPEN',
  'SAME_CONTENT_SENT',
]);

const defaultRetryMs = 5000;
const maxRetryMs = 60_000;

/**
 * For how many milliseconds nothing is sent to a gateway that answers 429 or 503, at most a minute, by its Retry-After:
 * seconds or a date (RFC 9110, 10.2.3). Undefined for another status.
 */
export function retryAfter(
  status: number,
  header: string | readonly string[] | undefined,
  now: number,
): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const text = typeof header === 'string' ? header : '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, maxRetryMs);
  const untilDate = Date.parse(text) - now;
  return untilDate > 0 ? Math.min(untilDate, maxRetryMs) : defaultRetryMs;
}
