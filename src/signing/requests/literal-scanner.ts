import { fail, type PaycliError } from '../../errors/index.js';
import { encodeForm, type Pair } from '../../wire/form.js';
import { placeIn } from './pasted-request.js';

/** A value written out in a program: text, list, or table of names and values in their order. */
export type Literal = string | undefined | { readonly list: readonly Literal[] } | LiteralTable;

export interface LiteralTable {
  readonly pairs: readonly (readonly [name: string, value: Literal])[];
}

/** A place in a program text that is read from left to right. */
export class LiteralScanner {
  readonly text: string;
  /** How messages call the text. */
  readonly what: string;
  at = 0;

  constructor(text: string, what: string) {
    this.text = text;
    this.what = what;
  }

  get char(): string {
    return this.text[this.at] ?? '';
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  startsWith(word: string): boolean {
    return this.text.startsWith(word, this.at);
  }

  /** What a pattern finds right here, which is passed over; the pattern must be sticky. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return undefined;
    this.at += found[0].length;
    return found;
  }

  /** Passes over a text that must stand here. */
  expect(word: string): void {
    if (!this.startsWith(word)) throw this.unread(`${word} was expected here`);
    this.at += word.length;
  }

  unread(why: string, at = this.at): PaycliError {
    return fail('programUnread', { why, field: placeIn(this.what, this.text, at) });
  }
}

export function isTable(value: Literal): value is LiteralTable {
  return typeof value === 'object' && 'pairs' in value;
}

/** Pairs of texts out of a table or a list of pairs. Throws TEXT_INVALID. */
export function textPairs(value: Literal, scanner: LiteralScanner, at: number): Pair[] {
  if (isTable(value)) return value.pairs.flatMap(([name, each]) => pairsOfValue(name, each, scanner, at));
  if (typeof value === 'object')
    return value.list.map((pair): Pair => {
      const [name, text, ...more] = typeof pair === 'object' && 'list' in pair ? pair.list : [];
      if (typeof name !== 'string' || typeof text !== 'string' || more.length > 0)
        throw scanner.unread('pairs of names and values were expected here', at);
      return [name, text];
    });
  throw scanner.unread('names and values were expected here', at);
}

function pairsOfValue(name: string, value: Literal, scanner: LiteralScanner, at: number): Pair[] {
  if (typeof value === 'string') return [[name, value]];
  if (value === undefined) return [[name, '']];
  if ('list' in value) return value.list.flatMap((each) => pairsOfValue(name, each, scanner, at));
  throw scanner.unread(`the value of ${/^[\w-]{1,40}$/.test(name) ? name : 'a name'} is not a string`, at);
}

/** The body that a table of fields becomes when it is sent as a form. */
export function formOf(value: Literal, scanner: LiteralScanner, at: number): string {
  return encodeForm(textPairs(value, scanner, at));
}
