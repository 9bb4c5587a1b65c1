import { join } from 'node:path';
import { isPaycliError } from '../../errors/index.js';
import {
  describeIntent,
  type Intent,
  isEqual,
  type Journal,
  reachedStates,
  type State,
  unsentStates,
} from '../../journal/index.js';
import type { Database, Files, SqlRow } from '../../runtime/ports.js';
import { type Operation, operationById } from '../../spec/index.js';
import { gatewayName } from '../../wire/address.js';
import { type BatchConnection, intentForRow, orderPlaceOf } from '../connection.js';
import type { CheckedRow } from '../input/check-row.js';
import { notedCancelled, type PlanHead } from '../plan.js';
import { parseTexts } from './plan-draft.js';
import { openPlan, type PlanPorts } from './plan-store.js';

/**
 * Equal for two rows that are one payment: the normalised client order id of an opening operation; for another
 * operation all its fields except client order id and incidental texts.
 */
export function duplicateKey(row: Operation, { values, endpointId, sum }: CheckedRow, keys: readonly string[]): string {
  const { clientOrderId } = values;
  if (row.opens) return normalizeId(clientOrderId ?? '');
  const { clientOrderId: _, amount, ...rest } = values;
  // A query by the client order id alone is about that id.
  const order = rest['orderId'] ?? normalizeId(clientOrderId ?? '');
  const decisive = keys.filter((key) => row.fields[key]?.incidental !== true);
  return JSON.stringify([endpointId, sum?.minor ?? amount ?? '', order, ...decisive.map((key) => rest[key] ?? '')]);
}

/** An id without differences that a gateway, a database or a spreadsheet may ignore. */
function normalizeId(id: string): string {
  return /^[\x21-\x7e]*$/.test(id)
    ? id.toLowerCase()
    : id
        .normalize('NFKC')
        .replace(/[\s\p{Z}]/gu, '')
        .toLowerCase();
}

/**
 * Tells whether the journal may have something about a row. Where rows open orders, the client order ids of all `rows`
 * are looked up at once, and most of them are unused.
 */
export function journalPrefilter(
  row: Operation,
  rows: readonly HasValues[],
  journal: Pick<Journal, 'used'>,
): (one: HasValues) => boolean {
  if (!row.opens) return () => true;
  const idOf = ({ values }: HasValues) => values['clientOrderId'] ?? '';
  const used = journal.used(rows.map(idOf));
  return (one) => idOf(one) === '' || used.has(idOf(one));
}

type HasValues = Pick<CheckedRow, 'values'>;

interface PriorIntent {
  /** `sent`: it would be sent a second time. `other`: its id belongs to another payment. */
  readonly is: 'sent' | 'other';
  readonly intent: Intent;
}

/** The intent in the journal that blocks a row; undefined when it may be sent. */
export function findPriorIntent(
  connection: Pick<BatchConnection, 'row' | 'target' | 'place'>,
  checked: Pick<CheckedRow, 'values' | 'endpointId'>,
  journal: Journal,
): PriorIntent | undefined {
  const { row, place } = connection;
  if (row.effect === 'read') return undefined;
  const earlier = journal.before(orderPlaceOf(row, checked, place.base));
  const { clientOrderId = '' } = checked.values;
  if (earlier.length === 0 && !(row.opens && journal.used([clientOrderId]).has(clientOrderId))) return undefined;
  const wanted = intentForRow({ ...connection, hash: (parts) => journal.hash(parts) }, checked);
  const isSame = (intent: Intent) => isEqual(intent, wanted);
  const sent =
    earlier.findLast((intent) => isSame(intent) && reachedStates.includes(intent.state)) ??
    journal.atAnotherEndpoint(wanted);
  if (sent !== undefined) return { is: 'sent', intent: sent };
  const other =
    wanted.kind === 'opening' ? earlier.find((intent) => !isSame(intent) && intent.state !== 'refused') : undefined;
  return other === undefined ? undefined : { is: 'other', intent: other };
}

/** Why a row is a duplicate, in words that fit after its line; with the user's id, then the gateway's. */
export function describeSent(intent: Intent): string {
  const { changedAt, state, clientOrderId, orderId } = intent;
  const hasBoth = clientOrderId !== undefined && orderId !== undefined && clientOrderId !== orderId;
  const words = hasBoth
    ? `${describeIntent({ ...intent, orderId: undefined })} (gateway order id ${orderId})`
    : describeIntent(intent);
  return `${words} is already in the journal, ${state} since ${new Date(changedAt).toISOString().slice(0, 19)}Z`;
}

