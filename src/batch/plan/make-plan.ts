import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Journal } from '../../journal/index.js';
import type { Clock, DatabaseOpener, Files, Processes } from '../../runtime/ports.js';
import type { Unsigned } from '../../signing/index.js';
import { type Operation, type OperationId, operationById } from '../../spec/index.js';
import { type BatchConnection, unsignedOf } from '../connection.js';
import {
  type CheckedRow,
  checkRow,
  destinationOf,
  type GatewayProfile,
  idsOfRow,
  storableKeys,
} from '../input/check-row.js';
import { type FileRow, type InputFormat, RowReader } from '../input/file-rows.js';
import { type Fault, FaultLog, placeText, TailBuffer } from '../input/source.js';
import type { PlanHead, Total } from '../plan.js';
import { CurrencyTotals, type LargeRow, PlanDigest } from './digest.js';
import {
  describeSent,
  duplicateKey,
  findConflictingPlans,
  findPriorIntent,
  journalPrefilter,
  type OtherPlan,
  otherPlansFor,
} from './duplicates.js';
import { EqualPayments, type EqualRows, equalCountText, equalRowsText, mayRepeatFile } from './equal-payments.js';
import { differences, type Expected } from './expected-content.js';
import { PlanDraft, type RepeatedRows } from './plan-draft.js';
import { rowSeal, sealedDigest } from './plan-store.js';
import { Refusals } from './refusals.js';

interface PlanRequest {
  readonly id: string;
  /** Absolute. */
  readonly path: string;
  readonly operation: OperationId;
  readonly source: InputFormat;
  readonly gateway: GatewayProfile;
  readonly expected: Expected;
  readonly planner: PlanHead['planner'];
  readonly version: string;
  /** Why a row may not be sent by anybody, such as a cap; undefined where there can be no reason. */
  readonly refusal: ((unsigned: Unsigned) => string | undefined) | undefined;
  /** Plan also a file of which a tenth of the rows or more equal payments of the last days. */
  readonly again: boolean;
  /** Throws where the file may be read by others. */
  readonly checkCardFile: () => void;
}

interface PlanBuildPorts {
  readonly files: Files;
  readonly database: DatabaseOpener;
  readonly clock: Clock;
  readonly journal: Journal;
  /** Keyed hash for files with card numbers; see `PlanPorts`. */
  readonly cardFileHash?: ((parts: readonly string[]) => string) | undefined;
  readonly processes: Pick<Processes, 'pid' | 'isAlive'>;
  /** Where plans are kept. */
  readonly folder: string;
  readonly progress: (bytes: number, rows: number) => void;
}

export type PlanResult =
  | {
      readonly kind: 'planned';
      readonly head: PlanHead;
      readonly largest: readonly LargeRow[];
      readonly withoutAmount: number;
      readonly repeats: readonly RepeatedRows[];
      /** Payments of the last days that rows of it equal. */
      readonly equal: readonly EqualRows[];
    }
  | { readonly kind: 'faulty'; readonly count: number; readonly first: readonly Fault[]; readonly log: string }
  /** A valid file whose content nobody has confirmed. */
  | { readonly kind: 'unconfirmed'; readonly count: number; readonly totals: readonly Total[] }
  | { readonly kind: 'refused'; readonly reasons: readonly string[]; readonly how: string };

export function planPath(folder: string, id: string): string {
  return join(folder, `${id}.db`);
}

/** Checks every row of a file and freezes them, all or none. */
export async function makePlan(wanted: PlanRequest, ports: PlanBuildPorts): Promise<PlanResult> {
  const { files, folder, processes } = ports;
  clearDrafts(folder, files, processes);
  const path = join(folder, `.${wanted.id}.${processes.pid}.draft`);
  const builder = new PlanBuilder(wanted, ports, path);
  try {
    await builder.readFile();
    const result = builder.judge();
    builder.close();
    if (result.kind === 'planned') files.move(path, planPath(folder, wanted.id));
    return result;
  } finally {
    builder.close();
    for (const ending of companions) files.remove(`${path}${ending}`);
  }
}

const companions = ['', '-wal', '-shm', '-journal'];

/** Removes unfinished drafts of processes that are gone. */
function clearDrafts(folder: string, files: Files, { isAlive }: PlanBuildPorts['processes']): void {
  for (const name of files.list(folder)) {
    const pid = /^\.b-.+\.(\d+)\.draft(?:-\w+)?$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) files.remove(join(folder, name));
  }
}

const pageOfRows = 1000;
/** Fewer equal payments to one account are not reported: two are common. */
const minRepeated = 3;
const maxRepeats = 5;

