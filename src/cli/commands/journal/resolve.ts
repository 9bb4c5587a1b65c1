import { exits, fail } from '../../../errors/index.js';
import {
  describeIntent,
  type Intent,
  intentName,
  type Journal,
  type State,
  unsettledStates,
} from '../../../journal/index.js';
import { isBeyondStatus } from '../../../payments/evidence.js';
import { type FailureFacts, failureFacts } from '../../../payments/failure.js';
import { PaymentRecord } from '../../../payments/payment-record.js';
import { approvalMs, approveResend, checkResend } from '../../../payments/resend.js';
import type { Runtime } from '../../../runtime/ports.js';
import { operationById } from '../../../spec/index.js';
import { currentUser } from '../../core/current-user.js';
import { defineCommand, statusExits } from '../../core/define-command.js';
import { type GatewayContext, type Tools, withGateway } from '../../core/gateway-context.js';
import { howToClose, updateJournal } from '../../core/journal-update.js';
import { withSession } from '../../core/open-session.js';
import { type CommonOptions, connectionFlags } from '../../core/options.js';
import type { Reporter } from '../../core/reporter.js';
import type { Session } from '../../core/session.js';
import { commandFor } from '../../core/storage-fault.js';
import { isRunning, withJournal } from '../../core/user-stores.js';
import { pollWithProgress } from '../../core/wait-progress.js';
import { intentDocument, intentSheet } from '../../format/journal-entries.js';
import { idWord, type WaitingOf, waitingText } from '../../format/meaning.js';
import { oneLine } from '../../format/table.js';
import type { Wanted } from './approval-request.js';
import { type ApproveFlags, runApprove } from './approve.js';
import { agreementTo, checkSecondPerson, type SecondPersonOptions } from './second-person.js';

interface ResolveOptions extends CommonOptions, SecondPersonOptions, ApproveFlags {
  readonly clientOrderId?: string;
  /** Number of an entry in the journal. */
  readonly entry?: string;
  readonly all?: boolean;
  readonly once?: boolean;
  readonly settleAs?: 'paid' | 'not-paid';
  readonly evidence?: string;
  readonly resend?: boolean;
}

export const resolve = defineCommand<ResolveOptions>({
  name: 'resolve',
  heading: 'Money safety:',
  summary: 'Settle requests whose outcome is unknown',
  help: `Settle requests whose outcome is unknown, by asking the gateway

On a live profile, and on any with require-approval, a second person signs before a request may be sent once more (--resend) or is \
settled by hand (--settle-as): --request-file writes down what they agree to, --approve signs a copy of it on an account of their own \
with a key whose public half stands under approvers in the configuration files of both, and --approval-file takes in what they signed. \
It counts for 24 hours, for this entry as it stands. Key and user id of the system must both be others than those of whoever asks. \
On other profiles a name is enough: --resend takes the one typed with --approved-by.`,
  args: [['[order]', 'the order id the gateway gave, your own, or the number of an entry']],
  options: [
    ['--client-order-id <id>', 'your own id of the order'],
    ['--entry <number>', 'one entry of the journal, where several requests on an order are open'],
    ['--all', 'everything in the journal of this profile that is open'],
    ['--once', 'ask once instead of at 0, 2, 5, 15, 60 and 300 seconds'],
    ['--settle-as <outcome>', 'write down what other evidence says', { choices: ['paid', 'not-paid'] }],
    ['--evidence <text>', 'what that evidence is; needed with --settle-as'],
    ['--resend', 'allow the very same command to be sent once more; see `paycli help money-safety`'],
    ['--approved-by <name>', 'the second person who agrees; does not count where one has to sign'],
    ['--request-file <file>', 'write down here what a second person has to sign; with --resend or --settle-as'],
    ['--approval-file <file>', 'what they signed, taken in from here; with --approve: written here'],
    ['--approve <file>', 'as the second person: sign the request in this file, on an account of your own'],
    ['--key-file <file>', 'with --approve: your own private key (Ed25519, PEM, mode 0600)'],
    ['--digest <characters>', 'with --approve: the first 8 characters of its digest, instead of typing them'],
    ['--no-input', 'never ask'],
    ['--timeout <seconds>', 'longest wait for the first byte of a reply (60)'],
    ['--live', 'needed on every command that uses a live profile'],
    ...connectionFlags,
  ],
  examples: [
    'resolve order-1',
    'resolve --all --once',
    'resolve --entry 1 --settle-as paid --evidence "statement of 31 January, line 4"',
  ],
  effect: 'read',
  network: true,
  exits: [...statusExits, 'declined', 'pending'],
  note: '--resend sends nothing itself: it lets the very same command be sent once more. --approve asks nothing.',
  prints: ['resolve', 'resend', 'resolve-approval'],
  run: ({ args: [order], options, runtime }) => runResolve(order, options, runtime),
});

