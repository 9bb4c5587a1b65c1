import { exits, fail, isPaycliError } from '../../../errors/index.js';
import {
  describeIntent,
  type Intent,
  type Journal,
  type Sender,
  unresolvedStates,
  wasSettledManually,
} from '../../../journal/index.js';
import type { Evidence } from '../../../payments/evidence.js';
import { type OutcomeStore, queryOutcome, recordAnswer } from '../../../payments/status-query.js';
import { currentUser } from '../../core/current-user.js';
import { packageVersion } from '../../core/version.js';
import { type Tools, withGateway } from '../../gateway.js';
import { isSameRequest, readShared, type SharedOrder } from '../batch/shared-databases.js';
import type { EngineFlags } from '../batch/shared-engine.js';
import { confirmSettlement } from './confirm-settlement.js';
import {
  resolvedByGateway,
  type SettleOptions,
  settledAlready,
  severalRequestsOpen,
  stillProcessing,
  whyNotQueried,
} from './resolve-manually.js';
import { ownFactsOf, reportResult } from './resolve-report.js';

const command = 'resolve';

/**
 * Resolves rows of a batch where they are decided about, so that they are resolved on every machine; what the journal
 * of this one has of them follows.
 */
export async function resolveShared(
  order: SharedOrder,
  copies: readonly Intent[],
  journal: Journal,
  { session, ...others }: Tools,
  options: SettleOptions & { readonly resend?: boolean; readonly once?: boolean },
): Promise<number> {
  // This journal may know nothing of the row once it is resolved.
  const tools = { ...others, session: { ...session, flags: `${order.way}${session.flags}` } };
  if (options.resend === true)
    throw fail('USAGE', {
      why: `this order is a row of a batch on ${order.shown}, which sends every row once: withdraw or resolve it, then plan it again`,
      engine: order.shown,
      command,
    });
  const resolved =
    options.settleAs === undefined
      ? await resolveByStatus(order, copies, journal, tools)
      : [await settleRow(order, copies, journal, tools, options)];
  tools.report.notes([`these are rows of a batch on ${order.shown}; their outcome is recorded there too`]);
  // Workers poll such rows as well; a person who asks without --once has come to the end of that.
  const exit = await reportResult(resolved, ownFactsOf(journal), tools, { isOnce: options.once === true });
  // What a person says is written down, whatever it is.
  return options.settleAs === undefined ? exit : exits.ok;
}

/**
 * The same for all open rows of this gateway in the databases of shared batches; gives them as they are then. What a
 * worker is sending is left to it.
 */
export async function resolveSharedRows(
  copies: readonly Intent[],
  journal: Journal,
  tools: Tools,
  flags: EngineFlags,
): Promise<readonly Intent[]> {
  const resolved = await readShared(journal, { flags, command }, tools, async (view) => {
    const intents = await view.intentsIn(tools.session.gatewayBase, unresolvedStates);
    return intents.length === 0 ? [] : resolveByStatus({ view, intents }, copies, journal, tools);
  });
  return resolved.flat();
}

async function resolveByStatus(
  order: Pick<SharedOrder, 'view' | 'intents'>,
  copies: readonly Intent[],
  journal: Journal,
  tools: Tools,
): Promise<readonly Intent[]> {
  return (await queryRows(order, copies, journal, tools)).map(({ now }) => now);
}

interface QueriedRow {
  readonly now: Intent;
  /** What its status proves; undefined where it was not queried. */
  readonly evidence?: Evidence;
}

