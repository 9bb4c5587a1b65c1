import { exits, fail } from '../../../errors/index.js';
import type { Intent } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { KnownOrder } from '../../../sandbox/index.js';
import { statusQuery } from '../../../spec/index.js';
import { askOrderOf, assertMayAskOrder } from '../../core/ask-order.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, statusExits } from '../../core/define-command.js';
import { findOperation } from '../../core/operation-commands.js';
import { connectionFlags, timeoutFlag } from '../../core/options.js';
import { type Amounts, amountsOf } from '../../core/order-amounts.js';
import { knownOrder } from '../../core/order-facts.js';
import { isRegistered, orderInJournal } from '../../core/order-offline.js';
import {
  asFailedRead,
  fetchStatus,
  fetchStatusOf,
  hasNoSuchOrder,
  idsInStatus,
  unknownAtGateway,
  whyFromJournal,
} from '../../core/order-query.js';
import { assertIdsOfOneOrder, idsOf, type NamedOrder, type OrderIds } from '../../core/order-requests.js';
import { repeatedOptions } from '../../core/repeated-flags.js';
import type { Reporter } from '../../core/reporter.js';
import { noSuchOrder, settledOpening, withSettlement } from '../../core/settled-status.js';
import { threeIdsForOneOrder } from '../../fields/collect.js';
import { byOneId, type Fields, orderCommand } from '../../format/meaning.js';
import { updateJournal } from '../../gateway.js';
import { withSession } from '../../open-session.js';
import type { Session } from '../../session.js';
import { type AnsweredOrder, followUpOf, refusalNote } from './follow-ups.js';
import { type OrderTools, requestsOnOrder } from './requests.js';
import { orderOutput, type ShownOrder } from './screen.js';
import { timelineDocument, timelineSheet, timelineText } from './timeline.js';
import { findTimeline, gatherTimeline, type Timeline } from './timeline-gather.js';
import { watchOrder } from './watch.js';

interface OrderOptions extends CommonOptions {
  readonly clientOrderId?: string;
  readonly orderId?: string;
  readonly can?: string;
  readonly timeline?: boolean;
  readonly offline?: boolean;
  readonly watch?: boolean;
}

export const order = defineCommand<OrderOptions>({
  name: 'order',
  summary: 'Show one order: status, amounts, timeline, available operations',
  help: 'One order on one screen: status, amounts, card, the timeline, and the available operations with the command to paste. The status is queried from the gateway; --offline uses local data only',
  heading: 'Money safety:',
  args: [['[order]', 'the gateway order id or your client order id (idempotency key)']],
  options: [
    ['--order-id <id>', 'the gateway order id'],
    ['--client-order-id <id>', 'your client order id'],
    ['--can <operation>', 'check whether this operation is available: exit 0, or 11 with the reason'],
    ['--timeline', 'show only the local timeline; nothing is sent'],
    ['--offline', 'use only local data; the gateway is not queried'],
    ['--watch', 'show it again at each change, until its status is final'],
    ['--wait-timeout <time>', 'with --watch: give up after this long (5m)'],
    timeoutFlag,
    ['--live', 'required with a live profile'],
    ...connectionFlags,
  ],
  examples: ['order order-1', 'order $ORDER --can return', 'order order-1 --timeline', 'order order-1 --watch'],
  effect: 'read',
  network: true,
  exits: [...statusExits, 'checkFailed', 'pending'],
  prints: ['order', 'can', 'timeline'],
  run: ({ args: [name], options, runtime }) => runOrder(name, options, runtime),
});

