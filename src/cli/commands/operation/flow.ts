import { exits, fail } from '../../../errors/index.js';
import type { Paint, Runtime } from '../../../runtime/ports.js';
import type { KnownOrder } from '../../../sandbox/index.js';
import { type Operation, type OperationId, operationNamed, operations } from '../../../spec/index.js';
import { legality, stageOf } from '../../../spec/lifecycle.js';
import { fieldsInForce } from '../../../wire/check-request.js';
import { defineCommand, statusExits } from '../../core/define-command.js';
import { flagOf, isFromProfile, placeholderOf } from '../../core/flags.js';
import { openSession } from '../../core/open-session.js';
import { findOperation } from '../../core/operation-commands.js';
import { type CommonOptions, connectionFlags } from '../../core/options.js';
import { askOrder } from '../../core/order-query.js';
import { Reporter } from '../../core/reporter.js';
import type { Session } from '../../core/session.js';
import { idWord, orderCommand } from '../../format/meaning.js';
import { columns, oneLine } from '../../format/table.js';

interface FlowOptions extends CommonOptions {
  readonly clientOrderId?: string;
}

/** Whether one operation may follow on an order. */
interface FollowUp {
  readonly operation: string;
  readonly legal: boolean;
  readonly reason: string | undefined;
  /** Ready to paste, where it is legal. */
  readonly command: string | undefined;
}

export const flow = defineCommand<FlowOptions>({
  name: 'flow',
  summary: 'Where an order stands, and everything that may follow',
  heading: 'Tools:',
  args: [['[order]', 'the order id the gateway gave']],
  options: [
    ['--client-order-id <id>', 'or your own id of it'],
    ['--live', 'needed with a live profile'],
    ...connectionFlags,
  ],
  effect: 'read',
  network: true,
  exits: statusExits,
  prints: ['flow'],
  run: ({ args: [order], options, runtime }) => runFlow(order, options, runtime),
});

export const can = defineCommand<FlowOptions>({
  name: 'can',
  summary: 'Whether an operation may follow on an order',
  heading: 'Tools:',
  args: [['<words...>', 'the operation and the order, such as capture 12345678']],
  options: [
    ['--client-order-id <id>', "your own id of the order, instead of the gateway's"],
    ['--live', 'needed with a live profile'],
    ...connectionFlags,
  ],
  effect: 'read',
  network: true,
  exits: [...statusExits, 'checkFailed'],
  prints: ['can'],
  run: ({ words, options, runtime }) => runCan(words, options, runtime),
});

/** Where an order stands and what may follow. */
async function runFlow(orderId: string | undefined, options: FlowOptions, runtime: Runtime): Promise<number> {
  const { session, report, order } = await openOrder(orderId, options, 'flow', runtime);
  const next = operations.filter((row) => followsOn(row)).map((row) => followUpOf(row, row.id, order, session));
  const { facts, orderId: id, clientOrderId } = order;
  const stage = stageOf(facts.opened, facts.status, facts.step);
  const { paint } = report;
  await report.show({
    document: { schema: 'paycli.flow/1', orderId: id, clientOrderId, stage, facts, next },
    list: 'next',
    text: () => `order ${id}  ${clientOrderId}\n${columns(statusRows(order, stage))}${followingText(next, paint)}`,
    sheet: () => ({
      columns: [
        { head: 'operation' },
        { head: 'may follow' },
        { head: 'why not', flexible: true },
        { head: 'command', optional: true },
      ],
      rows: next.map(({ operation, legal, reason = '', command = '' }) => [
        ...[operation, legal ? paint.good('yes') : paint.bad('no'), oneLine(reason), oneLine(command)],
      ]),
    }),
  });
  return exits.ok;
}

