import { approvalNeeded, verifyApproval } from '../../../batch/approval.js';
import { moneyText, type PlanHead, rowsText } from '../../../batch/plan.js';
import { summarize, type Tally } from '../../../batch/progress.js';
import type { BatchConnection, RowReader } from '../../../batch/rows.js';
import { requestOf } from '../../../batch/rows.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import { findPages } from '../../../journal/pages.js';
import type { Begin, Journal, Request, Sum } from '../../../journal/port.js';
import { unsentStates } from '../../../journal/states.js';
import { checkScheme } from '../../../payments/credential-check.js';
import { assertWithinDay, checkCaps, type PaymentValue, paymentValueOf } from '../../../payments/limits.js';
import type { Unsigned } from '../../../signing/index.js';
import { type Operation, operationById } from '../../../spec/index.js';
import { gatewayName } from '../../../wire/address.js';
import { connectionRows, minorText } from '../../core/live/confirmation-text.js';
import { commandWith } from '../../flags.js';
import { assertTestedEngine, type Tools } from '../../gateway.js';
import { accountText, type ConfirmationText, confirmationLines, confirmByLogin } from '../../live.js';
import { checkLive } from '../../open-session.js';
import type { Session } from '../../session.js';
import type { OpenBatch } from './open-batch.js';

/** As far as can be told before anything is asked or sent. Throws BATCH_REFUSED, LIVE_GUARD and what else hinders it. */
export function checkBeforeRun({ head, batch }: OpenBatch, { options, session, runtime }: Tools): void {
  checkPlanProfile(head, session);
  if (batch.state === 'planning')
    throw fail('BATCH_REFUSED', {
      why: `plan ${head.id} is incomplete: its rows were not all recorded`,
      how: `nothing was sent; \`paycli batch cancel ${head.id} --reason TEXT\` cancels them, then plan the file again`,
      plan: head.id,
    });
  const row = operationById(head.operation);
  if (row.effect === 'money') assertTestedEngine(runtime.processes);
  checkLive(row, options, session);
  if (row.effect !== 'read' && !session.canAskStatus) throw fail('STATUS_UNSIGNABLE', { name: session.name });
}

/** The batch was planned for this very gateway and login. */
function checkPlanProfile({ id, base, login, profile, class: kind }: PlanHead, session: Session): void {
  const isSame =
    gatewayName(base) === session.gatewayBase &&
    login === session.login &&
    profile === session.name &&
    kind === session.class;
  if (isSame) return;
  throw fail('BATCH_REFUSED', {
    why: `plan ${id} was made for profile ${profile} (${kind}), login ${login} at ${base}; this is profile ${session.name} (${session.class}), login ${session.login} at ${session.gatewayBase}`,
    how: `nothing was sent; add --profile ${profile}, or plan the file again`,
    plan: id,
    profile,
  });
}

/** Whoever has to agree has agreed. Throws BATCH_REFUSED. */
export async function checkApproval(head: PlanHead, journal: Journal, { session, runtime }: Tools): Promise<void> {
  const needed = approvalNeeded(head, session.caps);
  if (needed === undefined) return;
  const verdict = verifyApproval(head, await journal.approvals(head.id), runtime.clock.now());
  if (verdict.valid) return;
  throw fail('BATCH_REFUSED', {
    why: `plan ${head.id} needs the approval of a second person, because ${needed}; ${verdict.why}`,
    how: `nothing was sent; \`paycli batch approve ${head.id}\` asks the approver for their name and the total`,
    plan: head.id,
  });
}

/** On what a row may begin: the caps of the profile. Throws CAP_EXCEEDED. */
export async function limitsOfRow(
  unsigned: Unsigned,
  { sum }: Pick<Request, 'sum'>,
  session: Session,
  journal: Journal,
): Promise<Pick<Begin, 'counts' | 'dayCap'>> {
  const { row } = unsigned;
  const value: PaymentValue =
    sum === undefined ? await paymentValueOf(unsigned, session, journal) : { kind: 'named', sum };
  const dayCap = checkCaps(row, value, session);
  return row.effect === 'money' ? { counts: value.sum, dayCap } : {};
}

