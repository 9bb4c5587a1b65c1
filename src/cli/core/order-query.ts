import { fail, isPaycliError } from '../../errors/index.js';
import type { Classified } from '../../payments/classify.js';
import { compose } from '../../payments/compose.js';
import { defaultLimits, exchange } from '../../payments/exchange.js';
import { failureFacts } from '../../payments/failure.js';
import type { Runtime } from '../../runtime/ports.js';
import type { KnownOrder } from '../../sandbox/index.js';
import type { Unsigned } from '../../signing/index.js';
import { type OperationId, operationById, replyField, threeDSecureStepIn } from '../../spec/index.js';
import { type OrderFacts, type Step, type TransactionKind, transactionKinds } from '../../spec/lifecycle.js';
import type { Fields } from '../format/meaning.js';
import { openLocalSandbox } from './local-sandbox.js';
import { adviceAfterRefusal } from './refusal-advice.js';
import type { Session } from './session.js';

/** One order, by either id or both. */
export interface OrderIds {
  readonly orderId: string | undefined;
  readonly clientOrderId: string | undefined;
}

/** A request about an order, ready to be sent. Values left out are not sent. */
export function composeForOrder(
  id: OperationId,
  values: Readonly<Record<string, string | undefined>>,
  { endpointFor, target }: Session,
): Unsigned {
  const row = operationById(id);
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return compose(row, Object.fromEntries(given), [], target(endpointFor(row, undefined)));
}

/** The status fields of an order, without showing them. Throws REFUSED or READ_FAILED. */
export async function fetchStatus(
  { orderId, clientOrderId }: OrderIds,
  session: Session,
  runtime: Runtime,
): Promise<Fields> {
  return sendSilently(composeForOrder('STATUS', { orderId, clientOrderId }, session), session, runtime);
}

/**
 * The same for an order of which only a word is known that may be either id: a client order id, else an id of the
 * gateway, which may be text too.
 */
export async function fetchStatusOf(ids: OrderIds, session: Session, runtime: Runtime): Promise<Fields> {
  const { orderId, clientOrderId } = ids;
  try {
    return await fetchStatus(ids, session, runtime);
  } catch (error) {
    if (orderId !== undefined || !isPaycliError(error) || error.code !== 'REFUSED') throw error;
    return fetchStatus({ orderId: clientOrderId, clientOrderId: undefined }, session, runtime).catch(
      (other: unknown) => {
        throw isPaycliError(other) && other.code === 'REFUSED' ? error : other;
      },
    );
  }
}

/** Sends a request and gives the accepted reply. Throws REFUSED, READ_FAILED or OUTCOME_UNKNOWN. */
export async function sendSilently(unsigned: Unsigned, session: Session, runtime: Runtime): Promise<Fields> {
  const ports = { transport: await session.transport(), clock: runtime.clock, random: runtime.random };
  const credentials = await session.credentials(unsigned.protection);
  const classified = await exchange(unsigned, credentials, ports, { assume: session.assume, limits: defaultLimits });
  if (classified.class === 'accepted' && classified.fields !== undefined) return classified.fields;
  throw refusal(classified, unsigned, session);
}

function refusal(classified: Classified, unsigned: Unsigned, session: Session): Error {
  const { class: kind, reason } = classified;
  const facts = failureFacts(classified);
  if (kind === 'refused') return fail('REFUSED', { ...facts, how: adviceAfterRefusal(classified, unsigned, session) });
  if (kind === 'not-sent') return fail('NOT_SENT', { why: reason });
  if (unsigned.row.effect === 'read') return fail('READ_FAILED', { ...facts });
  return fail('OUTCOME_UNKNOWN', { ...facts, why: reason, how: 'paycli status' });
}

/**
 * The order as its gateway knows it: exactly for the built-in sandbox, as far as status tells elsewhere. Throws
 * REFUSED or READ_FAILED.
 */
export async function askOrder(ids: OrderIds, session: Session, runtime: Runtime): Promise<KnownOrder> {
  return session.builtin ? fromBox(ids, session, runtime) : fromStatus(ids, session, runtime);
}

