import { exits, fail, ifInterrupted, type PaycliError, shellWord, stopError } from '../../../errors/index.js';
import {
  describeIntent,
  type Intent,
  type Journal,
  settledWord,
  unresolvedStates,
  wasSettledManually,
} from '../../../journal/index.js';
import { PaymentRecord } from '../../../payments/payment-record.js';
import { approvalMs, approveResend, checkResend } from '../../../payments/resend.js';
import { unknownOrderRemark } from '../../../payments/status-query.js';
import type { Runtime } from '../../../runtime/ports.js';
import { mayPrompt } from '../../command.js';
import { currentUser } from '../../core/current-user.js';
import { commandFor } from '../../core/storage-fault.js';
import { intentDocument } from '../../format/journal-entries.js';
import { idWord } from '../../format/meaning.js';
import { type Tools, withGateway } from '../../gateway.js';
import type { Session } from '../../session.js';
import { confirmSettlement } from './confirm-settlement.js';
import { isBeingSent, isOpen, queryEntry } from './resolve-by-status.js';
import { reportResult, showResolved } from './resolve-report.js';

/** Flags for settling one entry manually. */
export interface SettleOptions {
  readonly settleAs?: 'paid' | 'not-paid';
  readonly evidence?: string;
  /** Do not ask on a terminal before it is settled. */
  readonly yes?: boolean;
  /** Settle it without a status query. */
  readonly offline?: boolean;
}

const command = 'resolve';

/** The single entry; with several, which one is meant is unclear. */
function singleEntry(chosen: readonly Intent[]): Intent {
  const [first, second] = chosen;
  if (first !== undefined && second === undefined) return first;
  const which = chosen.map((intent) => `entry ${intent.id}, ${describeIntent(intent)}`).join('; ');
  throw severalRequestsOpen(which, command);
}

/** Settles an entry manually, by evidence other than a gateway reply. */
export async function settleAs(
  chosen: readonly Intent[],
  journal: Journal,
  tools: Tools,
  options: SettleOptions,
): Promise<number> {
  const intent = singleEntry(chosen);
  const { runtime, session, report } = tools;
  if (!unresolvedStates.includes(intent.state)) throw settledAlready(intent, session);
  if (isBeingSent(intent, runtime)) throw fail('INTENT_BUSY', { what: describeIntent(intent), pid: intent.sender.pid });
  if (isOutOfSight(intent, runtime))
    throw fail('INTENT_BUSY', {
      pid: intent.sender.pid,
      what: `${describeIntent(intent)}, in a container or on a machine that cannot be seen from here`,
    });
  const record = new PaymentRecord(journal, intent, session.assume['minor-digits']);
  record.markAbandoned();
  if (record.fault !== undefined) throw record.fault;
  const now = await queriedFirst(record.intent, journal, tools, options);
  if (!unresolvedStates.includes(now.state)) {
    report.notes([resolvedByGateway(now)]);
    return reportResult([now], journal, tools, { doubts: new Map(), isOnce: true });
  }
  await confirmSettlement(now, options, tools);
  const evidence = { evidence: options.evidence, as: options.settleAs, asked: currentUser(runtime) };
  const settled = journal.settleManually(now, options.settleAs === 'paid' ? 'done' : 'declined', evidence);
  await showResolved([settled], true, journal, report);
  return exits.ok;
}

export function resolvedByGateway(intent: Intent): string {
  return `${describeIntent(intent)}: the gateway resolved it, so it is not settled manually`;
}

/** Why no status query comes before; undefined where one does. */
export function whyNotQueried({ offline }: SettleOptions, { canAskStatus }: Session): string | undefined {
  if (offline === true) return 'the gateway is not queried (--offline)';
  return canAskStatus ? undefined : 'the gateway is not queried: this profile has no control key';
}

/** The error for an outcome that is known: it says how, and where to read more. */
export function settledAlready(intent: Intent | undefined, { flags }: Session): Error {
  if (intent === undefined) throw new Error('an order without requests cannot be settled');
  const { state, reason } = intent;
  const settled = wasSettledManually(reason)
    ? `was already settled manually as ${settledWord(intent)}`
    : `is already ${state.replace('_', ' ')}`;
  return fail('USAGE', {
    why: `${describeIntent(intent)} ${settled}; this cannot be changed manually, and \`${commandFor('journal', intent, flags)}\` shows why. Should a later status contradict it, the request is in conflict and can be settled again`,
    command,
  });
}

/**
 * The entry after one status query, as a person must not decide against the gateway: while it is processing the
 * request, its outcome is open. The query may fail, which is said; one in conflict was decided by replies that
 * contradict each other. Throws PENDING.
 */
