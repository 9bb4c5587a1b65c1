import type { State } from '../journal/index.js';
import type { Classified } from '../payments/classify.js';

/** Why no further row is begun. */
export interface Halt {
  /** A whole clause. */
  readonly why: string;
  /** False when asking the gateway makes no sense either. */
  readonly mayAsk: boolean;
}

const mostInRow = 5;
const windowSize = 200;

/** Stops a batch that goes wrong before it goes wrong for all rows. */
export class Breaker {
  readonly #mostUnknown: number;
  #unknownInRow = 0;
  #unsentInRow = 0;
  readonly #window: boolean[] = [];

  /** `mostUnknown` is the share of unknown outcomes among the last 200 that is still borne. */
  constructor(mostUnknown: number) {
    this.#mostUnknown = mostUnknown;
  }

  /** Takes what came of a row into account; gives the reason to stop, if there is one now. */
  note(state: State, { status, isOfAnother }: Classified): Halt | undefined {
    const isUnknown = state === 'unknown';
    this.#unknownInRow = isUnknown ? this.#unknownInRow + 1 : 0;
    this.#unsentInRow = state === 'not_sent' ? this.#unsentInRow + 1 : 0;
    this.#window.push(isUnknown);
    if (this.#window.length > windowSize) this.#window.shift();
    if (status === 401 || status === 403 || status === 404)
      return { why: `the gateway answered ${status}: login, keys, endpoint or address are wrong`, mayAsk: false };
    if (isOfAnother === true) return { why: 'the gateway answered about another order than the one it was sent', mayAsk: true };
    if (this.#unknownInRow >= mostInRow) return { why: `the outcomes of ${mostInRow} rows in a row are unknown`, mayAsk: true };
    if (this.#unsentInRow >= mostInRow) return { why: `${mostInRow} rows in a row could not be sent`, mayAsk: true };
    const unknown = this.#window.filter(Boolean).length;
    if (this.#window.length === windowSize && unknown / windowSize > this.#mostUnknown)
      return { why: `the outcomes of ${unknown} of the last ${windowSize} rows are unknown`, mayAsk: true };
    return undefined;
  }
}

/** Whether what the gate refuses says nothing about the rows that follow. */
export function concernsOneRow(code: string): boolean {
  return code === 'INTENT_DIFFERS' || code === 'ORDER_BUSY' || code === 'SAME_CONTENT_OPEN' || code === 'SAME_CONTENT_SENT';
}

const usualMs = 5000;
const mostMs = 60_000;

/** How long a gateway that answers 429 or 503 is left alone; undefined for another answer. */
export function retryAfter(status: number, header: string | readonly string[] | undefined, now: number): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const text = typeof header === 'string' ? header : '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, mostMs);
  const asked = Date.parse(text) - now;
  return asked > 0 ? Math.min(asked, mostMs) : usualMs;
}