/**
 * Settles requests whose outcome is open: by status, by other evidence, or by allowing one more attempt. Never sends
 * one itself.
 */
async function runResolve(order: string | undefined, options: ResolveOptions, runtime: Runtime): Promise<number> {
  checkFlags(order, options);
  if (options.approve !== undefined) return runApprove(options.approve, options, runtime);
  return withSession(options, runtime, (session, report) =>
    withJournal(runtime, (journal) => {
      const tools: Tools = { options, session, report, runtime };
      const chosen = chooseEntries(journal, order, options, session);
      if (chosen.length === 0)
        return nothingOpen(order ?? options.clientOrderId ?? options.entry, waitingIn(journal), report);
      if (options.settleAs !== undefined) return settleAs(chosen, journal, tools, options);
      if (options.resend === true) return allowResend(chosen, journal, tools, options);
      return queryAll(chosen, journal, tools, options);
    }),
  );
}

function checkFlags(order: string | undefined, options: ResolveOptions): void {
  const { all, clientOrderId, entry, settleAs, evidence, resend, approvedBy, requestFile, approvalFile, approve } =
    options;
  const refuse = (why: string): Error => fail('USAGE', { why, command: 'resolve' });
  const names = [order, clientOrderId, entry].filter((name) => name !== undefined).length;
  if (approve !== undefined) {
    const others = [all, settleAs, evidence, resend, approvedBy, requestFile].filter((each) => each !== undefined);
    if (names + others.length > 0)
      throw refuse('--approve is about the request in its file alone: name no order and nothing to do with it');
    return;
  }
  if (all === true ? names > 0 : names !== 1) throw refuse('name one order or entry, or say --all');
  if (entry !== undefined && !entryNumber.test(entry))
    throw refuse('--entry takes the number of an entry; `paycli journal list` shows it');
  if (settleAs !== undefined && resend === true) throw refuse('take one of --settle-as and --resend');
  if (all === true && (settleAs !== undefined || resend === true))
    throw refuse('--settle-as and --resend are about one order');
  if ((settleAs === undefined) !== (evidence === undefined)) throw refuse('--settle-as and --evidence go together');
  if (evidence !== undefined && evidence.trim().length < 5) throw refuse('--evidence says in a few words how you know');
  if ([approvedBy, requestFile, approvalFile].filter((each) => each !== undefined).length > 1)
    throw refuse('take one of --approved-by, --request-file and --approval-file');
}

const entryNumber = /^[1-9]\d{0,14}$/;
const unresolvedStates: readonly State[] = [...unsettledStates, 'conflict'];

/**
 * Entries of this gateway that are open or in conflict; one that was settled may be named, and is only shown. A number
 * that is no order id is that of an entry.
 */
function chooseEntries(
  journal: Journal,
  order: string | undefined,
  options: ResolveOptions,
  { place }: Session,
): Intent[] {
  if (options.entry !== undefined) return entryOf(journal, options.entry, place);
  const named = order ?? options.clientOrderId;
  const open = journal.list({ base: place, order: named, states: unresolvedStates });
  if (named === undefined) return open;
  const ofOrder = open.length > 0 ? open : journal.list({ base: place, order: named }).slice(-1);
  const entries = order !== undefined && entryNumber.test(order) ? entryOf(journal, order, place) : [];
  if (ofOrder.length > 0 || entries.length === 0) return ofOrder;
  // A mistyped order id must not settle whatever entry has that number.
  const isNameless = entries.every(
    ({ orderId, clientOrderId }) => orderId === undefined && clientOrderId === undefined,
  );
  if (!isNameless && (options.settleAs !== undefined || options.resend === true))
    throw fail('USAGE', {
      why: `${named} is no order but the number of an entry: say --entry ${named} if that is meant`,
      command: 'resolve',
    });
  return entries;
}

function entryOf(journal: Journal, number: string, place: string): Intent[] {
  const entry = journal.get(Number(number));
  return entry?.base === place ? [entry] : [];
}

const waitingIn =
  (journal: Journal): WaitingOf =>
  (intent) =>
    journal.waiting(intent);

