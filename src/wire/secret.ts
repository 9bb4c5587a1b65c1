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
    return '•••';
  }

  toJSON(): string {
    return '•••';
  }

  [inspected](): string {
    return '•••';
  }
}
