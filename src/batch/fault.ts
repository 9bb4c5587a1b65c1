/** One thing wrong with a file, in words that never repeat what stands there. */
export interface Fault {
  /** From 1. */
  readonly line: number;
  /** The column or name, where it is about one. */
  readonly field?: string;
  /** A whole clause. */
  readonly why: string;
}

/** What one piece of a file holds. After something `broken` there is nothing more: the rest could not be told apart. */
export interface Piece<T> {
  readonly records: readonly T[];
  readonly broken?: Fault;
}

/** Where a record stands in its file. */
export interface Spot {
  readonly line: number;
  /** Offset of its first byte, and how many there are. */
  readonly from: number;
  readonly bytes: number;
}

export const mostBytes = 65_536;