async function fromBox(ids: OrderIds, session: Session, runtime: Runtime): Promise<KnownOrder> {
  const sandbox = await openLocalSandbox(runtime);
  try {
    const { orderFacts } = await import('../../sandbox/index.js');
    const known = orderFacts(sandbox.store, session.login, ids);
    if (known === undefined) throw fail('orderNotInSandbox');
    const isBoth = ids.orderId !== undefined && ids.clientOrderId !== undefined;
    if (isBoth && ids.clientOrderId !== known.clientOrderId) throw fail('idsOfTwoOrders');
    return known;
  } finally {
    sandbox.close();
  }
}

async function fromStatus(ids: OrderIds, session: Session, runtime: Runtime): Promise<KnownOrder> {
  return orderFrom(await fetchStatus(ids, session, runtime), ids);
}

/** The order as a reply to a status request tells of it. */
export function orderFrom(fields: Fields, ids: OrderIds): KnownOrder {
  return {
    orderId: replyField(fields, 'orderId') ?? ids.orderId ?? '',
    clientOrderId: replyField(fields, 'clientOrderId') ?? ids.clientOrderId ?? '',
    facts: factsFromStatus(fields),
    cardRef: replyField(fields, 'cardRef'),
  };
}

/**
 * Status speaks of the newest transaction (A42); what it leaves open is taken as the simplest history that leads there.
 */
export function factsFromStatus(fields: Fields): OrderFacts {
  const newest = kindOf(fields);
  const status = replyField(fields, 'status') ?? 'processing';
  const isFollowUp = newest in openedBy;
  const isDone = status === 'approved' || status === 'processing' || status === 'unknown';
  const opened = openedBy[newest] ?? newest;
  const part = partOf(fields.get('amount'), fields.get('initial-amount'));
  const returned = partOf(fields.get('total-reversal-amount'), fields.get('initial-amount'));
  return {
    opened,
    status: isFollowUp ? (newest === 'payout' ? status : 'approved') : status,
    step: stepOf(fields, newest),
    following: isFollowUp && status === 'processing' ? 'processing' : 'none',
    hold: opened === 'preauth' && (isFollowUp || status === 'approved') ? 'live' : 'none',
    captured: newest === 'capture' && isDone ? (part === 'nothing' ? 'all' : part) : 'nothing',
    returned,
    voided: newest === 'void' && isDone ? 'yes' : 'no',
    day: 'open',
    paid: 'no',
    card:
      replyField(fields, 'cardRef') !== undefined
        ? 'kept'
        : fields.get('last-four-digits') === undefined
          ? 'none'
          : 'given',
  };
}

/** Follow-ups, and the order they are most likely part of. */
const openedBy: Partial<Readonly<Record<TransactionKind, TransactionKind>>> = {
  capture: 'preauth',
  void: 'preauth',
  cancel: 'preauth',
  reversal: 'sale',
};

/** By the head of order-stage, which is finer, else by transaction-type. */
function kindOf(fields: Fields): TransactionKind {
  const stage = fields.get('order-stage')?.toLowerCase() ?? '';
  const type = fields.get('transaction-type')?.toLowerCase() ?? '';
  const rows = Object.entries(transactionKinds).toSorted(([, a], [, b]) => b.stage.length - a.stage.length);
  const found = rows.find(([, row]) => stage.startsWith(`${row.stage}_`)) ?? rows.find(([, row]) => row.type === type);
  return isKind(found?.[0]) ? found[0] : 'sale';
}

function isKind(word: string | undefined): word is TransactionKind {
  return word !== undefined && Object.hasOwn(transactionKinds, word);
}

function stepOf(fields: Fields, kind: TransactionKind): Step {
  const steps: Readonly<Record<string, Step>> = { MethodUrlFrame: 'method', CReqForm: 'challenge', PaReqForm: 'pareq' };
  const open = steps[threeDSecureStepIn(fields) ?? ''];
  if (open !== undefined) return open;
  if (replyField(fields, 'simplifiedStep') !== undefined) return 'simplified';
  const stage = fields.get('order-stage')?.toLowerCase() ?? '';
  if (stage.endsWith('_starting')) return 'form';
  if (kind !== 'payout-check') return 'none';
  return stage.endsWith('_validated') ? 'validated' : stage.endsWith('_validating') ? 'validating' : 'none';
}

/** Of two decimal amounts, whose size alone matters here. */
function partOf(part: string | undefined, whole: string | undefined): 'nothing' | 'part' | 'all' {
  if (part === undefined) return 'nothing';
  return whole !== undefined && Number(part) < Number(whole) ? 'part' : 'all';
}