interface PlannedRows {
  readonly head: PlanHead;
  readonly journal: Journal;
  readonly rows: RowReader;
  readonly connection: BatchConnection;
}

/**
 * Every row that may still be sent against the rules and the caps, and all of them against the day. Throws BATCH_REFUSED
 * and CAP_EXCEEDED.
 */
export async function checkRows(
  { head, journal, rows, connection }: PlannedRows,
  { session, runtime }: Tools,
): Promise<void> {
  const left = new Map<string, Sum>();
  const caps = new Map<string, Sum>();
  for await (const page of findPages(journal, { batch: head.id, states: unsentStates }))
    for (const row of await rows.read(page)) {
      const unsigned = requestOf(row, connection, journal);
      const { counts, dayCap } = await ofRow(row.number, () => limitsOfRow(unsigned, row.request, session, journal));
      if (counts === undefined || dayCap === undefined) continue;
      const minor = BigInt(left.get(counts.currency)?.minor ?? 0) + BigInt(counts.minor);
      left.set(counts.currency, { ...counts, minor: String(minor) });
      caps.set(counts.currency, dayCap);
    }
  for (const [currency, counts] of left)
    await assertWithinDay({ counts, dayCap: caps.get(currency) }, head, journal, runtime.clock.now());
}

async function ofRow<T>(number: number, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    throw fail(error.code, { ...error.facts, why: `row ${number}: ${String(error.facts['why'] ?? '')}` });
  }
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
  const check = await checkScheme('control', connection, endpointId, signal);
  const { answer: why } = check;
  // Money follows: a page of the wrong address may say under 404 that there is no such order.
  if (check.verdict === 'good' && check.httpStatus !== 404) return;
  if (check.verdict === 'not-sent') throw fail('NOT_SENT', { why });
  if (check.verdict === 'no-answer')
    throw fail('READ_FAILED', {
      why: `before the first row, a status request was not answered: ${why}`,
      check: check.check,
    });
  const explain = commandWith('profile show', ` --origins${session.flags}`);
  throw fail('REFUSED', { why, how: `see \`${explain}\`; nothing of the batch was sent` });
}

/**
 * On live, the totals are repeated in words and the merchant login is typed, once for the whole batch; `tally` tells
 * what is left of it. Throws LIVE_GUARD.
 */
export async function confirmBatch(head: PlanHead, tools: Tools, tally: Tally = []): Promise<void> {
  const { session, options, report } = tools;
  const operation = operationById(head.operation);
  if (session.class !== 'live' || operation.effect !== 'money') return;
  const statement = statementOf(head, operation, session, tally);
  await confirmByLogin(statement, tools);
  if (options.confirmLogin !== undefined) report.notes(confirmationLines(statement), false);
}

function statementOf(head: PlanHead, { command }: Operation, session: Session, tally: Tally): ConfirmationText {
  const left = leftToSend(tally);
  const short = (left?.totals ?? head.totals).map(moneyText).join(' and ');
  return {
    title: `LIVE batch of ${rowsText(head.count)}, each a ${command}: this moves real money`,
    rows: [
      ...head.totals.map((total) => ['total', minorText(total)] as const),
      ['rows', String(head.count)],
      ...(left === undefined
        ? []
        : [['left to send', [rowsText(left.count), ...left.totals.map(moneyText)].join(', ')] as const]),
      ['plan', `${head.id}, digest ${head.digest.slice(0, 8)}…, from ${head.file.path}`],
      ['gateway', accountText(session)],
      ...connectionRows(session),
    ],
    question: `LIVE batch of ${short === '' ? rowsText(left?.count ?? head.count) : short}: type the merchant login to continue`,
    why: 'a live batch needs a confirmation',
  };
}

/** What no run has sent so far; undefined where that is all of it. */
function leftToSend(tally: Tally) {
  if (tally.every(({ state }) => state === 'planned')) return undefined;
  const unsent = tally.filter(({ state }) => unsentStates.includes(state));
  const [left] = summarize(unsent.map((total) => ({ ...total, state: 'planned' as const })));
  return left ?? { count: 0, totals: [] };
}