type PlannedRow = Pick<CheckedRow, 'values' | 'endpointId' | 'sum'>;

/** A row that another plan has as well. */
interface SharedRow extends PlannedRow {
  readonly number: number;
  readonly line: number;
  /** Its number there. */
  readonly theirNumber: number;
  /** As it is in that plan. */
  readonly theirs: PlannedRow;
}

const sharedColumns = ['mine', 'theirs']
  .flatMap((table) =>
    ['number', 'line', 'endpoint_id', 'minor', 'currency', 'content'].map(
      (name) => `${table}.${name} AS ${table}_${name}`,
    ),
  )
  .join(', ');

/** The key of a row that makes no order begins with its endpoint (see `duplicateKey`), which may be another there. */
const sharedSql = (opens: boolean) =>
  `SELECT ${sharedColumns} FROM main.rows AS mine ${
    opens
      ? 'JOIN other.rows AS theirs ON theirs.same = mine.same'
      : `JOIN json_each(?) AS endpoint JOIN other.rows AS theirs
       ON theirs.same = '[' || json_quote(endpoint.value)
         || substr(mine.same, length(json_quote(mine.endpoint_id)) + 2)`
  } WHERE mine.number > ? ORDER BY mine.number LIMIT ?`;

/** Rows of a draft that another plan's file has too, to whatever endpoint, a page of them at a time. */
function* pagesSharedWith(database: Database, path: string, opens: boolean): Generator<readonly SharedRow[]> {
  database.run('ATTACH DATABASE ? AS other', path);
  try {
    const ids = opens
      ? []
      : database.all('SELECT DISTINCT endpoint_id AS id FROM other.rows').map(({ id }) => String(id));
    const endpoints = opens ? [] : [JSON.stringify(ids)];
    for (let after = 0; ; ) {
      const rows = database.all(sharedSql(opens), ...endpoints, after, pageOfRows).map(sharedRowFrom);
      if (rows.length > 0) yield rows;
      if (rows.length < pageOfRows) return;
      after = rows.at(-1)?.number ?? after;
    }
  } finally {
    database.exec('DETACH DATABASE other');
  }
}

function sharedRowFrom(row: SqlRow): SharedRow {
  const plannedIn = (table: 'mine' | 'theirs'): PlannedRow => {
    const [minor, currency] = [row[`${table}_minor`], row[`${table}_currency`]];
    return {
      endpointId: String(row[`${table}_endpoint_id`]),
      values: parseTexts(String(row[`${table}_content`])),
      sum: typeof minor === 'string' && typeof currency === 'string' ? { minor, currency } : undefined,
    };
  };
  return {
    ...plannedIn('mine'),
    ...{ number: Number(row['mine_number']), line: Number(row['mine_line']) },
    ...{ theirNumber: Number(row['theirs_number']), theirs: plannedIn('theirs') },
  };
}

interface NewPlan {
  readonly id: string;
  readonly row: Operation;
  readonly base: string;
  readonly sha256: string;
}

interface ConflictContext {
  readonly draft: Database;
  readonly journal: Journal;
}

const maxNamed = 5;
export const pageOfRows = 1000;

/** Conflicts of this plan with others, each in words. */
interface PlanConflicts {
  /** Never run, and has rows of this one. */
  readonly planned: string[];
  /** Was run, and has not sent all the rows of this one, as far as is known here. */
  readonly begun: string[];
  /** Sent rows of this one, at another endpoint. */
  readonly sent: string[];
  /** The id of the first plan of each kind. */
  readonly first: { planned?: string; begun?: string };
}

/** Plans with rows of this one that they have sent elsewhere at this gateway, or not yet. */
export function findConflictingPlans(
  wanted: NewPlan,
  others: readonly OtherPlan[],
  context: ConflictContext,
): PlanConflicts {
  const conflicts: PlanConflicts = { planned: [], begun: [], sent: [], first: {} };
  for (const other of others) {
    const { head, wasRun } = other;
    const { id } = head;
    const { unsent, sent } = conflictingLines(other, wanted, context);
    const made = new Date(head.madeAt).toISOString().slice(0, 10);
    const isSame = head.file.sha256 === wanted.sha256;
    if (sent.length > 0)
      conflicts.sent.push(
        `plan ${id} of ${made} has already sent ${linesText(sent)}${isSame ? ' of this same file' : ''} with profile ${head.profile}`,
      );
    if (unsent.length === 0) continue;
    const what = isSame ? 'was made from the same file' : `also contains ${linesText(unsent)}`;
    const kind = wasRun ? 'begun' : 'planned';
    conflicts.first[kind] ??= id;
    conflicts[kind].push(`plan ${id} of ${made} ${what} and has not sent everything: \`paycli batch show ${id}\``);
  }
  return conflicts;
}

