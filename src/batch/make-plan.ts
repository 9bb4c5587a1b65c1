import { join } from 'node:path';
import { fail, isPaycliError } from '../errors/index.js';
import type { Journal, NewRequest, NewRow, Request } from '../journal/port.js';
import { reachedStates } from '../journal/states.js';
import type { CapContext } from '../payments/limits.js';
import type { Clock, Database, DatabaseOpener, Files, Random } from '../runtime/ports.js';
import type { Operation, OperationId } from '../spec/index.js';
import { limitsOfRow } from './caps.js';
import { CurrencyTotals, type LargeRow } from './digest.js';
import { Draft, type RepeatedRows } from './draft.js';
import {
  describeEarlier,
  EqualPayments,
  type EqualRows,
  equalCountText,
  equalRowsText,
  findEarlier,
  mayRepeatFile,
} from './earlier.js';
import { differences, type Expected } from './expected-content.js';
import { type CheckedRow, destinationOf, idsOfRow, storableKeys } from './input/check-row.js';
import { type Fault, FaultLog, invalidFileError, listText, placeText } from './input/source.js';
import type { PlanHead, Total } from './plan.js';
import { Reading, type ReadingRequest, type ReadRow } from './reading.js';
import { Refusals } from './refusals.js';
import { checkCardFile, fileDigest } from './rows.js';

interface PlanRequest extends ReadingRequest {
  /** Of the file, for messages. */
  readonly name: string;
  readonly id: string;
  readonly operation: OperationId;
  readonly expected: Expected;
  /** The error for a valid file that comes to this, where the user has to confirm it first. */
  findUnconfirmed(count: number, totals: readonly Total[]): Error | undefined;
  readonly planner: PlanHead['planner'];
  readonly version: string;
  readonly caps: CapContext;
  /** Plan also a file of which a tenth of the rows or more equal payments of the last days. */
  readonly again: boolean;
}

interface PlanPorts {
  readonly files: Files;
  readonly database: DatabaseOpener;
  readonly clock: Clock;
  readonly journal: Journal;
  /** Where lists of errors are written. */
  readonly folder: string;
  readonly progress: (bytes: number, rows: number) => void;
}

export interface NewPlan {
  readonly head: PlanHead;
  readonly largest: readonly LargeRow[];
  readonly withoutAmount: number;
  readonly repeats: readonly RepeatedRows[];
  /** Payments of the last days that rows of it equal. */
  readonly equal: readonly EqualRows[];
}

/**
 * Checks every row of a file and records them as a batch, all or none. The file is read twice: first to check it, then
 * to record its rows, in which nothing can be wrong then. Throws BATCH_INVALID, BATCH_REFUSED, and what the request says
 * of a file that nobody confirmed.
 */
export async function makePlan(wanted: PlanRequest, ports: PlanPorts): Promise<NewPlan> {
  const { files, database, journal } = ports;
  const scratch = files.scratch();
  const opened = database.open(join(scratch.path, 'draft.db'));
  const log = new FaultLog(join(ports.folder, `${wanted.id}.errors.ndjson`), files);
  try {
    const plan = await new PlanCheck(wanted, ports, opened, log).run();
    await recordBatch(plan.head, readAgain(plan.head, wanted, ports), journal);
    return plan;
  } finally {
    log.drop();
    opened.close();
    scratch.remove();
  }
}

/**
 * Records a batch with its rows. When that fails its rows are cancelled, and others may have their ids. Throws
 * BATCH_REFUSED where another process took an order id meanwhile.
 */
export async function recordBatch(
  head: PlanHead,
  chunks: AsyncIterable<readonly NewRow[]>,
  journal: Journal,
): Promise<void> {
  const { id, digest, ...stored } = head;
  await journal.addBatch({ id, digest, head: { ...stored } });
  try {
    for await (const rows of chunks) {
      const taken = (await journal.addRows(id, rows)).find((each) => 'other' in each);
      if (taken !== undefined)
        throw fail('BATCH_REFUSED', {
          why: `another command was faster: ${describeEarlier(taken.other)}`,
          how: 'nothing was planned; repeat the command',
        });
    }
    await journal.changeBatch(id, ['planning'], { state: 'stopped' });
  } catch (error) {
    await journal.changeBatch(id, ['planning'], { state: 'cancelled' });
    throw error;
  }
}

