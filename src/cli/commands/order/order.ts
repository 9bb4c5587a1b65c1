import { exits, fail, isPaycliError } from '../../../errors/index.js';
import { reachedStates } from '../../../journal/states.js';
import type { Runtime } from '../../../runtime/ports.js';
import { statusQuery } from '../../../spec/index.js';
import { type KnownFacts, legality } from '../../../spec/lifecycle.js';
import { defineCommand, on, type Values, word } from '../../command.js';
import { findOperation } from '../../core/command-synonyms.js';
import type { CommonOptions } from '../../core/common-options.js';
import { askOrder, assertMayAskOrder, idFlags } from '../../core/order-argument.js';
import { factsInStatus, openedBy } from '../../core/order-facts.js';
import { asFailedRead, fetchStatus, idsInStatus, unknownAtGateway } from '../../core/order-query.js';
import { idsOf, type NamedOrder, type OrderIds, requestsOnOrder } from '../../core/order-requests.js';
import { isRegistered } from '../../core/order-words.js';
import { connectionFlags, liveFlag, outputFlags, timeoutFlag } from '../../flags.js';
import { orderCommand } from '../../format/meaning.js';
import { type Tools, updateJournal } from '../../gateway.js';
import type { DocumentOf } from '../../results.js';
import { withSession } from '../../session.js';
import { orderNamed } from '../../usage.js';
import { orderOutput, type ShownOrder } from './show-order.js';
import { gatherTimeline, timelineDocument, timelineSheet, timelineText } from './timeline.js';

type FoundOperation = ReturnType<typeof findOperation>;

const flags = {
  ...idFlags,
  can: word('<operation>', 'check whether this operation is possible: exit 0, or 11 with the reason'),
  timeline: on('show the local timeline instead; nothing is sent'),
  noInput: on('never prompt'),
  timeout: timeoutFlag,
  live: liveFlag,
  ...connectionFlags,
  ...outputFlags,
};

type OrderFlags = CommonOptions & Values<typeof flags>;

export const order = defineCommand({
  summary: 'Show one order: status, amounts and what was sent on it',
  help: 'The status is queried, and amounts are shown as the gateway states them, with the requests that were sent on the order from here. Several orders may be named, or - for one a line from standard input; with json, each is then one line. --timeline uses local data only.',
  heading: 'Money safety:',
  args: {
    order: {
      text: 'the gateway order id or your client order id (idempotency key); - reads them from standard input',
      isList: true,
    },
  },
  flags,
  conflicts: [['can', 'timeline']],
  examples: ['order order-1', 'order $ORDER --can return', 'order order-1 --timeline'],
  effect: 'read',
  result: ['order', 'can', 'timeline'],
  run: async ({ args, flags, runtime }) => {
    const typed = args.order.includes('-') ? await linesOfInput(runtime) : args.order;
    const names = typed.map((name) => orderNamed(name, '--order-id') ?? '');
    const { orderId, clientOrderId } = flags;
    if (names.length > 1 && (orderId ?? clientOrderId) !== undefined)
      throw fail('USAGE', {
        why: 'with several orders, --order-id and --client-order-id cannot be used',
      });
    const operation = flags.can === undefined ? undefined : findOperation(flags.can);
    const isUnnamed = names.length === 0 && (orderId ?? clientOrderId) === undefined;
    if (isUnnamed) assertMayAskOrder(flags, runtime);
    return withSession(flags, runtime, async (session, report) => {
      const tools: OrderTools = { options: flags, operation, session, report, runtime };
      if (names.length > 1) return showSeveral(names, tools);
      const named = isUnnamed ? await askOrder(flags, runtime) : { order: names[0], orderId, clientOrderId };
      return showOne(named, tools, (shown) => report.show(orderOutput(shown, session, report)));
    });
  },
});

interface OrderTools extends Tools {
  readonly options: OrderFlags;
  /** That of --can. */
  readonly operation: FoundOperation | undefined;
}

async function linesOfInput(runtime: Runtime): Promise<readonly string[]> {
  const lines = (await runtime.terminal.readStdin()).split('\n').map((line) => line.trim());
  const names = lines.filter((line) => line !== '');
  if (names.length === 0) throw fail('USAGE', { why: 'standard input names no order' });
  return names;
}