/** Shows an order. With --can, exit 11 when the operation is not allowed. */
async function runOrder(name: string | undefined, options: OrderOptions, runtime: Runtime): Promise<number> {
  const { orderId } = options;
  // Beside --order-id the argument can only be the client order id.
  const isBoth = name !== undefined && orderId !== undefined && name !== orderId;
  if (isBoth && options.clientOrderId !== undefined && options.clientOrderId !== name)
    throw threeIdsForOneOrder('order');
  const clientOrderId = isBoth ? name : options.clientOrderId;
  const ofCommand = { order: isBoth ? undefined : name, orderId, clientOrderId };
  const isUnnamed = (name ?? orderId ?? clientOrderId) === undefined;
  if (isUnnamed) assertMayAskOrder('order', options, runtime);
  if (options.watch === true && (options.timeline ?? options.offline ?? options.can) !== undefined)
    throw fail('USAGE', { why: '--watch queries the gateway: omit --timeline, --offline and --can', command: 'order' });
  const isOffline = options.timeline === true || options.offline === true;
  if (isOffline && options.can !== undefined)
    throw fail('USAGE', { why: '--can queries the gateway: omit --timeline and --offline', command: 'order' });
  const operation = options.can === undefined ? undefined : findOperation(options.can, 'order');
  return withSession(options, runtime, async (session, report) => {
    const named = isUnnamed ? await askOrderOf(session, 'order', options, runtime) : ofCommand;
    await assertIdsOfOneOrder(named, 'order', session, runtime);
    const given = repeatedOptions(options);
    const tools = { options: isOffline ? { ...options, offline: true } : options, session, report, runtime };
    if (options.timeline === true) return showTimeline(named, given, tools, report);
    const readRequests = async () => (await requestsOnOrder(named, tools)).map(({ intent }) => intent);
    const requests = await readRequests();
    const why = isOffline ? 'the gateway was not queried (--offline)' : whyNotQueried(requests);
    if (why !== undefined) return showOffline(why, named, requests, { ...tools, given, operation });
    const fields = await statusOrMissing(named, requests, operation !== undefined, { ...tools, given });
    if (fields === undefined)
      return showOffline(noSuchOrder, named, requests, { ...tools, given, operation, isMissing: true });
    const typed = idsIn(named, requests);
    const ids = named.order === undefined || requests.length > 0 ? typed : idsInStatus(fields, typed);
    /** The order according to this reply, which also updates the journal. */
    const read = async (reply: Fields): Promise<ShownOrder> => {
      await updateJournal(tools, reply, session.endpointFor(statusQuery, undefined));
      const own = await readRequests();
      const known = await knownOrder(reply, ids, own, tools);
      const timeline = await timelineOf(named, known, tools);
      return { known, ...withSettlement(reply, own), requests: own, timeline };
    };
    if (operation !== undefined) {
      const { known, ...shown } = await read(fields);
      const amounts = amountsOf(shown.fields, known.facts, shown.requests, session.assume);
      return showWhetherLegal(operation, { ...known, ...shown }, amounts, session, report);
    }
    if (options.watch === true) return watchOrder(fields, read, tools);
    await report.show(orderOutput(await read(fields), session, report, runtime));
    return exits.ok;
  });
}

/**
 * The status reply; undefined where the gateway has no such order and a person recorded its outcome, which is no fault
 * of the query. Before any other error is thrown the order is shown from the journal, except with --can.
 */
async function statusOrMissing(
  named: NamedOrder,
  requests: readonly Intent[],
  isOnlyCan: boolean,
  { given, ...tools }: OrderTools & { readonly report: Reporter; readonly given: readonly string[] },
): Promise<Fields | undefined> {
  const { session, runtime } = tools;
  const ids = idsIn(named, requests);
  try {
    const isKnown = requests.some(({ orderId }) => orderId !== undefined && orderId === named.order);
    return await (named.order === undefined || isKnown ? fetchStatus : fetchStatusOf)(ids, session, runtime);
  } catch (thrown) {
    const error = asFailedRead(thrown);
    if (hasNoSuchOrder(error) && settledOpening(requests) !== undefined) return undefined;
    const reason = isOnlyCan ? undefined : whyFromJournal(error);
    const isShown = reason !== undefined && (await showFromJournal(reason, named, requests, tools));
    throw await unknownAtGateway(error, { ids, requests, command: 'order', given, isShown }, tools);
  }
}

type FoundOperation = ReturnType<typeof findOperation>;

/** Why a status query would show nothing; undefined where it may show something. */
function whyNotQueried(requests: readonly Intent[]): string | undefined {
  const openings = requests.filter(({ kind }) => kind === 'opening');
  return openings.length > 0 && openings.every(isRegistered) ? 'a status query does not show it' : undefined;
}

