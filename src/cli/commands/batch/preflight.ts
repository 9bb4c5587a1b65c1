import type { BatchConnection } from '../../../batch/connection.js';
import { type PlanHead, type PlanStore, planPages } from '../../../batch/plan.js';
import type { BatchEngine } from '../../../batch/run/engine.js';
import {
  type ProbePorts,
  probeUnsentReturns,
  probeUnsentRows,
  recoverSentRows,
} from '../../../batch/run/rows-sent-elsewhere.js';
import { fail } from '../../../errors/index.js';
import { type Journal, withoutEffectStates } from '../../../journal/index.js';
import { checkCredentials } from '../../../payments/credential-check.js';
import { type Operation, operationById, statusQuery } from '../../../spec/index.js';
import { gatewayName } from '../../../wire/address.js';
import { commandWith } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { timeText } from '../../format/time.js';
import { assertTestedEngine, type Tools } from '../../gateway.js';
import { checkLive } from '../../open-session.js';
import type { Session } from '../../session.js';
import { rowsText } from './plan-files.js';

/** The plan was made for this very gateway and login. Throws BATCH_REFUSED. */
export function checkPlanProfile(head: PlanHead, session: Session): void {
  if (
    gatewayName(head.base) === session.gatewayBase &&
    head.login === session.login &&
    head.profile === session.name &&
    head.class === session.class
  )
    return;
  throw fail('BATCH_REFUSED', {
    why: `plan ${head.id} was made for profile ${head.profile} (${head.class}), login ${head.login} at ${head.base}; this is profile ${session.name} (${session.class}), login ${session.login} at ${session.gatewayBase}`,
    how: `nothing was sent; add --profile ${head.profile}, or plan the file again`,
    plan: head.id,
    profile: head.profile,
  });
}

/**
 * One question that changes nothing shows wrong keys, a wrong address or a clock that is off before any money does.
 * Throws what is wrong.
 */
export async function checkConnection(
  connection: BatchConnection,
  endpointId: string,
  session: Pick<Session, 'flags'>,
  signal: AbortSignal,
): Promise<void> {
  const { ports, assume, limits, watch } = connection;
  const { protection } = statusQuery;
  if (protection.scheme === 'switched') throw new Error('status has one protection');
  const credentials = await connection.credentials(protection);
  const check = await checkCredentials(connection.target(endpointId), credentials, ports, {
    assume,
    limits,
    signal,
    watch,
  });
  const { answer: why } = check;
  if (check.verdict === 'good') return;
  if (check.verdict === 'not-sent') throw fail('NOT_SENT', { why });
  if (check.verdict === 'no-answer')
    throw fail('READ_FAILED', {
      why: `before the first row, a status request was not answered: ${why}`,
      check: check.check,
    });
  const explain = commandWith('profile show', ` --origins${session.flags}`);
  throw fail('REFUSED', { why, how: `see \`${explain}\`; nothing of the batch was sent` });
}

const maxNamed = 5;

/**
 * Rows of a plan that never sent anything, and were sent all the same: by another plan, or by single commands. Throws
 * BATCH_REFUSED.
 */
export async function assertNotSentBefore(plan: PlanStore, engine: BatchEngine): Promise<void> {
  const sent: string[] = [];
  let count = 0;
  for (const rows of planPages(plan)) {
    const found = await engine.find(rows);
    for (const [number, { state }] of found) {
      if (withoutEffectStates.includes(state)) continue;
      count += 1;
      if (sent.length < maxNamed) sent.push(`row ${number} (${state})`);
    }
  }
  if (count === 0) return;
  const more = count > sent.length ? ` and ${count - sent.length} more` : '';
  throw fail('BATCH_REFUSED', {
    why: `${rowsText(count)} of plan ${plan.head.id} ${count === 1 ? 'was' : 'were'} already sent, but not by this plan: ${sent.join(', ')}${more}`,
    how: 'nothing was sent; remove these rows from the file and plan it again; `paycli journal` shows how they were sent',
    plan: plan.head.id,
  });
}

