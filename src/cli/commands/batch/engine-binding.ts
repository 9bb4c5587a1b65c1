import { orderPlaceOf } from '../../../batch/connection.js';
import {
  accessIn,
  type BoundEngine,
  type EngineAccess,
  type EngineIdentity,
  isSameEngine,
  parseBinding,
} from '../../../batch/engine-binding.js';
import {
  type BatchEvent,
  type BatchRow,
  type BoundPlan,
  type PlanHead,
  type PlanStore,
  rowsOfPlan,
} from '../../../batch/plan.js';
import { pathFrom } from '../../../config/file-access.js';
import { fail, type PaycliError } from '../../../errors/index.js';
import { type ExternalOrder, type ExternalPlan, externalOrderError, type Journal } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { operationById } from '../../../spec/index.js';
import { batchCommand, engineFlagsText } from './named-commands.js';

/** The engine a plan is bound to, by its own file or by the journal; undefined when no row of it may have left. */
export function bindingOf(plan: BoundPlan, journal: Journal): BoundEngine | undefined {
  const noted = journal.externalPlans.binding(plan.head.id);
  return plan.binding() ?? (noted === undefined ? undefined : parseBinding(noted));
}

/** This journal, as engines are told apart. */
export function thisMachine(journal: Journal): BoundEngine {
  return { engine: { kind: 'local', journal: journal.hash(['this journal']) }, shown: 'this machine', flags: {} };
}

/** A database, by how one gets there. Paths stand as they are found from every folder. */
export function describeDatabase(engine: EngineIdentity, way: EngineAccess, { files }: Runtime): BoundEngine {
  const { working, home } = files.folders;
  const absolute = (path: string) => pathFrom(path, working, home);
  const { engine: address, rowKeyFile, enginePasswordFile } = way;
  return {
    engine,
    shown: shownAddress(address ?? ''),
    flags: accessIn({
      engine: address && withAbsoluteAuthorities(address, absolute),
      rowKeyFile: rowKeyFile && absolute(rowKeyFile),
      enginePasswordFile: enginePasswordFile && absolute(enginePasswordFile),
    }),
  };
}

/** Without its parameters; a password never stands in it. */
export function shownAddress(address: string): string {
  return address.replace(/\?.*$/, '');
}