export interface OtherPlan {
  readonly path: string;
  readonly head: PlanHead;
  readonly wasRun: boolean;
  /** Rows of it that nothing sends any more, by their numbers. */
  readonly cancelled: ReadonlySet<number>;
}

/** The ids of all plans in a folder. */
export function planIds({ folder, files }: PlanFolder): string[] {
  return files.list(folder).flatMap((name) => /^(b-.+)\.db$/.exec(name)?.[1] ?? []);
}

interface PlanFolder {
  readonly folder: string;
  readonly files: Pick<Files, 'list'>;
}

/** The other plans of this machine for a gateway. */
export function otherPlansFor(wanted: Pick<NewPlan, 'id' | 'base'>, place: PlanFolder, ports: PlanPorts): OtherPlan[] {
  return planIds(place)
    .filter((id) => id !== wanted.id)
    .flatMap((id) => readOtherPlan(join(place.folder, `${id}.db`), ports) ?? [])
    .filter(({ head }) => gatewayName(head.base) === gatewayName(wanted.base));
}

/** A plan that cannot be read does not block another: what was sent of it is in the journal. */
function readOtherPlan(path: string, ports: PlanPorts): OtherPlan | undefined {
  try {
    const plan = openPlan(path, ports);
    try {
      return {
        ...{ path, head: plan.head, cancelled: notedCancelled(plan) },
        wasRun: plan.sentBy() !== undefined || plan.events().some(({ what }) => what === 'run began'),
      };
    } finally {
      plan.close();
    }
  } catch (error) {
    if (isPaycliError(error)) return undefined;
    throw error;
  }
}

interface ConflictingLines {
  readonly unsent: number[];
  readonly sent: number[];
}

/** Some lines that the other plan may still send, and some that it sent at another endpoint than this one would. */
function conflictingLines(
  { path, head, cancelled }: OtherPlan,
  wanted: NewPlan,
  context: ConflictContext,
): ConflictingLines {
  const lines: ConflictingLines = { unsent: [], sent: [] };
  const there = { row: operationById(head.operation), base: head.base };
  for (const shared of pagesSharedWith(context.draft, path, wanted.row.opens)) {
    for (const mine of shared) {
      const states = journaledStates(mine.theirs, there, context.journal);
      const isElsewhere = mine.theirs.endpointId !== mine.endpointId;
      if (isElsewhere && states.some((state) => reachedStates.includes(state))) lines.sent.push(mine.line);
      else if (
        !cancelled.has(mine.theirNumber) &&
        !wasSent(states) &&
        !wasSent(journaledStates(mine, wanted, context.journal))
      )
        lines.unsent.push(mine.line);
    }
    if (lines.unsent.length > maxNamed || lines.sent.length > maxNamed) return lines;
  }
  return lines;
}

/** By the journal. A row that the gateway refused does not count: its correction is in a new plan. */
function wasSent(states: readonly State[]): boolean {
  return states.some((state) => !unsentStates.includes(state));
}

/** Of the same request: much else may have been done on an order. */
function journaledStates(
  planned: PlannedRow,
  { row, base }: Pick<NewPlan, 'row' | 'base'>,
  journal: Journal,
): readonly State[] {
  const { sum } = planned;
  return journal
    .before(orderPlaceOf(row, planned, base))
    .filter(
      (each) =>
        row.opens ||
        (each.operation === row.id && each.sum?.minor === sum?.minor && each.sum?.currency === sum?.currency),
    )
    .map(({ state }) => state);
}

/** Such as `lines 2, 3, 4, 5, 6 and more`. */
export function linesText(lines: readonly number[]): string {
  const named = lines.slice(0, maxNamed).join(', ');
  return `${lines.length === 1 ? 'line' : 'lines'} ${named}${lines.length > maxNamed ? ' and more' : ''}`;
}
