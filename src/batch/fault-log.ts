import type { Files, Staged } from '../runtime/ports.js';
import type { Fault } from './fault.js';

const mostShown = 100;
const mostWaiting = 1000;

/** Everything wrong with a file: the first hundred to be shown, all of them in a file of their own. */
export class FaultLog {
  readonly path: string;
  readonly first: Fault[] = [];
  count = 0;
  readonly #files: Pick<Files, 'stage'>;
  #staged: Staged | undefined;
  #waiting: string[] = [];

  constructor(path: string, files: Pick<Files, 'stage'>) {
    this.path = path;
    this.#files = files;
  }

  add(faults: readonly Fault[]): void {
    for (const fault of faults) {
      this.count += 1;
      if (this.first.length < mostShown) this.first.push(fault);
      this.#waiting.push(`${JSON.stringify({ line: fault.line, field: fault.field ?? null, why: fault.why })}\n`);
    }
    if (this.#waiting.length >= mostWaiting) this.#write();
  }

  /** Gives the file its name. */
  keep(): void {
    this.#write();
    this.#staged?.keep();
  }

  drop(): void {
    this.#staged?.drop();
  }

  #write(): void {
    this.#staged ??= this.#files.stage(this.path);
    this.#staged.write(this.#waiting.join(''));
    this.#waiting = [];
  }
}
