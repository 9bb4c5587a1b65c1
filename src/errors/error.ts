import { type CatalogueRow, catalogue, type ErrorCode } from './catalogue.js';
import { shellWord } from './message-text.js';

/** The facts of an error, as plain data: the words around them are in the templates. */
export type Facts = Readonly<Record<string, string | number | undefined>>;

/** The one error of paycli. Facts are printed, so they must never hold a secret or a card number. */
export class PaycliError extends Error {
  override readonly name = 'PaycliError';
  readonly code: ErrorCode;
  readonly facts: Facts;
  /** The output format of the user's configuration, once that is known. */
  form?: string;
  /** A further error, after this one and less important. */
  beside?: PaycliError;

  constructor(code: ErrorCode, facts: Facts, options?: { readonly cause?: unknown }) {
    super(sentence(catalogue[code].title, facts), options);
    this.code = code;
    this.facts = facts;
  }

  get exit(): number {
    return catalogue[this.code].exit;
  }

  /** What to do next, in words. */
  get next(): string {
    return sentence(catalogue[this.code].next, this.facts);
  }

  /** The help topic that explains it; undefined where there is none. */
  get topic(): string | undefined {
    const row: CatalogueRow = catalogue[this.code];
    return row.topic;
  }
}

interface FailOptions {
  readonly cause?: unknown;
}

/**
 * Builds the error to throw: `throw fail('USAGE', { why: 'use either --limit or --all', command })`. The facts are what
 * its row in the catalogue names, and values for programs. `{command}` in `how` is filled in where the error is shown.
 */
export function fail(code: ErrorCode, facts: Facts = {}, options?: FailOptions): PaycliError {
  return new PaycliError(code, facts, options);
}

export function isPaycliError(value: unknown): value is PaycliError {
  return value instanceof PaycliError;
}

/** This process, or the whole system, has as many files open as it may. */
export function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}

/** The error of a command that a signal stopped; the reason of the abort is the signal's name. */
export function stopError({ reason }: { readonly reason: unknown }): PaycliError {
  return fail(reason === 'SIGTERM' ? 'TERMINATED' : 'INTERRUPTED');
}

/** For `catch`: where no payment can be sent, an interruption says what was not done, such as `nothing was saved`. */
export function ifInterrupted(nothing: string): (error: unknown) => never {
  return (error) => {
    if (!isPaycliError(error) || (error.code !== 'INTERRUPTED' && error.code !== 'TERMINATED')) throw error;
    throw fail(error.code, { nothing });
  };
}

/** A title or next step of the catalogue; a fact that it names and that is missing is left out. */
function sentence(template: string, facts: Facts): string {
  return fill(template, facts)
    .replace('paycli  --help', 'paycli --help')
    .replace(/(paycli help [\w-]+) --help/, '$1')
    .trim();
}

const optionalPart = /\[([^\][]*\{\w+(?::word)?\}[^\][]*)\]/g;

function fill(template: string, facts: Facts): string {
  const names = (part: string) => [...part.matchAll(/\{(\w+)/g)].map(([, name = '']) => name);
  const known = template.replace(optionalPart, (_, part: string) =>
    names(part).every((name) => (facts[name] ?? '') !== '') ? part : '',
  );
  // `{order:word}` is part of a command, where untrusted text must stay one word; after a bar stands what is said
  // without the fact.
  return known.replace(/\{(\w+)(:word)?(?:\|([^{}]*))?\}/g, (_, name: string, isWord?: string, without?: string) => {
    const text = String(facts[name] ?? without ?? '');
    return isWord === undefined ? text : shellWord(text, name.toUpperCase());
  });
}

/**
 * Does some work, then closes what it used, even when the work fails. The first error wins: when closing fails
 * with another error, that is added to it (`PaycliError.beside`) and never replaces it.
 */
export async function closeAfter<T>(work: () => T | Promise<T>, close: () => unknown): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (first) {
    try {
      await close();
    } catch (second) {
      if (first !== second && isPaycliError(first) && isPaycliError(second)) first.beside ??= second;
    }
    throw first;
  }
  await close();
  return result;
}

/** The error of `isOutOfFiles`. */
export function tooManyFilesOpen(what: string, options?: { readonly cause: unknown }): PaycliError {
  return fail(
    'STORAGE',
    {
      what,
      why: 'too many files are open already',
      how: 'raise the limit with `ulimit -n`, then repeat the command; the journal shows what was sent',
    },
    options,
  );
}
