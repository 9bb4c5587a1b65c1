/** A block of text for a terminal or a man page. Backticks mark what one types or sees. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'terms'; readonly terms: readonly Term[] }
  /** The first row is the head. */
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }
  /** Kept verbatim: files, command lines, printed output. */
  | { readonly kind: 'lines'; readonly lines: readonly string[]; readonly language?: string };

/** In a list without terms, the term is the bullet: `-`, or a number with a point. */
export type Term = readonly [term: string, meaning: string];
