import { type Binding, type Bound, bindingIn, type EngineIdentity, type EngineWay, isSameEngine } from '../../batch/binding.js';
import { pageSize } from '../../batch/pages.js';
import type { BatchRow, BoundPlan, PlanHead, PlanStore } from '../../batch/plan.js';
import { pathFrom } from '../../config/paths.js';
import { fail, shellWord } from '../../errors/index.js';
import { type Journal, type OrderElsewhere, ofElsewhere, type PlanElsewhere } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { operationById } from '../../spec/index.js';
import { commandOn } from '../batch-plans.js';

/** The engine a plan is bound to, by its own file or by the journal; undefined when no row of it may have left. */
export function bindingOf(plan: BoundPlan, journal: Journal): Binding | undefined {
  const noted = journal.elsewhere.binding(plan.head.id);
  return plan.binding() ?? (noted === undefined ? undefined : bindingIn(noted));
}

/** This journal, as engines are told apart. */
export function thisMachine(journal: Journal): Bound {
  return { engine: { kind: 'local', journal: journal.hash(['this journal']) }, shown: 'this machine', flags: {} };
}

/** A database, by how one gets there. Paths stand as they are found from every folder. */
export function databaseAt(engine: EngineIdentity, way: EngineWay, { files }: Runtime): Bound {
  const { working, home } = files.folders;
  const absolute = (path: string) => pathFrom(path, working, home);
  const { engine: address, rowKeyFile, enginePasswordFile } = way;
  return {
    engine,
    // Without its parameters; a password never stands in it.
    shown: (address ?? '').replace(/\?.*$/, ''),
    flags: {
      ...(address === undefined ? {} : { engine: address }),
      ...(rowKeyFile === undefined ? {} : { rowKeyFile: absolute(rowKeyFile) }),
      ...(enginePasswordFile === undefined ? {} : { enginePasswordFile: absolute(enginePasswordFile) }),
    },
  };
}

/** ` --engine … --row-key-file …`, fit for a shell; empty for this machine. */
export function wayText({ engine, rowKeyFile, enginePasswordFile }: EngineWay): string {
  const flags = [
    ['--engine', engine],
    ['--row-key-file', rowKeyFile],
    ['--engine-password-file', enginePasswordFile],
  ] as const;
  return flags.map(([flag, value]) => (value === undefined ? '' : ` ${flag} ${shellWord(value)}`)).join('');
}

/** What the user is to run instead. */
export function moveText(head: PlanHead, to: Bound): string {
  const { engine = 'local', ...files } = to.flags;
  return commandOn('move', head, ` --to ${shellWord(engine)}${wayText(files)}`);
}

type Verb = 'run' | 'resume' | 'work';

/** Before anything is asked or opened: whether the flags lead to this machine or to a database. Throws BATCH_REFUSED. */
export function checkKind(head: PlanHead, binding: Binding | undefined, way: EngineWay, verb: Verb): void {
  if (binding === undefined) return;
  checkNotMoving(head, binding);
  const isLocal = way.engine === undefined;
  if ((binding.engine.kind === 'local') !== isLocal) throw refusedFor(head, binding, verb, isLocal ? 'local' : 'postgres://…');
}

/** Throws BATCH_REFUSED where this is not the engine the plan runs on; `way` is what led here. */
export function checkBound(
  head: PlanHead,
  binding: Binding | undefined,
  here: EngineIdentity,
  verb: Verb,
  way?: Pick<EngineWay, 'engine'>,
): void {
  if (binding === undefined) return;
  checkNotMoving(head, binding);
  if (isSameEngine(binding.engine, here)) return;
  if (way?.engine !== undefined && way.engine === binding.flags.engine) throw replacedFor(head, binding, verb);
  throw refusedFor(head, binding, verb, here.kind === 'local' ? 'local' : 'postgres://…');
}

/** What to say where another database has the address of the one that a plan was put into. */
export function replacedWhy({ id }: PlanHead, { shown }: Bound): string {
  return `the database at ${shown} is not the one plan ${id} was put into: it was restored or replaced`;
}

