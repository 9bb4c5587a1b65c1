import { fail, ifKnown } from '../../errors/index.js';
import type { Files, Staged } from '../../runtime/ports.js';

/** One thing wrong with a file, in words that never repeat its content. */
export interface Fault {
  /** From 1. */
  readonly line: number;
  /** The order ids of its row, where they can be read. */
  readonly clientOrderId?: string;
  readonly orderId?: string;
  /** The column or name, where it is about one. */
  readonly field?: string;
  /** A whole clause. */
  readonly why: string;
}

/** The records in one piece of a file. Nothing follows something `broken`: the rest cannot be split into records. */
export interface ParsedChunk<T> {
  readonly records: readonly T[];
  readonly broken?: Fault;
}

/** Where a record is in its file. */
export interface SourceRange {
  readonly line: number;
  /** Offset of its first byte, and how many there are. */
  readonly from: number;
  readonly bytes: number;
}

export const maxRecordBytes = 65_536;

/** The line of a row and its order id, for messages. */
export function placeText({ line, clientOrderId, orderId }: Pick<Fault, 'line' | 'clientOrderId' | 'orderId'>): string {
  const id = clientOrderId ?? (orderId === undefined ? undefined : `order ${orderId}`);
  return `line ${line}${id === undefined ? '' : ` (${id})`}`;
}

/** The error for a file with so many things wrong, of which these were kept. */
export function invalidFileError(file: string, count: number, first: readonly Fault[], log?: string): Error {
  const lines = first.map((fault) => `${placeText(fault)}: ${fault.why}`);
  const more = count > first.length ? [`and ${count - first.length} more`] : [];
  return fail('BATCH_INVALID', {
    file: file,
    problems: count === 1 ? (lines[0] ?? '') : listText(`${count} errors`, [...lines, ...more]),
    how: `nothing was done; correct the file and repeat the command${ifKnown(log, (errorsFile) => `. All errors: ${errorsFile}`)}`,
    count,
    errorsFile: log,
  });
}

export function listText(head: string, lines: readonly string[]): string {
  const [only] = lines;
  if (only !== undefined && lines.length === 1) return `${head}: ${only}`;
  return `${head}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

const maxShown = 100;

/** Everything wrong with a file, by line: the first hundred to be shown, all of them in a file of their own. */
export class FaultLog {
  readonly path: string;
  readonly first: Fault[] = [];
  count = 0;
  readonly #files: Pick<Files, 'stage'>;
  #staged: Staged | undefined;

  constructor(path: string, files: Pick<Files, 'stage'>) {
    this.path = path;
    this.#files = files;
  }

  add(faults: readonly Fault[]): void {
    if (faults.length === 0) return;
    this.#staged ??= this.#files.stage(this.path);
    this.#staged.write(faults.map((fault) => `${JSON.stringify(documentOf(fault))}\n`).join(''));
    this.first.push(...faults.slice(0, maxShown - this.first.length));
    this.count += faults.length;
  }

  keep(): void {
    this.#staged?.keep();
  }

  /** Removes what was not kept. */
  drop(): void {
    this.#staged?.drop();
  }
}

function documentOf({ line, clientOrderId, orderId, field, why }: Fault): Readonly<Record<string, unknown>> {
  return { line, clientOrderId: clientOrderId ?? null, orderId: orderId ?? null, field: field ?? null, why };
}

/** Finds the line of the first byte that is no UTF-8, or that stands for one. */
export class Utf8Check {
  readonly #decoder = new TextDecoder();
  #line = 1;

  /** The line of the fault, in a piece or at the end of the file; undefined where there is none. */
  faultIn(piece: Uint8Array | undefined): number | undefined {
    const text = this.#decoder.decode(piece, { stream: piece !== undefined });
    const at = text.indexOf('\ufffd');
    this.#line += text.slice(0, at === -1 ? undefined : at).split('\n').length - 1;
    return at === -1 ? undefined : this.#line;
  }
}
