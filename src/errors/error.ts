import { type BatchCommands, fillCommands, openCommands, unnamedCommands } from './batch-commands.js';
import { type CatalogueRow, catalogue, type ErrorCode } from './catalogue.js';
import { shellWord } from './message-text.js';
import { type Reason, type ReasonTexts, reasons } from './reasons/index.js';
import type { ReasonRow } from './reasons/reason.js';

/** The facts of an error, as plain data: the words around them are in the templates. */
export type Facts = Readonly<Record<string, string | number | undefined>>;

// This class may exist more than once in a process, as by import and by require: it is recognised by this mark.
const mark = Symbol.for('paycli.error');

/** The one error of paycli. Facts are printed, so they must never hold a secret or a card number. */
export class PaycliError extends Error {
  readonly [mark] = true;
  override readonly name = 'PaycliError';
  readonly code: ErrorCode;
  readonly facts: Facts;
  /** The output format of the user's configuration, once that is known. */
  form?: string;
  /** A further error, after this one and less important. */
  beside?: PaycliError;

  /** So that `error instanceof PaycliError` holds for an error of every copy of the class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isPaycliError(value);
  }

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
    return fillCommands(sentence(catalogue[this.code].next, this.facts), unnamedCommands(this.facts['batch']));
  }

  /** The help topic that explains it; undefined where there is none. */
  get topic(): string | undefined {
    const row: CatalogueRow = catalogue[this.code];
    return row.topic;
  }
}

/** A template without its parts in square brackets, which need no fact. */
type WithoutOptional<Text extends string> = Text extends `${infer Before}[${string}]${infer After}`
  ? `${Before}${WithoutOptional<After>}`
  : Text;

/** The facts that a template names; braces with a blank in them are words. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Plain}:word` ? Plain : Name extends `${string} ${string}` ? never : Name) | NamesIn<Rest>
  : never;

/** What a reason has to be given for its own words. A command may be filled in where the error is shown. */
type NeededBy<Name extends Reason> = Name extends Reason
  ? Exclude<
      NamesIn<WithoutOptional<Extract<ReasonTexts<Name>[keyof ReasonTexts<Name>], string>>>,
      'command' | keyof BatchCommands
    >
  : never;

interface FailOptions {
  readonly cause?: unknown;
}

/**
 * Builds the error to throw: `throw fail('FIELD_INVALID', { problems })`, or by a reason with words of its own, such as
 * `throw fail('limitOrAll', { command: 'journal' })`.
 */
export function fail(code: ErrorCode, facts?: Facts, options?: FailOptions): PaycliError;
export function fail<Name extends Reason>(
  reason: Name,
  ...given: [NeededBy<Name>] extends [never]
    ? [facts?: Facts, options?: FailOptions]
    : [facts: Facts & Readonly<Record<NeededBy<Name>, string | number>>, options?: FailOptions]
): PaycliError;
export function fail(name: ErrorCode | Reason, facts: Facts = {}, options?: FailOptions): PaycliError {
  const row: ReasonRow | undefined = isReason(name) ? reasons()[name] : undefined;
  if (row === undefined) return new PaycliError(name as ErrorCode, facts, options);
  const { code, ...texts } = row;
  // A command that the caller does not know is filled in where the error is shown.
  const known = { command: '{command}', ...openCommands, ...facts };
  const filled = Object.entries(texts).map(([fact, text]) => [fact, fill(text, known)] as const);
  return new PaycliError(code, { ...facts, ...Object.fromEntries(filled) }, options);
}

/** The same error, naming these commands. */
export function withBatchCommands(error: PaycliError, commands: BatchCommands): PaycliError {
  const how = String(error.facts['how'] ?? '');
  const named = fillCommands(how, commands);
  if (named === how) return error;
  const { form, beside } = error;
  return Object.assign(new PaycliError(error.code, { ...error.facts, how: named }, { cause: error }), {
    ...(form === undefined ? {} : { form }),
    ...(beside === undefined ? {} : { beside }),
  });
}

function isReason(name: string): name is Reason {
  return Object.hasOwn(reasons(), name);
}

export function isPaycliError(value: unknown): value is PaycliError {
  return typeof value === 'object' && value !== null && mark in value;
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