function replacedFor(head: PlanHead, binding: Binding, verb: Verb): Error {
  const careful = commandOn(verb === 'run' ? 'run' : 'resume', head, `${wayText(binding.flags)} --after-restore`);
  const where = verb === 'work' ? ', on the machine that planned it,' : '';
  return fail('BATCH_REFUSED', {
    why: replacedWhy(head, binding),
    how: `nothing was sent; \`${careful}\`${where} asks the gateway about every row first`,
  });
}

function checkNotMoving(head: PlanHead, { shown, movingTo }: Binding): void {
  if (movingTo === undefined) return;
  throw fail('BATCH_REFUSED', {
    why: `plan ${head.id} is on its way from ${shown} to ${movingTo.shown}`,
    how: `nothing was sent; finish the move with \`${moveText(head, movingTo)}\``,
  });
}

function refusedFor(head: PlanHead, binding: Binding, verb: Verb, wanted: string): Error {
  const { engine, shown, flags } = binding;
  // Who works on a batch of another machine cannot move it.
  const move = verb === 'work' ? '' : `, or move it first: \`${commandOn('move', head, ` --to ${wanted}`)}\``;
  const right = verb === 'work' && engine.kind === 'local' ? 'resume' : verb;
  return fail('BATCH_REFUSED', {
    why: `plan ${head.id} runs on ${shown}, and what was sent there would be sent a second time from elsewhere`,
    how: `nothing was sent; go on with \`${commandOn(right, head, wayText(flags))}\`${move}`,
  });
}

/** Other plans that run elsewhere may hold rows of this one. Throws ORDER_ELSEWHERE. */
export function checkOrders(plan: Pick<PlanStore, 'head' | 'rows'>, journal: Journal): void {
  const { id, base, operation } = plan.head;
  const row = operationById(operation);
  if (!journal.elsewhere.isUsed) return;
  for (let from = 1; from <= plan.head.count; from += pageSize)
    for (const { endpointId, values } of plan.rows(from, pageSize)) {
      const { clientOrderId, orderId } = values;
      const place = { kind: row.opens ? 'opening' : 'follow-up', base, endpointId, operation, clientOrderId, orderId } as const;
      const found = journal.elsewhere.find(place, id);
      if (found !== undefined) throw ofElsewhere(place, found, 'a row of this plan would be a second payment');
    }
}

/** Binds a plan in its file. Throws BATCH_REFUSED when somebody else was faster. */
export function bindPlan(plan: BoundPlan, before: Binding | undefined, after: Binding): void {
  if (plan.bind(before, after)) return;
  throw fail('BATCH_REFUSED', {
    why: `plan ${plan.head.id} was bound to another engine at this moment`,
    how: `nothing was sent; \`paycli batch show ${plan.head.id}\` tells where it runs`,
  });
}

/** This journal sends nothing of the plan any more. Its orders are written down once; those that have their end since stay out. */
export function bindElsewhere(plan: Pick<PlanStore, 'head' | 'rows'>, journal: Journal, bound: Bound): void {
  const orders = journal.elsewhere.binding(plan.head.id) === undefined ? ordersOf(plan) : [];
  journal.elsewhere.bind(elsewhereOf(plan.head, bound), orders, true);
}

/** A plan as the journal keeps one that runs elsewhere. */
export function elsewhereOf({ id, base, operation }: PlanHead, binding: Bound): PlanElsewhere {
  return {
    plan: id,
    base,
    kind: operationById(operation).opens ? 'opening' : 'follow-up',
    engine: binding.shown,
    binding: JSON.stringify(binding),
  };
}

/** The orders of a plan's rows, in their order; those of `without` are left out. */
export function* ordersOf(plan: Pick<PlanStore, 'head' | 'rows'>, without: ReadonlySet<number> = new Set()): Generator<OrderElsewhere> {
  const { count, operation } = plan.head;
  for (let from = 1; from <= count; from += pageSize)
    for (const row of plan.rows(from, pageSize)) if (!without.has(row.number)) yield orderOf(row, operation);
}

/** The id that a second request for the row would have as well. */
export function orderOf(
  { number, endpointId, values }: Pick<BatchRow, 'number' | 'endpointId' | 'values'>,
  operation: PlanHead['operation'],
): OrderElsewhere {
  return { number, endpointId, name: values[operationById(operation).opens ? 'clientOrderId' : 'orderId'] ?? '' };
}
