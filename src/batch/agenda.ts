import type { Intent } from '../journal/index.js';
import type { BatchRow } from './plan.js';

/** A question about an open row that is due at some time. */
export interface Question {
  /** Monotonic. */
  readonly due: number;
  readonly number: number;
  readonly sum: BatchRow['sum'];
  readonly intent: Intent;
  /** How often it was asked as long as its intent stood where it stands. */
  readonly asked: number;
  /** Monotonic; when it came to stand there. */
  readonly since: number;
}

/** Questions by the time they are due (a binary heap). */
export class Agenda {
  readonly #questions: Question[] = [];

  get size(): number {
    return this.#questions.length;
  }

  /** When the next one is due; undefined when there is none. */
  get next(): number | undefined {
    return this.#questions[0]?.due;
  }

  add(question: Question): void {
    this.#questions.push(question);
    let at = this.#questions.length - 1;
    while (at > 0 && this.#swapUp(at)) at = (at - 1) >> 1;
  }

  /** Takes the next one that is due. */
  take(now: number): Question | undefined {
    const first = this.#questions[0];
    if (first === undefined || first.due > now) return undefined;
    const last = this.#questions.pop();
    if (last !== undefined && last !== first) {
      this.#questions[0] = last;
      for (let at = 0; ; ) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        const child = this.#due(right) < this.#due(left) ? right : left;
        if (this.#due(child) === Number.POSITIVE_INFINITY || !this.#swapUp(child)) break;
        at = child;
      }
    }
    return first;
  }

  #due(at: number): number {
    return this.#questions[at]?.due ?? Number.POSITIVE_INFINITY;
  }

  /** Puts a question above the one it hangs from, if it is due earlier. */
  #swapUp(at: number): boolean {
    const above = (at - 1) >> 1;
    const [child, parent] = [this.#questions[at], this.#questions[above]];
    if (child === undefined || parent === undefined || parent.due <= child.due) return false;
    this.#questions[above] = child;
    this.#questions[at] = parent;
    return true;
  }
}

/** Questions about open rows: those about rows that may have arrived come before those about rows the gateway has taken. */
export class Questions {
  readonly #doubts = new Agenda();
  readonly #taken = new Agenda();

  get size(): number {
    return this.#doubts.size + this.#taken.size;
  }

  /** When the next one of each kind is due. */
  get due(): readonly (number | undefined)[] {
    return [this.#doubts.next, this.#taken.next];
  }

  add(question: Question): void {
    (question.intent.state === 'accepted' ? this.#taken : this.#doubts).add(question);
  }

  takeDoubt(now: number): Question | undefined {
    return this.#doubts.take(now);
  }

  takeOther(now: number): Question | undefined {
    return this.#taken.take(now);
  }
}
