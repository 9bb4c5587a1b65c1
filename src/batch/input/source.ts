import type { Files, Staged } from '../../runtime/ports.js';

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
export interface ParsedChunk<T> {
  readonly records: readonly T[];
  readonly broken?: Fault;
}

/** Where a record stands in its file. */
export interface SourceRange {
  readonly line: number;
  /** Offset of its first byte, and how many there are. */
  readonly from: number;
  readonly bytes: number;
}

export const maxRecordBytes = 65_536;

const maxShown = 100;
const maxBuffered = 1000;

/** Everything wrong with a file: the first hundred to be shown, all of them in a file of their own. */
export class FaultLog {
  readonly path: string;
  readonly first: Fault[] = [];
  count = 0;
  readonly #files: Pick<Files, 'stage'>;
  #staged: Staged | undefined;
  #waiting: string[] = [];

  constructor(path: string, files: Pick<Files, 'stage'>) {
    this.path = path;
    this.#files = files;
  }

  add(faults: readonly Fault[]): void {
    for (const fault of faults) {
      this.count += 1;
      if (this.first.length < maxShown) this.first.push(fault);
      this.#waiting.push(`${JSON.stringify({ line: fault.line, field: fault.field ?? null, why: fault.why })}\n`);
    }
    if (this.#waiting.length >= maxBuffered) this.#write();
  }

  /** Gives the file its name. */
  keep(): void {
    this.#write();
    this.#staged?.keep();
  }

  drop(): void {
    this.#staged?.drop();
  }

  #write(): void {
    this.#staged ??= this.#files.stage(this.path);
    this.#staged.write(this.#waiting.join(''));
    this.#waiting = [];
  }
}

const maxPieces = 4;

/** The last bytes of a file that is read in pieces: enough for any row that has just been read. */
export class TailBuffer {
  readonly #pieces: Uint8Array[] = [];
  #end = 0;

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#end += piece.length;
    if (this.#pieces.length > maxPieces) this.#pieces.shift();
  }

  slice({ from, bytes }: Pick<SourceRange, 'from' | 'bytes'>): Buffer {
    const parts: Uint8Array[] = [];
    let start = this.#end - this.#pieces.reduce((sum, { length }) => sum + length, 0);
    for (const piece of this.#pieces) {
      parts.push(piece.subarray(Math.max(0, from - start), Math.max(0, from + bytes - start)));
      start += piece.length;
    }
    return Buffer.concat(parts);
  }
}

const newline = 10;

/** Tells the line of the first byte that is no UTF-8. */
export class Utf8Check {
  readonly #decoder = strict();
  #line = 1;

  /** The line of the fault, in a piece or at the end of the file; undefined where there is none. */
  faultIn(piece: Uint8Array | undefined): number | undefined {
    try {
      this.#decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      return this.#line + (piece === undefined ? 0 : linesBeforeFault(piece));
    }
    if (piece !== undefined) this.#line += linesIn(piece);
    return undefined;
  }
}

/**
 * No character but the newline itself has its byte, so each line of a piece can be read alone; the first may begin
 * inside a character.
 */
function linesBeforeFault(piece: Uint8Array): number {
  for (let from = 0, lines = 0; ; lines += 1) {
    const end = piece.indexOf(newline, from);
    // The last line may end inside a character, so it is the one that is left.
    if (end === -1) return lines;
    if (!isUtf8(piece.subarray(from === 0 ? continuedIn(piece) : from, end))) return lines;
    from = end + 1;
  }
}

/** Bytes at the beginning that go on with a character of the piece before. */
function continuedIn(piece: Uint8Array): number {
  const first = piece.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(0, Math.min(first, 3));
}

function linesIn(piece: Uint8Array): number {
  let lines = 0;
  for (let at = piece.indexOf(newline); at !== -1; at = piece.indexOf(newline, at + 1)) lines += 1;
  return lines;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict().decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function strict() {
  return new TextDecoder('utf-8', { fatal: true });
}