class PlanBuilder {
  readonly #request: PlanRequest;
  readonly #ports: PlanBuildPorts;
  readonly #row: Operation;
  readonly #connection: Pick<BatchConnection, 'row' | 'target' | 'place'>;
  readonly #keys: readonly string[];
  readonly #reader: RowReader;
  readonly #digest = new PlanDigest();
  readonly #draft: PlanDraft;
  readonly #log: FaultLog;
  readonly #totals = new CurrencyTotals();
  readonly #refusals = new Refusals();
  readonly #equal: EqualPayments;
  readonly #tail = new TailBuffer();
  #fileDigest = '';
  #bytes = 0;
  #count = 0;
  #withoutAmount = 0;
  #hasCards = false;
  #isOpen = true;

  constructor(wanted: PlanRequest, ports: PlanBuildPorts, path: string) {
    this.#request = wanted;
    this.#ports = ports;
    this.#row = operationById(wanted.operation);
    const { base, login, profile, class: kind, target } = wanted.gateway;
    this.#connection = { row: this.#row, target, place: { base, login, profile, class: kind } };
    this.#equal = new EqualPayments({ connection: this.#connection, journal: ports.journal, now: ports.clock.now() });
    this.#keys = storableKeys(this.#row);
    this.#reader = new RowReader(wanted.source);
    this.#draft = new PlanDraft(ports.database.open(path), this.#digest, this.#keys);
    this.#log = new FaultLog(join(ports.folder, `${wanted.id}.errors.ndjson`), ports.files, this.#draft.database);
  }