function withAbsoluteAuthorities(address: string, absolute: (path: string) => string): string {
  return address.replace(/([?&]sslrootcert=)([^&#]+)/, (_, name: string, path: string) => {
    const found = absolute(decodeURIComponent(path));
    return `${name}${encodeURIComponent(found).replaceAll('%2F', '/')}`;
  });
}

type Verb = 'run' | 'resume' | 'work';

/**
 * Before anything is asked or opened: whether the flags lead to this machine or to a database. Throws BATCH_REFUSED.
 */
export function checkEngineKind(head: PlanHead, binding: BoundEngine | undefined, way: EngineAccess, verb: Verb): void {
  if (binding === undefined) return;
  const isLocal = way.engine === undefined;
  if ((binding.engine.kind === 'local') !== isLocal) throw boundElsewhereError(head, binding, verb);
}

/** Throws BATCH_REFUSED where this is not the engine the plan runs on; `way` is what led here. */
export function checkBinding(
  head: PlanHead,
  binding: BoundEngine | undefined,
  here: EngineIdentity,
  verb: Verb,
  way?: Pick<EngineAccess, 'engine'>,
): void {
  if (binding === undefined) return;
  if (isSameEngine(binding.engine, here)) return;
  if (way?.engine !== undefined && shownAddress(way.engine) === binding.shown) throw replacedError(head, binding, verb);
  throw boundElsewhereError(head, binding, verb);
}

/** What to say where another database has the address of the one that a plan was put into. */
export function replacedReason({ id }: PlanHead, { shown }: BoundEngine): string {
  return `the database at ${shown} is not the one plan ${id} was stored in: it was restored or replaced`;
}

function replacedError(head: PlanHead, binding: BoundEngine, verb: Verb): Error {
  const careful = batchCommand(
    verb === 'run' ? 'run' : 'resume',
    head,
    `${engineFlagsText(binding.flags)} --after-restore`,
  );
  const where = verb === 'work' ? ', on the machine that planned it,' : '';
  return fail('BATCH_REFUSED', {
    why: replacedReason(head, binding),
    how: `nothing was sent; \`${careful}\`${where} queries the gateway about every row first`,
  });
}

function boundElsewhereError(head: PlanHead, binding: BoundEngine, verb: Verb): Error {
  const { engine, shown, flags } = binding;
  const right = verb === 'work' && engine.kind === 'local' ? 'resume' : verb;
  return fail('BATCH_REFUSED', {
    why: `plan ${head.id} runs on ${shown}, and running it elsewhere would send its rows a second time`,
    how: `nothing was sent; continue with \`${batchCommand(right, head, engineFlagsText(flags))}\``,
    plan: head.id,
    engine: shown,
  });
}

/**
 * Other plans that run elsewhere may hold rows of this one; those of `without` are left out. Throws ORDER_ELSEWHERE.
 */
export function checkOrdersElsewhere(
  plan: Pick<PlanStore, 'head' | 'rows'>,
  journal: Journal,
  without: ReadonlySet<number> = new Set(),
): void {
  const { id, base, operation } = plan.head;
  if (!journal.externalPlans.isUsed) return;
  for (const row of rowsOfPlan(plan)) {
    if (without.has(row.number)) continue;
    const place = orderPlaceOf(operationById(operation), row, base);
    const found = journal.externalPlans.find(place, id);
    if (found !== undefined) throw externalOrderError(place, found, 'a row of this plan would be a second payment');
  }
}

/** Binds a plan in its file. Throws BATCH_REFUSED when somebody else was faster. */
export function bindPlan(plan: BoundPlan, before: BoundEngine | undefined, after: BoundEngine): void {
  if (plan.bind(before, after)) return;
  throw fail('BATCH_REFUSED', {
    why: `plan ${plan.head.id} was just bound to another engine`,
    how: `nothing was sent; \`paycli batch show ${plan.head.id}\` shows where it runs`,
    plan: plan.head.id,
  });
}

/**
 * This journal sends nothing of the plan any more. Its orders are written down once; those that have their end since
 * stay out.
 */
export function bindInJournal(plan: Pick<PlanStore, 'head' | 'rows'>, journal: Journal, bound: BoundEngine): void {
  const orders = journal.externalPlans.binding(plan.head.id) === undefined ? ordersOf(plan) : [];
  journal.externalPlans.bind(planElsewhere(plan.head, bound), orders, true);
}

/** A plan as the journal keeps one that runs elsewhere. */
export function planElsewhere({ id, base, operation }: PlanHead, binding: BoundEngine): ExternalPlan {
  return {
    plan: id,
    base,
    kind: operationById(operation).opens ? 'opening' : 'follow-up',
    engine: binding.shown,
    binding: JSON.stringify(binding),
  };
}

/** The orders of a plan's rows, in their order; those of `without` are left out. */
export function* ordersOf(
  plan: Pick<PlanStore, 'head' | 'rows'>,
  without: ReadonlySet<number> = new Set(),
): Generator<ExternalOrder> {
  for (const row of rowsOfPlan(plan)) if (!without.has(row.number)) yield orderOf(row, plan.head.operation);
}

/** The id that a second request for the row would have as well. */
export function orderOf(
  { number, endpointId, values }: Pick<BatchRow, 'number' | 'endpointId' | 'values'>,
  operation: PlanHead['operation'],
): ExternalOrder {
  return { number, endpointId, name: values[operationById(operation).opens ? 'clientOrderId' : 'orderId'] ?? '' };
}

/** The plan was begun: what was sent is known from here on. */
export const runBeganEvent = 'run began';
export const runEndedEvent = 'run ended';

/** The process of the newest run, where it was on this machine and is gone without an end. */
export function goneProcess(
  events: readonly BatchEvent[],
  { processes }: Pick<Runtime, 'processes'>,
): number | undefined {
  const last = events.findLast(({ what }) => what === runBeganEvent || what === runEndedEvent);
  if (last?.what !== runBeganEvent || last.facts['host'] !== processes.host) return undefined;
  const pid = Number(last.facts['pid']);
  return processes.isAlive(pid) ? undefined : pid;
}

/** The address named is not that of the database which the plan runs on. */
export function notEngineOfPlan(what: string, plan: string, shown: string): PaycliError {
  return fail('STORAGE', {
    what,
    why: `it is not the database that plan ${plan} runs on`,
    how: `omit --engine, or name ${shown}`,
    plan,
  });
}
