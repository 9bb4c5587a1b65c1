import { createHash } from 'node:crypto';
import { fail, shellWord } from '../errors/index.js';
import type { Journal, NewRequest, Request, Sum } from '../journal/port.js';
import { compose } from '../payments/compose.js';
import type { GatewayConnection } from '../payments/exchange.js';
import { describeRequest } from '../payments/request.js';
import type { Files } from '../runtime/ports.js';
import type { Unsigned } from '../signing/index.js';
import { operationById } from '../spec/index.js';
import { storableKeys } from './input/check-row.js';
import { readCsvRecord } from './input/csv.js';
import { readNdjsonRecord } from './input/ndjson.js';
import type { SourceRange } from './input/source.js';
import type { BatchFile, BatchPlace, PlanHead } from './plan.js';

type Values = Readonly<Record<string, string>>;
type Hashing = Pick<Journal, 'hash'>;

/** The way there. */
export interface BatchConnection extends GatewayConnection, BatchPlace {}

/** A recorded row with what it takes to send it. */
export interface BatchRow {
  readonly request: Request;
  readonly number: number;
  readonly line: number;
  /** By field key. */
  readonly values: Values;
  /** Who gets the money or what it is about, masked. */
  readonly destination: string;
}

/** What of a row the journal keeps encrypted until it is not needed any more. */
interface Payload {
  readonly line: number;
  readonly destination: string;
  readonly values: Values;
  /** Where the file has the card data of the row. */
  readonly range?: Pick<SourceRange, 'from' | 'bytes'> | undefined;
}

/** `keys` are those of values that may be stored; a row with others refers to its place in the file. */
export function writePayload(
  { line, destination, values, range }: Payload & { readonly range: Pick<SourceRange, 'from' | 'bytes'> },
  keys: readonly string[],
): string {
  const kept = keys.flatMap((key) => ((values[key] ?? '') === '' ? [] : [[key, values[key]]]));
  const isWhole = kept.length === Object.keys(values).filter((key) => key !== 'login' && values[key] !== '').length;
  const { from, bytes } = range;
  return JSON.stringify({
    ...{ line, destination, values: Object.fromEntries(kept) },
    ...(isWhole ? {} : { range: { from, bytes } }),
  });
}

/** The request of a row, and what the journal records of it. */
export function layOut(
  { values, endpointId }: { readonly values: Values; readonly endpointId: string },
  gateway: BatchPlace,
  journal: Hashing,
): { readonly unsigned: Unsigned; readonly wanted: NewRequest } {
  const unsigned = compose(gateway.row, values, [], gateway.target(endpointId));
  const wanted = describeRequest(unsigned, gateway.place, (parts) => journal.hash(parts));
  return { unsigned, wanted };
}

/**
 * The request of a recorded row. Throws BATCH_REFUSED where it would be another one than was planned, as when the
 * assumptions of its profile have changed: caps, totals and approvers went by what was planned.
 */
export function requestOf({ request, number, values }: BatchRow, gateway: BatchPlace, journal: Hashing): Unsigned {
  const { unsigned, wanted } = layOut({ values, endpointId: request.endpoint }, gateway, journal);
  if (wanted.content === request.content && (wanted.sum === undefined || isSameSum(wanted.sum, request.sum)))
    return unsigned;
  throw fail('BATCH_REFUSED', {
    why: `row ${number} would be another request than was planned: its profile, or its assumptions, have changed`,
    how: 'it was not sent; set them back as they were, or cancel the batch and plan the file again',
    row: number,
  });
}

function isSameSum(one: Sum, other: Sum | undefined): boolean {
  return one.minor === other?.minor && one.digits === other.digits && one.currency === other.currency;
}

/** The digest of a file; with card numbers keyed, so that the numbers cannot be guessed from it. */
export function fileDigest(sha256: string, hasCards: boolean, journal: Hashing): string {
  return hasCards ? journal.hash(['file', sha256]) : sha256;
}

/** Throws SECRET_UNREADABLE where other users may read a file with card numbers. */
export function checkCardFile(path: string, files: Pick<Files, 'facts'>): void {
  if (files.facts(path)?.isPrivate === true) return;
  throw fail('SECRET_UNREADABLE', {
    what: 'card numbers in a file',
    why: `other users can read ${path}`,
    how: `run \`chmod 600 ${shellWord(path, 'PATH')}\`, as the owner of the file`,
    path,
  });
}

/** Throws SECRET_UNREADABLE where the file of a batch is gone or no longer the one that was planned. */
export function checkPlannedFile(
  { id, file, hasCards }: PlanHead,
  files: Pick<Files, 'facts' | 'pieces'>,
  journal: Hashing,
): void {
  const { path } = file;
  const changed = (why: string) =>
    fail('SECRET_UNREADABLE', {
      what: path,
      why: `batch ${id} reads it again, and it ${why}`,
      how: `nothing was sent now; put the file back as it was. Without it, \`paycli resolve\` settles rows in doubt, and \`paycli batch cancel ${id}\` cancels the others`,
      path,
      plan: id,
    });
  if (files.facts(path) === undefined) throw changed('no longer exists');
  if (hasCards) checkCardFile(path, files);
  const digest = createHash('sha256');
  for (const piece of files.pieces(path)) digest.update(piece);
  if (fileDigest(digest.digest('hex'), hasCards, journal) !== file.sha256)
    throw changed('has changed since it was planned');
}

