import { hidden } from './mask.js';

// Where console.log and util.inspect look, whatever copy of node:util they come from.
const inspected = Symbol.for('nodejs.util.inspect.custom');

/** A text that prints as dots everywhere. Only signing and the request body open it. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  open(): string {
    return this.#text;
  }

  toString(): string {
    return hidden;
  }

  toJSON(): string {
    return hidden;
  }

  [inspected](): string {
    return hidden;
  }
}
