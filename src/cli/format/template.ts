import Mustache from 'mustache';
import { fail } from '../../errors/index.js';
import { type CommandOutput, type Document, entriesOf, exactJson, isDocument, partOf } from './document.js';

export interface TemplateName {
  readonly name: string;
  /** True inside a section, where it may name a part of the section's value. */
  readonly isInside: boolean;
}

/** The names in a template, in order. Throws USAGE, before anything is sent, where it cannot be parsed. */
export function namesInTemplate(template: string): readonly TemplateName[] {
  try {
    return namesAmong(Mustache.parse(template), false);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/[\d -]{12,}/g, ' … ') : 'it cannot be read';
    throw fail(
      'USAGE',
      { why: `--template: ${why.charAt(0).toLowerCase()}${why.slice(1)}`, command: 'help output' },
      { cause },
    );
  }
}

// A Mustache token: its kind, name, start, end, and the content of a section.
type Token = readonly [kind: string, name: string, start: number, end: number, inner?: unknown, ...rest: unknown[]];

function namesAmong(tokens: readonly Token[], isInside: boolean): readonly TemplateName[] {
  return tokens.flatMap(([kind, name, , , inner]): readonly TemplateName[] => {
    if (kind === '#' || kind === '^')
      return [{ name, isInside }, ...namesAmong(Array.isArray(inner) ? inner : [], true)];
    return kind === 'name' || kind === '&' ? [{ name, isInside }] : [];
  });
}

/** Looks a name up as --fields does, and records the missing ones. */
class Lookup extends Mustache.Context {
  readonly #document: Document;
  readonly missing: Set<string>;

  constructor(view: unknown, parent: Lookup | undefined, document: Document, missing: Set<string>) {
    super(view, parent);
    this.#document = document;
    this.missing = missing;
  }

  override push(view: unknown): Lookup {
    return new Lookup(view, this, this.#document, this.missing);
  }

  override lookup(name: string): unknown {
    const found: unknown = super.lookup(name) ?? partOf(this.#document, name);
    if (found === undefined) this.missing.add(name);
    return found;
  }
}

interface Rendered {
  readonly text: string;
  /** Names in the template that the result does not have. */
  readonly missing: readonly string[];
}

/**
 * A result filled in: as a whole, or once for each entry of its list where the template names only parts of an entry.
 */
export function filledIn(template: string, shown: CommandOutput): readonly Rendered[] {
  const entries = entriesOf(shown);
  const isOfEach = shown.list !== undefined && isOfEntries(template, shown.document, entries);
  return (isOfEach ? entries : [shown.document]).map((document) => rendered(template, document));
}

/** Fills in `{{order.orderId}}` and the like; `\n` and `\t` are escapes, and a missing final line end is added. */
function rendered(template: string, document: Document): Rendered {
  const context = new Lookup(document, undefined, document, new Set());
  const text = new Mustache.Writer().render(unescaped(template), context, undefined, { escape: shownValue });
  return { text: text === '' || text.endsWith('\n') ? text : `${text}\n`, missing: [...context.missing] };
}

function unescaped(template: string): string {
  return template.replace(/\\([nt\\])/g, (_, letter: string) => ({ n: '\n', t: '\t', '\\': '\\' })[letter] ?? '');
}

function shownValue(value: unknown): string {
  return isDocument(value) || Array.isArray(value) ? exactJson(value) : String(value);
}

/** Whether all that a template names outside sections is in entries of a list, and not beside the list. */
function isOfEntries(template: string, document: Document, entries: readonly Document[]): boolean {
  const outer = namesInTemplate(template).filter(({ isInside }) => !isInside);
  const isOfEntry = (name: string) =>
    entries.length === 0 || entries.some((entry) => partOf(entry, name) !== undefined);
  return outer.length > 0 && outer.every(({ name }) => partOf(document, name) === undefined && isOfEntry(name));
}
