/** A result before it has a form. */
export type Document = Readonly<Record<string, unknown>>;

export interface Column {
  readonly head: string;
  /** Money and counts. */
  readonly right?: boolean;
  /** May be cut to fit a terminal; `last` once nothing else can give. */
  readonly flexible?: boolean | 'last';
  /** Left out where a terminal is too narrow for it. */
  readonly optional?: boolean;
}

/** A table; cells may be painted, and foreign text in them has gone through `oneLine`. */
export interface Sheet {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

/** One result of a command, for every form. */
export interface Shown {
  /** What programs get, `schema` first. */
  readonly document: Document;
  /** The key of the list in the document: an entry a line with ndjson, a row with csv. */
  readonly list?: string;
  /** For people; the sheet when left out. */
  readonly text?: () => string;
  /** The table of `-o table`, and of text where there is no text. Made from the document when left out. */
  readonly sheet?: () => Sheet;
  /** Said instead of an empty table. */
  readonly empty?: string;
}