/** One after the other; the exit code is that of the first that failed. */
async function showSeveral(names: readonly string[], tools: OrderTools): Promise<number> {
  const { session, report } = tools;
  let exit: number = exits.ok;
  for (const name of names) {
    const print = async (shown: ShownOrder) => {
      const { document, text } = orderOutput(shown, session, report);
      await report.event(document, `${text?.() ?? ''}\n`);
    };
    try {
      const own = await showOne({ order: name, clientOrderId: undefined }, tools, print);
      if (exit === exits.ok) exit = own;
    } catch (error) {
      if (!isPaycliError(error) || ['INTERRUPTED', 'TERMINATED'].includes(error.code)) throw error;
      report.error(error);
      if (exit === exits.ok) exit = error.exit;
    }
  }
  return exit;
}

async function showOne(
  named: NamedOrder,
  tools: OrderTools,
  print: (shown: ShownOrder) => Promise<void>,
): Promise<number> {
  const { options, operation, session, runtime } = tools;
  if (options.timeline === true) return showTimeline(named, tools);
  const readKnown = () => requestsOnOrder(named, session, runtime);
  const requests = await readKnown();
  const ids = idsOf(requests, named);
  const payments = requests.filter(({ kind }) => kind === 'payment');
  if (payments.length > 0 && payments.every(isRegistered)) {
    const facts = { opened: 'recurring-registration', status: 'approved' } as const;
    if (operation !== undefined) return showWhetherPossible(operation, ids, facts, tools);
    await print({ requests, ids, fields: undefined, notAsked: 'a status query does not show a registration' });
    return exits.ok;
  }
  const fields = await fetchStatus(ids, tools).catch(async (thrown: unknown) => {
    const error = unknownAtGateway(asFailedRead(thrown), requests, session);
    if (requests.length > 0 && operation === undefined && isPaycliError(error))
      await print({ requests, ids, fields: undefined, notAsked: error.message });
    throw error;
  });
  await updateJournal(tools, fields, session.endpointFor(statusQuery, undefined));
  const shown = { requests: await readKnown(), ids: idsInStatus(fields, ids), fields };
  if (operation === undefined) {
    await print(shown);
    return exits.ok;
  }
  const payment = shown.requests.find(({ kind, state }) => kind === 'payment' && reachedStates.includes(state));
  const facts = { opened: payment && openedBy(payment.operation), ...factsInStatus(fields) };
  return showWhetherPossible(operation, shown.ids, facts, tools);
}

async function showTimeline(named: NamedOrder, { session, report, runtime }: OrderTools): Promise<number> {
  const whole = await gatherTimeline(named, { session, runtime });
  // Queries that wait for an outcome say little, and there may be many.
  const timeline = report.verbose ? whole : { ...whole, events: whole.events.filter(({ isPoll }) => isPoll !== true) };
  await report.show({
    document: timelineDocument(timeline, { profile: session.name, gateway: session.gatewayBase }),
    list: 'events',
    text: () => timelineText(timeline, report.width),
    sheet: () => timelineSheet(timeline),
  });
  return exits.ok;
}

/** Whether the status rules an operation out; what it does not say is possible. */
async function showWhetherPossible(
  row: FoundOperation,
  ids: OrderIds,
  facts: KnownFacts,
  { session, report }: OrderTools,
): Promise<number> {
  const reason = legality(row.id, facts, session.assume);
  const document: DocumentOf<'can'> = {
    schema: 'paycli.can/1',
    ...{ orderId: ids.orderId ?? null, clientOrderId: ids.clientOrderId ?? null, operation: row.command },
    ...{ legal: reason === undefined, reason: reason ?? null },
  };
  await report.show({ document, text: () => `${reason === undefined ? 'yes' : `no: ${reason}`}\n` });
  if (reason === undefined) return exits.ok;
  const shown = orderCommand('order', { ...ids, flags: session.flags });
  const why = `a check failed: ${row.command} is not possible: ${reason}`;
  report.because(fail('CHECK_FAILED', { why, how: `\`${shown}\` shows the order`, operation: row.command }));
  return exits.checkFailed;
}