interface OfflineTools extends OrderTools {
  readonly report: Reporter;
  readonly operation: FoundOperation | undefined;
  /** The flags that a command for another profile has to keep. */
  readonly given: readonly string[];
  /** The gateway has no such order. */
  readonly isMissing?: true;
}

/** Without a query: the order as the journal has it, or only its timeline; with --can, whether it is allowed. */
async function showOffline(
  why: string,
  named: NamedOrder,
  requests: readonly Intent[],
  { operation, given, ...tools }: OfflineTools,
): Promise<number> {
  const { session, report, isMissing } = tools;
  const found = orderInJournal(named, requests, tools.session.assume);
  if (operation === undefined || found === undefined)
    return (await showFromJournal(why, named, requests, tools)) ? exits.ok : showTimeline(named, given, tools, report);
  const { known, fields } = found;
  const amounts = amountsOf(fields, known.facts, requests, session.assume);
  return showWhetherLegal(operation, { ...known, fields, requests, isMissing }, amounts, session, report);
}

/** Shows the order as the journal has it; false where the journal does not have it. */
async function showFromJournal(
  why: string,
  named: NamedOrder,
  requests: readonly Intent[],
  tools: OrderTools & { readonly report: Reporter; readonly isMissing?: true },
): Promise<boolean> {
  const found = orderInJournal(named, requests, tools.session.assume);
  if (found === undefined) return false;
  const { session, report, runtime, isMissing } = tools;
  const timeline = await findTimeline(named, tools);
  const shown = { ...found, requests, timeline, fromJournal: why, isMissing };
  await report.show(orderOutput(shown, session, report, runtime));
  return true;
}

/** Both ids, as far as the journal knows them. */
function idsIn(named: NamedOrder, requests: readonly Intent[]): OrderIds {
  const ids = idsOf(requests, named);
  // An id typed as the gateway's stays so, whatever the journal pairs it with.
  const typed = named.orderId ?? named.order;
  return typed !== undefined && named.clientOrderId !== undefined
    ? { orderId: typed, clientOrderId: named.clientOrderId }
    : ids;
}

/** Looked up by the typed ids, else by those in the gateway's reply. */
async function timelineOf(
  named: NamedOrder,
  { orderId, clientOrderId }: KnownOrder,
  tools: OrderTools,
): Promise<Timeline | undefined> {
  return (await findTimeline(named, tools)) ?? (await findTimeline({ order: orderId, clientOrderId }, tools));
}

async function showTimeline(
  named: NamedOrder,
  given: readonly string[],
  tools: OrderTools,
  report: Reporter,
): Promise<number> {
  const { session, runtime } = tools;
  const timeline = await gatherTimeline(named, tools, { command: 'order', given });
  const [first] = timeline.events;
  const startedAt = first === undefined ? undefined : report.moment(first.at);
  await report.show({
    document: timelineDocument(timeline, { profile: session.name, gateway: session.gatewayBase }),
    list: 'events',
    text: () => timelineText(timeline, runtime.terminal.width, report.paint, startedAt),
    sheet: () => timelineSheet(timeline.events, report),
  });
  return exits.ok;
}

async function showWhetherLegal(
  row: FoundOperation,
  known: AnsweredOrder,
  amounts: Amounts | undefined,
  session: Session,
  report: Reporter,
): Promise<number> {
  const next = followUpOf(row, row.id, known, amounts, session);
  const note = row.effect === 'read' ? '' : refusalNote(known);
  await report.show({
    document: { schema: 'paycli.can/1', orderId: known.orderId, clientOrderId: known.clientOrderId, ...next },
    text: () => (next.legal ? `yes: ${next.command ?? ''}\n${note}` : `no: ${next.reason ?? ''}\n`),
  });
  if (next.legal) return exits.ok;
  const { orderId, clientOrderId } = known;
  const ids = { orderId: orderId === '' ? undefined : orderId, clientOrderId };
  const shown = orderCommand('order', byOneId({ ...ids, flags: session.flags }));
  report.because(
    fail('CHECK_FAILED', {
      why: `a check failed: ${row.command} is not available: ${next.reason ?? ''}`,
      how: `\`${shown}\` lists what is available`,
      operation: row.command,
    }),
  );
  return exits.checkFailed;
}
