import Mustache from 'mustache';
import { fail } from '../../errors/index.js';
import { type Document, exactJson, isDocument, partOf } from './document.js';

export interface TemplateName {
  readonly name: string;
  /** Whether it stands inside a section, where it may name a part of what the section is about. */
  readonly isInside: boolean;
}

/** The names a template holds, in order. Throws USAGE where it cannot be read: before anything is sent. */
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

// A token of Mustache: its kind, its name, where it stands, and what a section holds.
type Token = readonly [kind: string, name: string, start: number, end: number, inner?: unknown, ...rest: unknown[]];

function namesAmong(tokens: readonly Token[], isInside: boolean): readonly TemplateName[] {
  return tokens.flatMap(([kind, name, , , inner]): readonly TemplateName[] => {
    if (kind === '#' || kind === '^')
      return [{ name, isInside }, ...namesAmong(Array.isArray(inner) ? inner : [], true)];
    return kind === 'name' || kind === '&' ? [{ name, isInside }] : [];
  });
}

/** Looks a name up as `--json=…` does, and keeps those that are not there. */
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

export interface Rendered {
  readonly text: string;
  /** Names the template has and the result has not. */
  readonly missing: readonly string[];
}

/**
 * Fills `{{order.orderId}}` and the like in; `\n` and `\t` mean what they say, and a line end is added where there is
 * none.
 */
export function rendered(template: string, document: Document): Rendered {
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