function followingText(next: readonly FollowUp[], paint: Paint): string {
  const rows = (wanted: boolean) =>
    next
      .filter(({ legal }) => legal === wanted)
      .map(({ operation, command, reason }) => [`  ${operation}`, command ?? reason ?? '']);
  return `${paint.bold('Available')}\n${columns(rows(true))}${paint.bold('Not available')}\n${columns(rows(false))}`;
}

/** Whether one operation may follow. Exit 11 when it may not. */
async function runCan(words: readonly string[], options: FlowOptions, runtime: Runtime): Promise<number> {
  const last = words.at(-1) ?? '';
  // Words that name an operation are no order, whatever digits are in them.
  const isOrder = operationNamed(words.join(' ')) === undefined && /\d/.test(last);
  const orderId = isOrder ? last : undefined;
  const name = (orderId === undefined ? words : words.slice(0, -1)).join(' ');
  const row = findOperation(name, 'can');
  const { session, report, order } = await openOrder(orderId, options, 'can', runtime);
  const next = followUpOf(row, row.id, order, session);
  await report.show({
    document: { schema: 'paycli.can/1', orderId: order.orderId, clientOrderId: order.clientOrderId, ...next },
    text: () => (next.legal ? `yes: ${next.command ?? ''}\n` : `no: ${next.reason ?? ''}\n`),
  });
  return next.legal ? exits.ok : exits.checkFailed;
}

async function openOrder(orderId: string | undefined, options: FlowOptions, command: string, runtime: Runtime) {
  if (orderId === undefined && options.clientOrderId === undefined) throw fail('orderNotNamed', { command });
  const session = await openSession(options, runtime);
  try {
    const report = new Reporter(options, session, runtime);
    report.notes(session.notes);
    return {
      session,
      report,
      order: await askOrder({ orderId, clientOrderId: options.clientOrderId }, session, runtime),
    };
  } finally {
    await session.close();
  }
}

/** Operations on an order or on its card; the others begin one. */
function followsOn(row: Operation): boolean {
  return !row.opens || row.id === 'REBILL';
}

function followUpOf(row: Operation, id: OperationId, order: KnownOrder, session: Session): FollowUp {
  const reason = legality(id, order.facts, session.assume);
  return {
    operation: row.command,
    legal: reason === undefined,
    reason,
    command: reason === undefined ? followUpCommand(row, order, session) : undefined,
  };
}

/** With a word in capitals for every field that only the user knows. */
function followUpCommand(
  row: Operation,
  { orderId, clientOrderId, cardRef }: KnownOrder,
  { flags, assume }: Session,
): string {
  const lacking = fieldsInForce(row, assume).filter(
    ([key, { need }]) =>
      need === 'required' && !isFromProfile(key) && !['orderId', 'clientOrderId', 'cardRefId'].includes(key),
  );
  const own = lacking.map(
    ([key, field]) => `${flagOf(key)} ${field.values?.[0] ?? placeholderOf(field).replace(/^<|>$/g, '').toUpperCase()}`,
  );
  const card = 'cardRefId' in row.fields ? [`--card-ref-id ${idWord(cardRef ?? '', 'gatewayId', 'ID')}`] : [];
  const named = 'orderId' in row.fields ? { orderId, clientOrderId } : { orderId: undefined, clientOrderId: undefined };
  return orderCommand(row.command, { ...named, flags }, [...card, ...own]);
}

function statusRows({ facts }: KnownOrder, stage: string): string[][] {
  const { opened, status, following, hold, captured, returned, voided, card } = facts;
  const rows: readonly (readonly [string, string, string])[] = [
    ['opened by', opened, ''],
    ['status', status, ''],
    ['stage', stage, ''],
    ['hold', hold, 'none'],
    ['captured', captured, 'nothing'],
    ['returned', returned, 'nothing'],
    ['voided', voided, 'no'],
    ['follow-up', following, 'none'],
    ['card', card, 'none'],
  ];
  return rows.filter(([, value, usual]) => value !== usual).map(([name, value]) => [`  ${name}`, value]);
}
