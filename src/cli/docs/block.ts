/**
 * A piece of a text that is read in a terminal as well as in a man page. `…` in backticks is what one types or sees.
 */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'terms'; readonly terms: readonly Term[] }
  /** The first row is the head. */
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }
  /** Kept as they are: files, command lines, what is printed. */
  | { readonly kind: 'lines'; readonly lines: readonly string[]; readonly language?: string };

/** In a list without terms the term is its mark: `-`, or a number with a point. */
export type Term = readonly [term: string, meaning: string];

export const text = (words: string): Block => ({ kind: 'text', text: words });
export const heading = (words: string): Block => ({ kind: 'heading', text: words });
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): Block => ({
  kind: 'table',
  rows: [head, ...rows],
});
export const lines = (...all: readonly string[]): Block => ({ kind: 'lines', lines: all });