async function nothingOpen(order: string | undefined, waitingOf: WaitingOf, report: Reporter): Promise<number> {
  if (order !== undefined) {
    const ask = `paycli status ${idWord(order, 'clientOrderId', 'ORDER')}`;
    throw fail('USAGE', {
      why: `the journal has no request on order ${oneLine(order)} for this profile, and no such entry; \`${ask}\` asks the gateway`,
      command: 'resolve',
    });
  }
  await show([], true, waitingOf, report);
  return exits.ok;
}

/** By the number of the entry, what came of a question that told nothing about it. */
type Doubts = ReadonlyMap<number, FailureFacts>;

function show(
  intents: readonly Intent[],
  settled: boolean,
  waitingOf: WaitingOf,
  report: Reporter,
  doubts: Doubts = new Map(),
): Promise<void> {
  const documentOf = (intent: Intent) => ({
    ...intentDocument(intent, waitingOf(intent)),
    doubt: doubts.get(intent.id) ?? null,
  });
  return report.show({
    document: { schema: 'paycli.resolve/1', settled, entries: intents.map(documentOf) },
    list: 'entries',
    sheet: () => intentSheet(intents, report, waitingOf),
    empty: 'nothing is open; `paycli journal list` shows every request',
  });
}

async function queryAll(
  chosen: readonly Intent[],
  journal: Journal,
  tools: Tools,
  options: ResolveOptions,
): Promise<number> {
  return withGateway(operationById('STATUS'), tools, async (gateway) => {
    const settled: Intent[] = [];
    const doubts = new Map<number, FailureFacts>();
    for (const intent of chosen) {
      const { now, doubt } = await queryEntry(intent, journal, gateway, options.once === true || options.all === true);
      settled.push(now);
      if (doubt !== undefined) doubts.set(now.id, doubt);
      if (gateway.stop.signal.aborted) break;
    }
    // Conflicts that the answers raised belong to what has to be settled.
    const orders = new Set(settled.map(intentName));
    const raised = [...orders].flatMap((order) =>
      journal.list({ base: tools.session.place, order, states: ['conflict'] }),
    );
    return reportResult(
      [...settled, ...raised.filter(({ id }) => !settled.some((each) => each.id === id))],
      waitingIn(journal),
      tools,
      doubts,
    );
  });
}

interface QueryResult {
  readonly now: Intent;
  /** Why the answer, if there was one, told nothing about it. */
  readonly doubt?: FailureFacts;
}

async function queryEntry(
  intent: Intent,
  journal: Journal,
  gateway: GatewayContext,
  isOnce: boolean,
): Promise<QueryResult> {
  const { session, runtime, report } = gateway;
  if (!isOpen(intent)) return { now: intent };
  if (isBeingSent(intent, runtime)) {
    report.warn([`${describeIntent(intent)}: process ${intent.sender.pid} is sending it right now`]);
    return { now: intent };
  }
  const record = new PaymentRecord(journal, intent, session.assume['minor-digits']);
  record.markAbandoned();
  const { evidence, fields, failure } = await pollWithProgress(record, isOnce, gateway);
  if (record.fault !== undefined) throw record.fault;
  // The same answer may contradict what is known of other requests on the order.
  if (fields !== undefined) await updateJournal(gateway, fields, intent.endpointId, journal);
  if (evidence.proves !== 'nothing') return { now: record.intent };
  report.notes([`${describeIntent(intent)}: ${evidence.reason}`]);
  return { now: record.intent, doubt: failure === undefined ? { why: evidence.reason } : failureFacts(failure) };
}

function isOpen({ state }: Intent): boolean {
  return unsettledStates.includes(state);
}

/** Shows where each stands and what to do next; the exit code is that of the worst. */
async function reportResult(
  intents: readonly Intent[],
  waitingOf: WaitingOf,
  { report, session }: Tools,
  doubts: Doubts = new Map(),
): Promise<number> {
  const open = intents.filter(({ state }) => unresolvedStates.includes(state));
  await show(intents, open.length === 0, waitingOf, report, doubts);
  for (const intent of open)
    report.warn([`${describeIntent(intent)}: ${nextStep(intent, waitingOf, session, doubts)}`]);
  if (open.some(({ state }) => state !== 'accepted')) return exits.unknown;
  if (open.length > 0) return exits.pending;
  return intents.length === 1 && intents[0]?.state === 'declined' ? exits.declined : exits.ok;
}

