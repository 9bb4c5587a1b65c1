import type { Classified } from '../gateway/classify.js';
import type { Clock } from '../runtime/ports.js';
import { replyField } from '../spec/index.js';
import type { OrderIds } from './asking.js';
import { durationText } from './present/time.js';
import type { Talk } from './talk.js';

export interface WaitingLine {
  /** Counts a question and keeps what status answered. */
  asked(answer: Classified): Classified;
  /** The pause before the next question begins. */
  pausing(ms: number): void;
  /** Takes the line away. */
  end(): void;
}

/** A line on a terminal while somebody waits for an order: what status said last, and when it is asked next. */
export function showWaiting(order: OrderIds, { report, runtime }: Pick<Talk, 'report' | 'runtime'>): WaitingLine {
  const { clock } = runtime;
  const name = order.orderId ?? order.clientOrderId ?? '';
  let word: string | undefined;
  let count = 0;
  let next = 0;
  const text = () => {
    const left = next - clock.monotonic();
    const facts = [
      ...(word === undefined ? [] : [word]),
      ...(count === 0 ? [] : [`asked ${count === 1 ? 'once' : `${count} times`}`]),
      left > 0 ? `next question in ${durationText(left + 999)}` : 'asking',
    ];
    return `waiting for order ${name}: ${facts.join(', ')}`;
  };
  report.progress(text);
  return {
    asked(answer) {
      count += 1;
      word = answer.fields === undefined ? word : (replyField(answer.fields, 'status') ?? word);
      return answer;
    },
    pausing(ms) {
      next = clock.monotonic() + ms;
      report.progress(text);
    },
    end: () => report.progress(undefined),
  };
}

/** A clock whose sleeps are shown. */
export function shownClock(clock: Clock, line: WaitingLine): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep(ms) {
      line.pausing(ms);
      return clock.sleep(ms);
    },
  };
}