/** What nobody is known to have sent may not be at the gateway. Throws BATCH_REFUSED or READ_FAILED. */
export async function assertNotAtGateway(ports: ProbePorts, isFresh = true): Promise<void> {
  const { found, why } = await probeUnsentRows(ports);
  if (found.length > 0 && !isFresh)
    throw fail('BATCH_REFUSED', {
      why: `the gateway already has ${ordersText(found)}, although ${found.length === 1 ? 'it is' : 'they are'} not recorded as sent: the record was restored from a backup, or the file was sent from elsewhere as well`,
      how: 'nothing was sent; --after-restore queries every row first and sends only those the gateway does not have',
      orders: ordersText(found),
    });
  if (found.length > 0)
    throw fail('BATCH_REFUSED', {
      why: `the gateway already has ${ordersText(found)}, although this journal never sent ${found.length === 1 ? 'it' : 'them'}: the file was sent from elsewhere`,
      how: 'nothing was sent; find out who sent it. --after-restore queries every row and sends only those the gateway does not have',
      orders: ordersText(found),
    });
  if (why !== undefined) throw unanswered(why);
}

/**
 * A file of returns may have been sent from elsewhere. Throws BATCH_REFUSED where the gateway returned more than the
 * journal knows, and READ_FAILED.
 */
export async function assertNotReturned(ports: ProbePorts, journal: Journal): Promise<void> {
  const { base } = ports.plan.head;
  const { found, why } = await probeUnsentReturns(ports, (order) => journal.list({ base, order }));
  if (found.length > 0)
    throw fail('BATCH_REFUSED', {
      why: `the gateway has returned more of ${ordersText(found)} than this journal knows: the file may have been sent from elsewhere`,
      how: 'nothing was sent; find out who made those returns. PAYCLI_ASK_FIRST=off sends the rows all the same',
      orders: ordersText(found),
    });
  if (why !== undefined) throw unanswered(why);
}

function ordersText(found: readonly number[]): string {
  return `${found.length === 1 ? 'the order' : 'orders'} of row ${found.join(', ')}`;
}

/** Throws READ_FAILED when a row could not be asked about: it might be sent twice. */
export async function recoverAllSentRows(ports: ProbePorts, onProgress: (asked: number) => void): Promise<number> {
  if (!ports.connection.row.opens)
    throw fail('BATCH_REFUSED', {
      why: 'once a journal is lost, no status reply shows whether a follow-up such as this one was sent',
      how: 'nothing was sent; check each order with `paycli status`, and plan the missing rows',
    });
  const { count, why } = await recoverSentRows(ports, ports.connection.ports.clock, onProgress);
  if (why !== undefined) throw unanswered(why);
  return count;
}

function unanswered(why: string): Error {
  return fail('READ_FAILED', { why: `before the first row, the status of an order could not be requested: ${why}` });
}

/** Undefined for a plan that is not cancelled. */
export function cancelledText(plan: string, journal: Journal): string | undefined {
  const change = journal.planStates.newest(plan);
  if (change?.state !== 'cancelled') return undefined;
  const { at, by, host, reason } = change;
  const who = `${by} on ${host} (${oneLine(reason)})`;
  return `batch ${plan} was cancelled on ${timeText(at)} by ${who}: nothing will be sent`;
}

/** As far as can be told before anything is locked or opened. Throws what the checks throw. */
export function checkBeforeRun(head: PlanHead, tools: Tools): void {
  checkPlanProfile(head, tools.session);
  checkSession(operationById(head.operation), tools);
}

/** Whether this run of paycli may send rows of this operation. Throws what the checks throw. */
function checkSession(row: Operation, tools: Tools): void {
  const { options, session, runtime } = tools;
  if (row.effect === 'money') assertTestedEngine(runtime.processes);
  checkLive(row, options, session);
  if (row.effect !== 'read' && !session.canAskStatus) throw fail('STATUS_UNSIGNABLE', { name: session.name });
}