function nextStep(intent: Intent, waitingOf: WaitingOf, session: Session, doubts: Doubts): string {
  const waiting = waitingOf(intent);
  const resolve = commandFor('resolve', intent, session.flags);
  if (intent.state === 'conflict') return `it is in conflict: ${intent.reason}; ${howToClose(intent, session)}`;
  if (isBeyondStatus(intent.operation)) return `no status answer can settle it; ${howToClose(intent, session)}`;
  if (intent.state === 'accepted' && doubts.has(intent.id)) {
    const before = waiting === undefined ? 'the gateway had accepted it' : waitingText(waiting);
    return `nothing new is known of it; before that: ${before}; later \`${resolve}\``;
  }
  if (waiting !== undefined) return `${waitingText(waiting)}; later \`${resolve}\``;
  if (intent.state === 'accepted') return `the gateway has it and works on it; later \`${resolve}\``;
  return `still unknown, so do not send it again; later \`${resolve}\`, or ask the support of the gateway`;
}

/** One entry only: which of several would be meant, nobody can say. */
function singleEntry(chosen: readonly Intent[]): Intent {
  const [first, second] = chosen;
  if (first !== undefined && second === undefined) return first;
  const which = chosen.map((intent) => `entry ${intent.id}, ${describeIntent(intent)}`).join('; ');
  throw fail('USAGE', {
    why: `several requests on this order are open: ${which}. Name one with --entry`,
    command: 'resolve',
  });
}

async function settleAs(
  chosen: readonly Intent[],
  journal: Journal,
  tools: Tools,
  options: ResolveOptions,
): Promise<number> {
  const intent = singleEntry(chosen);
  const { runtime, session, report } = tools;
  const wanted: Wanted = {
    action: options.settleAs === 'paid' ? 'settle it as paid' : 'settle it as not-paid',
    evidence: options.evidence,
  };
  checkSecondPerson(intent, wanted, tools, options);
  if (!unresolvedStates.includes(intent.state))
    throw fail('USAGE', { why: `it is ${intent.state} already`, command: 'resolve' });
  if (isBeingSent(intent, runtime)) throw fail('INTENT_BUSY', { what: describeIntent(intent), pid: intent.sender.pid });
  if (isOutOfSight(intent, runtime))
    throw fail('INTENT_BUSY', {
      what: `${describeIntent(intent)}, in a container or on a machine that cannot be seen from here`,
      pid: intent.sender.pid,
    });
  const record = new PaymentRecord(journal, intent, session.assume['minor-digits']);
  record.markAbandoned();
  if (record.fault !== undefined) throw record.fault;
  const agreement = await agreementTo(record.intent, wanted, journal, tools, options);
  const evidence = { evidence: options.evidence, as: options.settleAs, ...agreement, asked: currentUser(runtime) };
  const settled = journal.settleManually(record.intent, options.settleAs === 'paid' ? 'done' : 'declined', evidence);
  await show([settled], true, waitingIn(journal), report);
  return exits.ok;
}

/** Its sender may still say what came of it. */
function isBeingSent({ state, sender }: Intent, runtime: Runtime): boolean {
  return state === 'sending' && isRunning(sender, runtime);
}

// Longer than any request takes, with all of its waits and attempts.
const maxSendingMs = 15 * 60_000;

/** Its sender runs in another container or on another machine, and began it so lately that it may still be at it. */
function isOutOfSight({ state, sender, changedAt }: Intent, { processes, clock }: Runtime): boolean {
  const isElsewhere = sender.host !== processes.host || sender.namespace !== processes.identity.namespace;
  return state === 'sending' && isElsewhere && clock.now() - changedAt < maxSendingMs;
}

/** Asks once more first: an order that turned up by now must not be sent again. */
async function allowResend(
  chosen: readonly Intent[],
  journal: Journal,
  tools: Tools,
  options: ResolveOptions,
): Promise<number> {
  const intent = singleEntry(chosen);
  const { runtime, report } = tools;
  const wanted: Wanted = { action: 'send it once more' };
  checkSecondPerson(intent, wanted, tools, options);
  const { now, doubt } = await withGateway(operationById('STATUS'), tools, (gateway) =>
    queryEntry(intent, journal, gateway, true),
  );
  if (!isOpen(now) || now.state === 'accepted')
    return reportResult([now], waitingIn(journal), tools, new Map(doubt === undefined ? [] : [[now.id, doubt]]));
  checkResend(journal, now);
  const { by, approval } = await agreementTo(now, wanted, journal, tools, options);
  approveResend(journal, now, { by: by ?? '', asked: currentUser(runtime), approval }, runtime.clock.now());
  const id = idWord(now.clientOrderId ?? '', 'clientOrderId', 'ID');
  const how = `run the very same command again, with --client-order-id ${id} and all its other flags as they were`;
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