  async readFile(): Promise<void> {
    for await (const { rows, faults } of this.#reader.read(this.#pieces())) {
      if (this.#reader.hasCards && !this.#hasCards) {
        this.#hasCards = true;
        this.#request.checkCardFile();
      }
      const isMet = journalPrefilter(this.#row, rows, this.#ports.journal);
      for (const row of rows) this.#addRow(row, isMet);
      this.#equal.searchJournal();
      this.#log.add(faults);
      this.#ports.progress(this.#bytes, this.#count);
    }
    if (this.#count === 0 && this.#log.count === 0) this.#log.add([{ line: 1, why: 'the file has no rows' }]);
  }

  /** The summary of the file, and the plan if nothing is wrong. */
  judge(): PlanResult {
    this.#draft.sort();
    this.#findDuplicates();
    this.#draft.commit();
    if (this.#log.count > 0) {
      const first = this.#log.keep();
      return { kind: 'faulty', count: this.#log.count, first, log: this.#log.path };
    }
    const { expected } = this.#request;
    const totals = this.#totals.totals();
    this.#refusals.add('totals', differences(expected, this.#count, totals));
    if (this.#row.effect !== 'read') {
      const others = this.#otherPlans();
      this.#checkOtherPlans(others);
      this.#checkEqualPayments(others);
    }
    const refused = this.#refusals.result(this.#count);
    if (refused !== undefined) return { kind: 'refused', ...refused };
    if (expected.isIncomplete) return { kind: 'unconfirmed', count: this.#count, totals };
    const head = this.#head();
    const pays = this.#row.opens && this.#row.effect === 'money';
    const repeats = pays ? this.#draft.repeats(minRepeated, maxRepeats) : [];
    this.#draft.finish(head);
    const [largest, equal] = [this.#totals.largest(), this.#equal.groups()];
    return { kind: 'planned', head, largest, withoutAmount: this.#withoutAmount, repeats, equal };
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#draft.database.close();
  }

  *#pieces(): Generator<Uint8Array> {
    const hash = createHash('sha256');
    for (const piece of this.#ports.files.pieces(this.#request.path)) {
      hash.update(piece);
      this.#tail.add(piece);
      this.#bytes += piece.length;
      yield piece;
    }
    this.#fileDigest = hash.digest('hex');
  }

  #addRow(row: FileRow, isMet: ReturnType<typeof journalPrefilter>): void {
    this.#count += 1;
    // In a row that cannot be read, the ids may be something else.
    const ids = row.isRead ? idsOfRow(row.values) : {};
    this.#log.add(row.faults.map((fault) => ({ ...fault, ...ids })));
    if (!row.isRead) return;
    const checked = checkRow(row, this.#row, this.#request.gateway);
    this.#log.add(checked.faults);
    const { values, endpointId, sum } = checked;
    const { line, range } = row;
    const number = this.#count;
    const id = values['clientOrderId'] ?? '';
    const destination = destinationOf(values);
    if (checked.faults.length === 0) this.#checkAgainstOthers(checked, { number, line, destination }, isMet(checked));
    const same = this.#row.opens && id === '' ? `row ${number}` : duplicateKey(this.#row, checked, this.#keys);
    const { from, bytes } = range;
    const source = this.#hasCards
      ? { from, bytes, seal: rowSeal(number, this.#tail.slice(range), this.#cardFileHash) }
      : undefined;
    this.#draft.add({ number, line, values, endpointId, sum, destination, range, same, source });
  }

  /** A valid row may still conflict with what was sent or planned, or exceed what is allowed. */
  #checkAgainstOthers(
    checked: CheckedRow,
    place: Pick<LargeRow, 'number' | 'line' | 'destination'>,
    mayHaveMet: boolean,
  ): void {
    const { refusal } = this.#request;
    const { sum, digits } = checked;
    const { line } = place;
    if (sum === undefined) this.#withoutAmount += 1;
    else this.#totals.add({ ...place, minor: BigInt(sum.minor), currency: sum.currency, digits });
    const met = mayHaveMet ? findPriorIntent(this.#connection, checked, this.#ports.journal) : undefined;
    const ids = idsOfRow(checked.values);
    // A sent row is described with its own ids.
    const isNamed = ids.clientOrderId === undefined || ids.clientOrderId === met?.intent.clientOrderId;
    if (met === undefined) this.#equal.add({ ...place, checked });
    if (met?.is === 'sent') this.#refusals.addPlan('sent', this.#ports.journal.planOf(met.intent.id));
    if (met?.is === 'sent')
      this.#refusals.addRow('sent', isNamed ? `line ${line}` : placeText({ line, ...ids }), describeSent(met.intent));
    if (met?.is === 'other')
      this.#log.add([
        {
          ...{ line, ...ids },
          field: 'client_orderid',
          why: `the client order id already belongs to another payment: ${describeSent(met.intent)}`,
        },
      ]);
    const why = refusal?.(unsignedOf(this.#connection, checked));
    if (why !== undefined) this.#refusals.addRow('caps', placeText({ line, ...ids }), why);
  }

  #findDuplicates(): void {
    const { opens } = this.#row;
    const id = this.#reader.nameOf('clientOrderId');
    for (let after = 0; ; ) {
      const duplicates = this.#draft.duplicatesAfter(after, pageOfRows);
      this.#log.add(
        duplicates.map(({ line, firstLine, isExact, values }) => ({
          ...{ line, ...idsOfRow(values) },
          ...(opens ? { field: id } : {}),
          why: opens
            ? `${id} is the same as on line ${firstLine}${isExact ? '' : ', apart from case, spaces or Unicode form'}`
            : `it is the same as line ${firstLine}`,
        })),
      );
      const last = duplicates.at(-1);
      if (last === undefined) return;
      after = last.number;
    }
  }

  #otherPlans(): OtherPlan[] {
    const { id, gateway } = this.#request;
    const { database, files, clock, folder } = this.#ports;
    const ports = { database, files, clock, cardFileHash: this.#cardFileHash };
    return otherPlansFor({ id, base: gateway.base }, { folder, files }, ports);
  }

  #checkOtherPlans(others: readonly OtherPlan[]): void {
    const { id, gateway } = this.#request;
    const { sent, begun, planned, first } = findConflictingPlans(
      { id, row: this.#row, base: gateway.base, sha256: this.#sha256 },
      others,
      { draft: this.#draft.database, journal: this.#ports.journal },
    );
    this.#refusals.add('sent', sent);
    this.#refusals.add('begun', begun, first.begun);
    this.#refusals.add('planned', planned, first.planned);
  }

  /** Rows under new ids that pay what was paid before: when most of them do, the file may be one that was paid. */
  #checkEqualPayments(others: readonly OtherPlan[]): void {
    this.#equal.searchPlans(this.#draft.database, others);
    const { count } = this.#equal;
    if (this.#request.again || !mayRepeatFile(count, this.#count)) return;
    const groups = this.#equal.groups();
    const texts = groups.map((group) => `  ${equalRowsText(group)}`);
    this.#refusals.add('equal', [equalCountText(count, this.#count), ...texts], groups[0]?.plan);
  }

  get #sha256(): string {
    return this.#hasCards ? sealedDigest(this.#fileDigest, this.#cardFileHash) : this.#fileDigest;
  }

  readonly #hash = (parts: readonly string[]): string => this.#ports.journal.hash(parts);
  readonly #cardFileHash = (parts: readonly string[]): string => (this.#ports.cardFileHash ?? this.#hash)(parts);

  #head(): PlanHead {
    const { id, operation, planner, version, path, source, gateway } = this.#request;
    const head = {
      ...{ id, operation, madeAt: this.#ports.clock.now(), planner, version },
      ...{ profile: gateway.profile, class: gateway.class, base: gateway.base, login: gateway.login },
      file: { path, bytes: this.#bytes, sha256: this.#sha256, format: source.format, layout: this.#reader.layout },
      ...{ count: this.#count, totals: this.#totals.totals(), hasCards: this.#hasCards },
    };
    return { ...head, digest: this.#digest.ofHead(head) };
  }
}
