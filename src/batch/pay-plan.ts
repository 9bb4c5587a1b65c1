import { join } from 'node:path';
import { fail } from '../errors/index.js';
import type { Journal, State } from '../journal/index.js';
import type { Clock, DatabaseOpener, Files } from '../runtime/ports.js';
import { operationById } from '../spec/index.js';
import { keptKeys } from './check-row.js';
import { digestVersion, PlanDigest } from './digest.js';
import { pagesOf } from './pages.js';
import type { PlanHead, PlanStore } from './plan.js';
import { PlanDraft } from './plan-file.js';
import { intentOfRow } from './standing.js';
import { Totals } from './totals.js';

export interface PayPorts {
  readonly files: Files;
  readonly database: DatabaseOpener;
  readonly clock: Clock;
  readonly journal: Journal;
  /** Where plans are kept. */
  readonly folder: string;
}

export interface WantedPay {
  readonly id: string;
  readonly planner: PlanHead['planner'];
  readonly version: string;
}

const operation = 'PAYOUT_V4_PAY';
const final: readonly State[] = ['done', 'declined', 'refused'];

/**
 * Freezes the second step of a plan of checks: a row for each payout the gateway validated, with its order, amount and recipient.
 * Throws BATCH_REFUSED while the outcome of a check is open, or none was validated.
 */
export async function makePayPlan(check: PlanStore, wanted: WantedPay, ports: PayPorts): Promise<PlanHead> {
  const draftPath = join(ports.folder, `.${wanted.id}.draft`);
  const digest = new PlanDigest();
  const draft = new PlanDraft(ports.database.open(draftPath), digest, keptKeys(operationById(operation)));
  let isOpen = true;
  try {
    const filled = await fill(draft, check, ports);
    draft.sort();
    const head = headOf(check.head, wanted, filled, ports.clock.now());
    const whole = { ...head, digest: digest.ofHead(head) };
    draft.finish(whole);
    draft.database.close();
    isOpen = false;
    ports.files.move(draftPath, join(ports.folder, `${wanted.id}.db`));
    return whole;
  } finally {
    if (isOpen) draft.database.close();
    for (const name of ['', '-wal', '-shm', '-journal']) ports.files.remove(`${draftPath}${name}`);
  }
}

interface Filled {
  readonly count: number;
  readonly totals: Totals;
}

async function fill(draft: PlanDraft, check: PlanStore, { journal, clock }: PayPorts): Promise<Filled> {
  const digits = new Map(check.head.totals.map((total) => [total.currency, total.digits]));
  const totals = new Totals();
  let count = 0;
  for await (const row of pagesOf(check, clock)) {
    const intent = intentOfRow(row, check.head, journal);
    const { line, endpointId, sum, destination } = row;
    if (!final.includes(intent?.state ?? 'planned'))
      throw refused(
        check.head,
        `row ${row.number} is ${intent?.state ?? 'not sent'}`,
        `run \`paycli batch resume ${check.head.id}\` first`,
      );
    if (intent?.state !== 'done' || intent.orderId === undefined) continue;
    count += 1;
    const values = { clientOrderId: row.values['clientOrderId'] ?? '', orderId: intent.orderId };
    const place = { number: count, line, destination };
    draft.add({ ...place, values, endpointId, sum, same: intent.orderId, spot: { line, from: 0, bytes: 0 } });
    if (sum !== undefined)
      totals.add({ ...place, minor: BigInt(sum.minor), currency: sum.currency, digits: digits.get(sum.currency) ?? 0 });
  }
  if (count === 0) throw refused(check.head, 'the gateway validated none of its rows', 'nothing is to be paid');
  return { count, totals };
}

function refused({ id }: PlanHead, why: string, how: string): Error {
  return fail('BATCH_REFUSED', { why: `plan ${id} cannot be paid: ${why}`, how: `nothing was paid; ${how}` });
}

function headOf(
  { file, profile, base, login, ...check }: PlanHead,
  wanted: WantedPay,
  { count, totals }: Filled,
  madeAt: number,
): Omit<PlanHead, 'digest'> {
  return {
    ...{ id: wanted.id, operation, madeAt, planner: wanted.planner, version: wanted.version },
    ...{ profile, class: check.class, base, login, file, count, totals: totals.totals(), hasCards: false, digestVersion },
  };
}