async function queriedFirst(intent: Intent, journal: Journal, tools: Tools, options: SettleOptions): Promise<Intent> {
  const { session, report } = tools;
  if (!isOpen(intent)) return intent;
  const why = whyNotQueried(options, session);
  if (why !== undefined) {
    report.notes([why]);
    return intent;
  }
  const { now, doubt } = await withGateway(tools, async (gateway) => {
    const queried = await queryEntry(intent, journal, gateway, true);
    if (gateway.stop.signal.aborted) throw stopError(gateway.stop.signal);
    return queried;
  });
  if (!isOpen(now)) return now;
  if (doubt === undefined) throw stillProcessing(now, session);
  report.notes([`its status does not resolve it: ${doubt.why}; the evidence alone decides`]);
  return now;
}

/** The gateway has the request, and its outcome is still to come. */
export function stillProcessing(intent: Intent, { flags }: Session): Error {
  return fail('PENDING', {
    why: `${describeIntent(intent)}: the gateway is processing it, so its outcome is open and nothing was settled`,
    how: `\`${commandFor('resolve', intent, flags)}\` queries again; --offline settles it anyway, for example once gateway support has confirmed the outcome in writing`,
  });
}

// Longer than any request takes, with all its waits and attempts.
const maxSendingMs = 15 * 60_000;

/** True when its sender runs in another container or on another machine and may still be sending. */
function isOutOfSight({ state, sender, changedAt }: Intent, { processes, clock }: Runtime): boolean {
  const isElsewhere = sender.host !== processes.host || sender.namespace !== processes.identity.namespace;
  return state === 'sending' && isElsewhere && clock.now() - changedAt < maxSendingMs;
}

/** Allows one resend, after another status query: an order that exists by now must not be sent again. */
export async function allowResend(
  chosen: readonly Intent[],
  journal: Journal,
  tools: Tools,
  confirmedId: string | undefined,
): Promise<number> {
  const intent = singleEntry(chosen);
  const { runtime, report } = tools;
  const known = journal.lineCount();
  const { now, doubt } = await withGateway(tools, async (gateway) => {
    const queried = await queryEntry(intent, journal, gateway, true);
    if (gateway.stop.signal.aborted) throw stopError(gateway.stop.signal);
    return queried;
  });
  const asItIs = () =>
    reportResult([now], journal, tools, {
      doubts: new Map(doubt === undefined ? [] : [[now.id, doubt]]),
      isOnce: true,
    });
  if (!isOpen(now) || now.state === 'accepted') {
    report.notes([
      `${describeIntent(now)}: its state is ${now.state.replace('_', ' ')}, so it may not be sent once more`,
    ]);
    return asItIs();
  }
  checkResend(journal, now);
  // Without an answer to this very query the order may be there by now.
  const isDenied = journal.linesAbout(now.id).some(({ id, reason }) => id > known && reason === unknownOrderRemark);
  if (!isDenied) return asItIs();
  await confirmResend(now, confirmedId, tools);
  approveResend(journal, now, currentUser(runtime), runtime.clock.now());
  const id = idWord(now.clientOrderId ?? '', 'clientOrderId', 'ID');
  const how = `run the same command again, with --client-order-id ${id} and all other flags unchanged`;
  await report.show({
    document: {
      schema: 'paycli.resend/1',
      until: new Date(runtime.clock.now() + approvalMs).toISOString(),
      entry: intentDocument(now, undefined),
    },
    text: () => `allowed once, for ${approvalMs / 60_000} minutes: ${how}\n`,
  });
  return exits.ok;
}

/** The id of the order has to be typed, or given with --confirm-resend. Throws CONFIRMATION_NEEDED. */
async function confirmResend(
  intent: Intent,
  confirmedId: string | undefined,
  { options, runtime }: Tools,
): Promise<void> {
  const id = intent.clientOrderId ?? '';
  const what = describeIntent(intent);
  if (confirmedId === undefined && !mayPrompt(options, runtime))
    throw fail('CONFIRMATION_NEEDED', {
      why: `${what}: the gateway has no such order now, and a request on its way could still arrive: sent once more, it may be paid twice`,
      how: `nothing was changed; to allow it, repeat the command with --confirm-resend ${shellWord(id, 'ID')}`,
    });
  const prompter = confirmedId === undefined ? await runtime.prompter(options.color) : undefined;
  const message = `Sent once more, ${what} may be paid twice: type its client order id to allow it`;
  const typed = await prompter?.ask({ name: 'resend', message }).catch(ifInterrupted('nothing was changed'));
  if ((confirmedId ?? typed) !== id)
    throw fail('CONFIRMATION_NEEDED', {
      why: 'that is not the id of this order',
      how: `nothing was changed; its id is ${id}`,
    });
}

/** Only one request at a time can be settled. */
export function severalRequestsOpen(which: string, command: string): PaycliError {
  return fail('USAGE', { why: `several requests on this order are open: ${which}. Name one with --entry`, command });
}