type RowPorts = {
  readonly journal: Pick<Journal, 'readPayloads' | 'hash'>;
  readonly files: Pick<Files, 'facts' | 'pieces'>;
};

/** Reads what recorded rows need for sending: from the journal, and card data from the planned file. */
export class RowReader {
  readonly #head: PlanHead;
  readonly #ports: RowPorts;
  readonly #storable: ReadonlySet<string>;
  #isFileChecked = false;

  constructor(head: PlanHead, ports: RowPorts) {
    this.#head = head;
    this.#ports = ports;
    this.#storable = new Set(storableKeys(operationById(head.operation)));
  }

  /** What may be shown of those whose payload is still there; the file is not read. */
  async describe(requests: readonly Request[]): Promise<readonly (Pick<BatchRow, 'request'> & Payload)[]> {
    const payloads = await this.#ports.journal.readPayloads(requests.map(({ id }) => id));
    return requests.flatMap((request) => {
      const text = payloads.get(request.id);
      // As `writePayload` wrote it.
      return text === undefined ? [] : [{ request, ...(JSON.parse(text) as Payload) }];
    });
  }

  /** Those whose payload is still there. Throws what `checkPlannedFile` throws. */
  async read(requests: readonly Request[]): Promise<readonly BatchRow[]> {
    return (await this.describe(requests)).map(({ values, range, ...row }) => {
      const cards = range === undefined ? {} : this.#cardData(range);
      return { ...row, number: row.request.number ?? 0, values: { ...values, ...cards } };
    });
  }

  #cardData({ from, bytes }: Pick<SourceRange, 'from' | 'bytes'>): Values {
    const { file } = this.#head;
    if (!this.#isFileChecked) checkPlannedFile(this.#head, this.#ports.files, this.#ports.journal);
    this.#isFileChecked = true;
    const values = valuesIn(slice(this.#ports.files, file.path, from, bytes), file);
    return Object.fromEntries(Object.entries(values).filter(([key]) => !this.#storable.has(key)));
  }
}

const rowsAtOnce = 100;

/** The rows of a batch that nobody has sent, one after another; some are taken ahead of the others who send it. */
export class UnsentRows {
  readonly #batch: string;
  readonly #ports: { readonly journal: Pick<Journal, 'takeToSend'>; readonly rows: RowReader };
  #waiting: BatchRow[] = [];
  #areAllRead = false;
  #isEnded = false;
  #reading: Promise<void> | undefined;

  constructor(batch: string, ports: { readonly journal: Pick<Journal, 'takeToSend'>; readonly rows: RowReader }) {
    this.#batch = batch;
    this.#ports = ports;
  }

  /** Whether the last one was given out. */
  get areOver(): boolean {
    return this.#areAllRead && this.#waiting.length === 0;
  }

  async next(): Promise<BatchRow | undefined> {
    // Many may wait for the same few: who gets none of them looks for more.
    while (this.#waiting.length === 0 && !this.#areAllRead) await this.#readMore();
    return this.#waiting.shift();
  }

  /** No more are wanted. */
  end(): void {
    this.#waiting = [];
    this.#areAllRead = true;
    this.#isEnded = true;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Whether there are more by now, which another process gave back or left behind. */
  async lookAgain(): Promise<boolean> {
    if (this.#isEnded) return false;
    await this.#readMore();
    return !this.areOver;
  }

  /** Once for all who want more: of two at a time one would take rows that nobody sends. */
  #readMore(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { journal, rows } = this.#ports;
    const page = await journal.takeToSend(this.#batch, rowsAtOnce);
    this.#areAllRead = page.length < rowsAtOnce;
    this.#waiting = [...(await rows.read(page))];
  }
}

function slice(files: Pick<Files, 'pieces'>, path: string, from: number, length: number): Buffer {
  const parts: Uint8Array[] = [];
  let left = length;
  for (const piece of files.pieces(path, from)) {
    parts.push(piece.subarray(0, left));
    left -= piece.length;
    if (left <= 0) break;
  }
  return Buffer.concat(parts);
}

function valuesIn(bytes: Uint8Array, { format, layout }: BatchFile): Values {
  return valuesFrom(
    format === 'csv'
      ? readCsvRecord(bytes, layout.delimiter).map((cell, at) => [layout.columns[at], cell])
      : readNdjsonRecord(bytes).map(([name, text]) => [layout.map[name], text]),
  );
}

/** Without cells that are empty or stand for no field. */
export function valuesFrom(named: readonly (readonly [key: string | undefined, value: string])[]): Values {
  return Object.fromEntries(named.filter(([key, value]) => key !== undefined && value !== ''));
}