async function queryRows(
  { view, intents }: Pick<SharedOrder, 'view' | 'intents'>,
  copies: readonly Intent[],
  journal: Journal,
  tools: Tools,
): Promise<readonly QueriedRow[]> {
  const sender = senderOf(tools);
  const store: OutcomeStore = {
    async recordResult(intent, to, result) {
      const copy = copyOf(intent, copies);
      if (copy !== undefined) journal.recordResult(copy.id, to, result);
      return view.recordResult(intent, to, result, sender);
    },
    remark: (intent, what, why) => view.remark(intent, what, why, sender),
    onOrder: (intent, orderId) => view.intentsNamed(intent.base, [orderId]),
  };
  return withGateway(tools, async ({ connection, watched }) => {
    const queried: QueriedRow[] = [];
    for (const intent of intents) {
      if (!unresolvedStates.includes(intent.state) && !wasSettledManually(intent.reason)) {
        queried.push({ now: intent });
        continue;
      }
      const own = await takeOver(view, intent, sender, intents.length > 1 ? tools.report : undefined);
      if (own === undefined) {
        queried.push({ now: intent });
        continue;
      }
      const answer = await queryOutcome(connection, own, watched);
      const { intent: now, evidence } = await recordAnswer(own, answer, store, tools.session.assume['minor-digits']);
      if (evidence.proves === 'nothing') tools.report.notes([`${describeIntent(now)}: ${evidence.reason}`]);
      queried.push({ now, evidence });
    }
    return queried;
  });
}

/** Undefined, with a warning in `report`, for a row that a living worker is sending. Throws INTENT_BUSY without. */
async function takeOver(
  view: SharedOrder['view'],
  intent: Intent,
  sender: Sender,
  report: Pick<Tools['report'], 'warn'> | undefined,
): Promise<Intent | undefined> {
  try {
    return await view.takeFromDeadWorker(intent, sender);
  } catch (error) {
    if (report === undefined || !isPaycliError(error) || error.code !== 'INTENT_BUSY') throw error;
    report.warn([error.message]);
    return undefined;
  }
}

/** The one open row by its status, else by what other evidence says of it. Throws USAGE, PENDING. */
async function settleRow(
  order: SharedOrder,
  copies: readonly Intent[],
  journal: Journal,
  tools: Tools,
  options: SettleOptions,
): Promise<Intent> {
  const { report, session } = tools;
  const [intent, ...others] = order.intents.filter(({ state }) => unresolvedStates.includes(state));
  if (intent === undefined) throw settledAlready(order.intents.at(-1), session);
  if (others.length > 0) throw severalRequestsOpen([intent, ...others].map(describeIntent).join('; '), command);
  const copy = copyOf(intent, copies);
  const { now, evidence } = await queriedRow(order, intent, copies, journal, tools, options);
  if (!unresolvedStates.includes(now.state)) {
    report.notes([resolvedByGateway(now)]);
    return now;
  }
  if (evidence?.proves === 'open' && evidence.unknownStatus === undefined) throw stillProcessing(now, session);
  return settleRowManually(order, now, copy, journal, tools, options);
}

/** The row after one status query, where there is one. */
async function queriedRow(
  order: SharedOrder,
  intent: Intent,
  copies: readonly Intent[],
  journal: Journal,
  tools: Tools,
  options: SettleOptions,
): Promise<QueriedRow> {
  if (intent.state === 'conflict') return { now: intent };
  const why = whyNotQueried(options, tools.session);
  if (why !== undefined) tools.report.notes([why]);
  const [row] = why === undefined ? await queryRows({ ...order, intents: [intent] }, copies, journal, tools) : [];
  return row ?? { now: intent };
}

async function settleRowManually(
  { view }: SharedOrder,
  intent: Intent,
  copy: Intent | undefined,
  journal: Journal,
  tools: Tools,
  options: SettleOptions,
): Promise<Intent> {
  await confirmSettlement(intent, options, tools);
  const sender = senderOf(tools);
  const own = await view.takeFromDeadWorker(intent, sender);
  const facts = { evidence: options.evidence, as: options.settleAs, asked: currentUser(tools.runtime) };
  const to = options.settleAs === 'paid' ? 'done' : 'declined';
  const settled = await view.settleManually(own, to, facts, sender);
  const now = copy === undefined ? undefined : journal.get(copy.id);
  if (now !== undefined && unresolvedStates.includes(now.state) && now.state !== 'sending')
    journal.settleManually(now, to, facts);
  return settled;
}

function copyOf(intent: Intent, copies: readonly Intent[]): Intent | undefined {
  return copies.findLast((copy) => isSameRequest(copy, intent));
}

function senderOf({ runtime: { processes } }: Pick<Tools, 'runtime'>): Sender {
  return { host: processes.host, pid: processes.pid, version: packageVersion };
}
