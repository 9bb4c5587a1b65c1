import { join } from 'node:path';
import { isPaycliError } from '../errors/index.js';
import type { Journal, State } from '../journal/index.js';
import { entryKind } from '../payments/journal-entry.js';
import type { Database, Files } from '../runtime/ports.js';
import { type Operation, operationById } from '../spec/index.js';
import { gatewayName } from '../wire/address.js';
import { overOrOpen, type Shared, sharedWith } from './duplicates.js';
import type { PlanHead } from './plan.js';
import { openPlan, type PlanPorts } from './plan-store.js';

interface New {
  readonly id: string;
  readonly row: Operation;
  readonly base: string;
  readonly sha256: string;
}

interface Desk {
  readonly draft: Database;
  readonly folder: string;
  readonly files: Pick<Files, 'list'>;
  readonly journal: Journal;
  readonly plan: PlanPorts;
}

const mostNamed = 5;
const pageOfRows = 1000;

/** What other plans have against this one, each in words. */
export interface OthersSay {
  /** Never run, and holds rows of this one. */
  readonly planned: string[];
  /** Was run, and has rows of this one left, as far as is known here. */
  readonly begun: string[];
  /** Sent rows of this one, at another endpoint. */
  readonly sent: string[];
}

/** Plans with rows of this one that they have sent elsewhere at this gateway, or not yet. */
export function otherPlans(wanted: New, desk: Desk): OthersSay {
  const say: OthersSay = { planned: [], begun: [], sent: [] };
  for (const id of planIds(desk)) {
    const path = join(desk.folder, `${id}.db`);
    const other = otherAt(path, desk.plan);
    if (id === wanted.id || other === undefined || gatewayName(other.head.base) !== gatewayName(wanted.base)) continue;
    const { head, wasRun, there } = other;
    const { unsent, sent } = linesOf(path, head, wanted, desk);
    const made = new Date(head.madeAt).toISOString().slice(0, 10);
    const isSame = head.file.sha256 === wanted.sha256;
    if (sent.length > 0)
      say.sent.push(
        `plan ${id} of ${made} sent ${linesText(sent)}${isSame ? ' of this very file' : ''} already, with profile ${head.profile}`,
      );
    if (unsent.length === 0) continue;
    const what = isSame ? 'was made from the same file' : `holds ${linesText(unsent)} as well`;
    const left = there === undefined ? 'has not sent everything' : `may have sent it from ${there}`;
    say[wasRun ? 'begun' : 'planned'].push(`plan ${id} of ${made} ${what} and ${left}: \`paycli batch show ${id}\` (${path})`);
  }
  return say;
}

export function planIds({ folder, files }: Pick<Desk, 'folder' | 'files'>): string[] {
  return files.list(folder).flatMap((name) => /^(b-.+)\.db$/.exec(name)?.[1] ?? []);
}

interface Other {
  readonly head: PlanHead;
  readonly wasRun: boolean;
  /** The database it runs on. */
  readonly there: string | undefined;
}

/** A plan that cannot be read is no reason against another: what was sent of it is in the journal. */
function otherAt(path: string, ports: PlanPorts): Other | undefined {
  try {
    const plan = openPlan(path, ports);
    try {
      const bound = plan.binding();
      const there = bound?.engine.kind === 'postgres' ? bound.shown : undefined;
      return { head: plan.head, wasRun: bound !== undefined || plan.events().some(({ what }) => what === 'run began'), there };
    } finally {
      plan.close();
    }
  } catch (error) {
    if (isPaycliError(error)) return undefined;
    throw error;
  }
}

interface Lines {
  readonly unsent: number[];
  readonly sent: number[];
}

/** Some lines that the other plan may still send, and some that it sent at another endpoint than this one would. */
function linesOf(path: string, head: PlanHead, wanted: New, desk: Desk): Lines {
  const lines: Lines = { unsent: [], sent: [] };
  const theirRow = operationById(head.operation);
  for (let after = 0; lines.unsent.length <= mostNamed && lines.sent.length <= mostNamed; ) {
    const shared = sharedWith(desk.draft, path, after, pageOfRows);
    const last = shared.at(-1);
    if (last === undefined) return lines;
    for (const mine of shared) {
      const states = statesOf(mine.theirs, { row: theirRow, base: head.base }, desk.journal);
      const isElsewhere = mine.theirs.endpointId !== mine.endpointId;
      if (isElsewhere && states.some((state) => overOrOpen.includes(state))) lines.sent.push(mine.line);
      else if (!hasLeft(states) && !hasLeft(statesOf(mine, wanted, desk.journal))) lines.unsent.push(mine.line);
    }
    after = last.number;
  }
  return lines;
}

/** The journal speaks for what left; a row the gateway refused is over, and its correction stands in a new plan. */
function hasLeft(states: readonly State[]): boolean {
  return states.some((state) => state !== 'planned' && state !== 'not_sent');
}

function statesOf(
  { values, endpointId }: Pick<Shared, 'values' | 'endpointId'>,
  { row, base }: Pick<New, 'row' | 'base'>,
  journal: Journal,
): readonly State[] {
  const { clientOrderId, orderId } = values;
  const kind = entryKind(row, orderId);
  const met = journal.before({ kind, base, endpointId, operation: row.id, clientOrderId, orderId: row.opens ? undefined : orderId });
  return met.map(({ state }) => state);
}

function linesText(lines: readonly number[]): string {
  const named = lines.slice(0, mostNamed).join(', ');
  return `${lines.length === 1 ? 'line' : 'lines'} ${named}${lines.length > mostNamed ? ' and more' : ''}`;
}
