import { join } from 'node:path';
import { isPaycliError } from '../errors/index.js';
import { kindOfIntent } from '../gateway/intents.js';
import type { Journal } from '../journal/index.js';
import type { Database, Files } from '../runtime/ports.js';
import type { Operation } from '../spec/index.js';
import { gatewayName } from '../wire/address.js';
import { type Shared, sharedWith } from './duplicates.js';
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

/** Plans with rows of this one that they have not sent yet, each in words. */
export function otherPlans(wanted: New, desk: Desk): string[] {
  return planIds(desk).flatMap((id) => {
    const path = join(desk.folder, `${id}.db`);
    const head = headOf(path, desk.plan);
    if (id === wanted.id || head === undefined || gatewayName(head.base) !== gatewayName(wanted.base)) return [];
    const lines = unsentLines(path, wanted, desk);
    if (lines.length === 0) return [];
    const made = new Date(head.madeAt).toISOString().slice(0, 10);
    const isSame = head.file.sha256 === wanted.sha256;
    const what = isSame ? 'was made from the same file' : `holds ${linesText(lines)} as well`;
    return [`plan ${id} of ${made} ${what} and has not sent everything: \`paycli batch show ${id}\` (${path})`];
  });
}

export function planIds({ folder, files }: Pick<Desk, 'folder' | 'files'>): string[] {
  return files.list(folder).flatMap((name) => /^(b-.+)\.db$/.exec(name)?.[1] ?? []);
}

/** A plan that cannot be read is no reason against another: what was sent of it is in the journal. */
function headOf(path: string, ports: PlanPorts): PlanHead | undefined {
  try {
    const plan = openPlan(path, ports);
    plan.close();
    return plan.head;
  } catch (error) {
    if (isPaycliError(error)) return undefined;
    throw error;
  }
}

/** Some lines that the other plan may still send. */
function unsentLines(path: string, wanted: New, desk: Desk): number[] {
  const lines: number[] = [];
  for (let after = 0; lines.length <= mostNamed; ) {
    const shared = sharedWith(desk.draft, path, after, pageOfRows);
    const last = shared.at(-1);
    if (last === undefined) return lines;
    lines.push(...shared.filter((row) => !hasLeft(row, wanted, desk.journal)).map(({ line }) => line));
    after = last.number;
  }
  return lines;
}

/** The journal speaks for what left; a row the gateway refused is over, and its correction stands in a new plan. */
function hasLeft({ values, endpointId }: Shared, { row, base }: New, journal: Journal): boolean {
  const { clientOrderId, orderId } = values;
  const kind = kindOfIntent(row, orderId);
  const met = journal.before({ kind, base, endpointId, operation: row.id, clientOrderId, orderId: row.opens ? undefined : orderId });
  return met.some(({ state }) => state !== 'planned' && state !== 'not_sent');
}

function linesText(lines: readonly number[]): string {
  const named = lines.slice(0, mostNamed).join(', ');
  return `${lines.length === 1 ? 'line' : 'lines'} ${named}${lines.length > mostNamed ? ' and more' : ''}`;
}