/** `b-20300107-` and six letters or digits. */
export async function newPlanId(
  journal: Pick<Journal, 'findBatches'>,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<string> {
  const day = new Date(clock.now()).toISOString().slice(0, 10).replaceAll('-', '');
  for (;;) {
    const id = `b-${day}-${random.letters(6).toLowerCase()}`;
    if ((await journal.findBatches(id)).length === 0) return id;
  }
}

/** The rows of a file that was checked; it may have changed since. */
async function* readAgain(head: PlanHead, wanted: PlanRequest, ports: PlanPorts): AsyncGenerator<readonly NewRow[]> {
  const reading = new Reading(wanted, ports);
  for await (const { rows } of reading.chunks()) yield rows.flatMap(({ ready }) => ready?.row ?? []);
  const { digest, ...rest } = head;
  if (reading.digest.ofHead(rest) !== digest)
    throw fail('BATCH_REFUSED', {
      why: `${head.file.path} has changed while it was being read`,
      how: 'nothing was planned; repeat the command',
      file: head.file.path,
    });
}

/** Fewer equal payments to one account are not reported: two are common. */
const minRepeated = 3;
const maxRepeats = 5;

/** The first reading of a file, which finds everything that is wrong with it. */
class PlanCheck {
  readonly #request: PlanRequest;
  readonly #ports: PlanPorts;
  readonly #operation: Operation;
  readonly #reading: Reading;
  readonly #database: Database;
  readonly #draft: Draft;
  readonly #log: FaultLog;
  readonly #totals = new CurrencyTotals();
  readonly #refusals = new Refusals();
  readonly #equal: EqualPayments;
  #withoutAmount = 0;
  #hasCards = false;

  constructor(request: PlanRequest, ports: PlanPorts, database: Database, log: FaultLog) {
    this.#request = request;
    this.#ports = ports;
    this.#operation = request.gateway.row;
    this.#reading = new Reading(request, ports);
    this.#database = database;
    this.#draft = new Draft(database);
    this.#log = log;
    this.#equal = new EqualPayments(ports.journal, ports.clock.now());
  }

  async run(): Promise<NewPlan> {
    for await (const { rows, faults } of this.#reading.chunks()) {
      this.#checkCards();
      const own = this.#database.transaction(() => rows.flatMap((row) => [...faultsOf(row), ...this.#repeated(row)]));
      const taken = await this.#compare(rows);
      this.#log.add([...own, ...taken].sort((one, other) => one.line - other.line));
      this.#log.add(faults);
      this.#ports.progress(this.#reading.bytes, this.#reading.count);
    }
    if (this.#reading.count === 0 && this.#log.count === 0) this.#log.add([{ line: 1, why: 'the file has no rows' }]);
    const { count, first, path } = this.#log;
    if (count === 0) return this.#judge();
    this.#log.keep();
    throw invalidFileError(this.#request.name, count, first, path);
  }

  #checkCards(): void {
    if (this.#hasCards || !this.#reading.file.hasCards) return;
    this.#hasCards = true;
    checkCardFile(this.#request.path, this.#ports.files);
  }

  /** The fault of a row that repeats an earlier one. */
  #repeated({ number, file: { line }, checked, ready }: ReadRow): readonly Fault[] {
    if (checked === undefined) return [];
    const { values, sum } = checked;
    const { opens } = this.#operation;
    const ids = idsOfRow(values);
    const key = opens && (values['clientOrderId'] ?? '') === '' ? `row ${number}` : this.#sameKey(checked);
    const first = this.#draft.add({
      ...{ number, line, sum, clientOrderId: ids.clientOrderId, payment: ready?.row.payment },
      same: this.#ports.journal.hash(['same', key]),
      // Many cards have the same last digits.
      destination: ready?.row.card4 === undefined ? destinationOf(values) : '',
    });
    if (first === undefined) return [];
    if (!opens) return [{ line, ...ids, why: `it is the same as line ${first.line}` }];
    const field = this.#reading.file.nameOf('clientOrderId');
    const spelling = first.clientOrderId === ids.clientOrderId ? '' : ', apart from case, spaces or Unicode form';
    return [{ line, ...ids, field, why: `${field} is the same as on line ${first.line}${spelling}` }];
  }

  /**
   * Equal for two rows that are one request: the client order id of a payment, in whatever spelling; of another
   * operation all its fields except client order id and incidental texts.
   */
  #sameKey({ values, endpointId, sum }: CheckedRow): string {
    const { clientOrderId = '', amount, ...rest } = values;
    if (this.#operation.opens) return normalizeId(clientOrderId);
    const { fields } = this.#operation;
    const order = rest['orderId'] ?? normalizeId(clientOrderId);
    const decisive = storableKeys(this.#operation).filter((key) => fields[key]?.incidental !== true);
    return JSON.stringify([endpointId, sum?.minor ?? amount ?? '', order, ...decisive.map((key) => rest[key] ?? '')]);
  }

  /** Valid rows may still conflict with what was sent or planned, or exceed what is allowed. */
  async #compare(rows: readonly ReadRow[]): Promise<readonly Fault[]> {
    const ready = rows.flatMap(({ number, file, ready }) =>
      ready === undefined ? [] : [{ number, line: file.line, ...ready }],
    );
    const earlier = await findEarlier(
      this.#ports.journal,
      ready.map(({ row }) => row),
    );
    const taken: Fault[] = [];
    const fresh: { number: number; line: number; request: NewRequest }[] = [];
    for (const [at, { number, line, row, unsigned, sum, values }] of ready.entries()) {
      if (sum === undefined) this.#withoutAmount += 1;
      else this.#totals.add({ number, line, sum, destination: destinationOf(values) });
      const met = earlier[at];
      if (met?.is === 'other') taken.push(takenFault(met.request, line, values));
      else if (met !== undefined) this.#refuse(met.is, met.request, line, values);
      else fresh.push({ number, line, request: row });
      // Held against the caps as its command would be held.
      const { caps } = this.#request;
      await limitsOfRow(unsigned, { sum: undefined }, caps, this.#ports.journal).catch((error: unknown) => {
        if (!isPaycliError(error)) throw error;
        const place = placeText({ line, ...idsOfRow(values) });
        this.#refusals.add('caps', `${place}: ${String(error.facts['why'])}`);
      });
    }
    await this.#equal.searchSent(fresh);
    return taken;
  }

  #refuse(is: 'sent' | 'planned', request: Request, line: number, values: CheckedRow['values']): void {
    const ids = idsOfRow(values);
    // The earlier one is described with its own ids.
    const isNamed = ids.clientOrderId === undefined || ids.clientOrderId === request.clientOrderId;
    const place = isNamed ? `line ${line}` : placeText({ line, ...ids });
    this.#refusals.add(is, `${place}: ${describeEarlier(request)}`, request.batch);
  }

  /** Of a file in which nothing is wrong. */
  async #judge(): Promise<NewPlan> {
    const { name, expected, again, gateway } = this.#request;
    const { count } = this.#reading;
    const totals = this.#totals.totals();
    for (const difference of differences(expected, count, totals)) this.#refusals.add('totals', difference);
    await this.#equal.searchPlanned(this.#draft, gateway);
    const equal = this.#equal.groups();
    if (!again && mayRepeatFile(this.#equal.count, count)) {
      this.#refusals.add('equal', equalCountText(this.#equal.count, count));
      for (const group of equal) this.#refusals.add('equal', `  ${equalRowsText(group)}`);
    }
    const refused = this.#refusals.result();
    if (refused !== undefined)
      throw fail('BATCH_REFUSED', { why: listText(`${name} was not planned`, refused.reasons), how: refused.how });
    const unconfirmed = this.#request.findUnconfirmed(count, totals);
    if (unconfirmed !== undefined) throw unconfirmed;
    const head = this.#head(totals);
    const pays = this.#operation.opens && this.#operation.effect === 'money';
    const repeats = pays ? this.#draft.repeats(minRepeated, maxRepeats) : [];
    const [largest, withoutAmount] = [this.#totals.largest(), this.#withoutAmount];
    return { head, largest, withoutAmount, repeats, equal };
  }

  #head(totals: readonly Total[]): PlanHead {
    const { id, operation, planner, version, path, source, gateway } = this.#request;
    const { bytes, count, sha256, file, digest } = this.#reading;
    const head = {
      ...{ id, operation, madeAt: this.#ports.clock.now(), planner, version },
      ...gateway.place,
      file: {
        ...{ path, bytes, sha256: fileDigest(sha256, this.#hasCards, this.#ports.journal) },
        ...{ format: source.format, layout: file.layout },
      },
      ...{ count, totals, hasCards: this.#hasCards },
    };
    return { ...head, digest: digest.ofHead(head) };
  }
}

/** Of a row whose client order id belongs to something else. */
function takenFault(request: Request, line: number, values: CheckedRow['values']): Fault {
  const earlier = describeEarlier(request);
  const why = reachedStates.includes(request.state)
    ? `the client order id already belongs to another payment: ${earlier}; give this one another id`
    : `the client order id is taken: ${earlier}, so nothing took effect; give this one another id`;
  return { line, ...idsOfRow(values), field: 'client_orderid', why };
}

function faultsOf({ file, checked }: ReadRow): readonly Fault[] {
  // In a row that cannot be read, the ids may be something else.
  const ids = checked === undefined ? {} : idsOfRow(file.values);
  return [...file.faults.map((fault) => ({ ...fault, ...ids })), ...(checked?.faults ?? [])];
}

/** An id without differences that a gateway, a database or a spreadsheet may ignore. */
function normalizeId(id: string): string {
  return id
    .normalize('NFKC')
    .replace(/[\s\p{Z}]/gu, '')
    .toLowerCase();
}
