import { type BatchPlace, type PlanHead, rowsText } from '../../../batch/plan.js';
import { moneyIn, type Tally } from '../../../batch/progress.js';
import type { BatchConnection } from '../../../batch/rows.js';
import { fail } from '../../../errors/index.js';
import { unsentStates } from '../../../journal/states.js';
import { sumText } from '../../../payments/words.js';
import { type Operation, operationById } from '../../../spec/index.js';
import { gatewayName } from '../../../wire/address.js';
import { checkScheme } from '../../core/credential-check.js';
import { commandWith } from '../../flags.js';
import { assertTestedEngine, type Tools } from '../../gateway.js';
import { accountText, confirmByLogin, minorText } from '../../live.js';
import { checkLive, type Session } from '../../session.js';
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
  if (!session.canAskStatus) throw fail('STATUS_UNSIGNABLE', { name: session.name });
}

/** Where the rows of a batch go. */
export function placeOf(row: Operation, session: Session): BatchPlace {
  return {
    row,
    place: { base: session.gatewayBase, login: session.login, profile: session.name, class: session.class },
    target: (endpointId) => session.target(endpointId),
  };
}

/** The batch was planned for this very gateway and login. Throws BATCH_REFUSED. */
export function checkPlanProfile({ id, base, login, profile, class: kind }: PlanHead, session: Session): void {
  const planned = [gatewayName(base), login, profile, kind];
  const here = [session.gatewayBase, session.login, session.name, session.class];
  if (planned.every((each, at) => each === here[at])) return;
  throw fail('BATCH_REFUSED', {
    why: `plan ${id} was made for profile ${profile} (${kind}), login ${login} at ${base}; this is profile ${session.name} (${session.class}), login ${session.login} at ${session.gatewayBase}`,
    how: `nothing was sent; add --profile ${profile}, or plan the file again`,
    plan: id,
    profile,
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
  const explain = `${commandWith('profile show', session.flags)} --origins`;
  throw fail('REFUSED', { why, how: `see \`${explain}\`; nothing of the batch was sent` });
}

/**
 * On live, what is left to be sent is repeated in words and the merchant login is typed, once for the whole batch.
 * Throws LIVE_GUARD.
 */
export async function confirmBatch(head: PlanHead, tools: Tools, tally: Tally): Promise<void> {
  const { session } = tools;
  const { effect, command } = operationById(head.operation);
  if (session.class !== 'live' || effect !== 'money') return;
  const unsent = tally.filter(({ state }) => unsentStates.includes(state));
  const count = unsent.reduce((sum, total) => sum + total.count, 0);
  const totals = moneyIn(unsent);
  const short = totals.map(sumText).join(' and ');
  const statement = {
    title: `LIVE batch of ${rowsText(count)}, each a ${command}: this moves real money`,
    rows: [
      ...totals.map((total) => ['total', minorText(total)] as const),
      ['rows', count === head.count ? String(count) : `the ${count} left of ${head.count}`] as const,
      ['plan', `${head.id}, digest ${head.digest.slice(0, 8)}…, from ${head.file.path}`] as const,
      ['gateway', accountText(session)] as const,
    ],
    question: `LIVE batch of ${short === '' ? rowsText(count) : short}: type the merchant login to continue`,
    why: 'a live batch needs a confirmation',
  };
  await confirmByLogin(statement, tools);
}
