import { createHash } from 'node:crypto';
import type { Journal, NewRow } from '../journal/port.js';
import type { Files } from '../runtime/ports.js';
import type { Unsigned } from '../signing/index.js';
import { PlanDigest } from './digest.js';
import { type CheckedRow, checkRow, destinationOf, type GatewayProfile, storableKeys } from './input/check-row.js';
import { type FileRow, FileRows, type InputFormat } from './input/file-rows.js';
import type { Fault } from './input/source.js';
import { layOut, writePayload } from './rows.js';

export interface ReadingRequest {
  /** Absolute. */
  readonly path: string;
  readonly source: InputFormat;
  readonly gateway: GatewayProfile;
}

interface ReadingPorts {
  readonly files: Pick<Files, 'pieces'>;
  readonly journal: Pick<Journal, 'hash'>;
}

/** A row of a file with all that was found out about it. */
export interface ReadRow {
  readonly number: number;
  readonly file: FileRow;
  /** Undefined where its values cannot be told apart. */
  readonly checked: CheckedRow | undefined;
  /** Of a row without faults. */
  readonly ready?: ReadyRow;
}

export interface ReadyRow extends CheckedRow {
  readonly unsigned: Unsigned;
  /** What the journal records. */
  readonly row: NewRow;
}

interface ReadChunk {
  readonly rows: readonly ReadRow[];
  /** Of no row: the header, or where the file cannot be read on. */
  readonly faults: readonly Fault[];
}

/** One reading of the file. */
export class Reading {
  readonly digest = new PlanDigest();
  readonly file: FileRows;
  bytes = 0;
  count = 0;
  sha256 = '';
  readonly #request: ReadingRequest;
  readonly #ports: ReadingPorts;
  readonly #keys: readonly string[];

  constructor(request: ReadingRequest, ports: ReadingPorts) {
    this.#request = request;
    this.#ports = ports;
    this.#keys = storableKeys(request.gateway.row);
    this.file = new FileRows(request.source);
  }

  async *chunks(): AsyncGenerator<ReadChunk> {
    for await (const { rows, faults } of this.file.read(this.#pieces()))
      yield { rows: rows.map((row) => this.#read(row)), faults };
  }

  *#pieces(): Generator<Uint8Array> {
    const hash = createHash('sha256');
    for (const piece of this.#ports.files.pieces(this.#request.path)) {
      hash.update(piece);
      this.bytes += piece.length;
      yield piece;
    }
    this.sha256 = hash.digest('hex');
  }

  #read(file: FileRow): ReadRow {
    this.count += 1;
    const number = this.count;
    if (!file.isRead) return { number, file, checked: undefined };
    const { gateway } = this.#request;
    const checked = checkRow(file, gateway);
    if (file.faults.length > 0 || checked.faults.length > 0) return { number, file, checked };
    const { unsigned, wanted } = layOut(checked, gateway, this.#ports.journal);
    const { line, range } = file;
    const destination = destinationOf(checked.values);
    const payload = writePayload({ line, destination, values: checked.values, range }, this.#keys);
    this.digest.add([number, checked.endpointId, checked.sum?.minor ?? null, checked.sum?.currency ?? null, payload]);
    return { number, file, checked, ready: { ...checked, unsigned, row: { ...wanted, number, payload } } };
  }
}
