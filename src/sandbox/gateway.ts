import { isPaycliError } from '../errors/index.js';
import { acceptType } from '../signing/request-form.js';
import { type Assume, type OperationId, operationById, replyFields, threeDSecureFlows } from '../spec/index.js';
import { checkValue } from '../wire/check.js';
import { decodeForm, encodeForm, type Pair } from '../wire/form.js';
import { checkSignature, decodeBody, readRequest, routeOf } from './checks.js';
import { advance } from './clock.js';
import { defaultLateMs, type Fault, faultMessage, faultNamed, faults } from './faults.js';
import { recordEvent } from './log.js';
import { type Effect, paymentEffects } from './operations.js';
import { openings } from './orders.js';
import { defaultSettleMs, nextQueuedOutcome, outcomes, removeQueuedOutcome } from './outcomes.js';
import { Refusal } from './refusal.js';
import { encodeReply, faultyReply, plainForm, type RequestIds, refusalReply } from './replies.js';
import type {
  CheckedRequest,
  RequestContext,
  Route,
  SandboxReply,
  SandboxRequest,
  SandboxSettings,
} from './request.js';
import { type AnsweredRequest, logRequest, type ServerSettings } from './request-log.js';
import type { SandboxState } from './state.js';
import { statusEffect } from './status.js';
import { nextSerial, type Store } from './store.js';
import { uploadEffects } from './threeds.js';

export interface SandboxOptions extends Partial<Omit<ServerSettings, 'assume'>> {
  readonly assume: Assume;
  /** Called for internal errors of the sandbox, which answer 500. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** Answers a browser inside a transaction. */
export type PageServer = (store: Store, settings: SandboxSettings, request: SandboxRequest) => SandboxReply;

/** The gateway's side of the interface. */
export interface Sandbox {
  /** Answers one request; all its changes are written before it returns. Never throws. */
  handle(request: SandboxRequest): SandboxReply;
  /**
   * Serves a hosted page or an issuer's page to a browser, in the same way. `pages` is `servePage` of pages/, which most
   * commands never need and which costs start-up time.
   */
  servePage(request: SandboxRequest, pages: PageServer): SandboxReply;
  readonly assume: Assume;
  readonly isCompatible: boolean;
  /** For reading only. */
  readonly store: Store;
}

export function createSandbox({ store }: SandboxState, options: SandboxOptions): Sandbox {
  const { assume, onFault, pagesBase } = options;
  const settings: ServerSettings = {
    assume,
    settleMs: options.settleMs ?? defaultSettleMs,
    anyCard: options.anyCard ?? false,
    pagesBase: pagesBase?.replace(/\/+$/, ''),
    client: options.client,
    lateMs: options.lateMs ?? defaultLateMs,
    isCompatible: options.isCompatible ?? false,
    judgeSignature: options.judgeSignature,
  };
  const guarded = (request: SandboxRequest, work: () => SandboxReply): SandboxReply => {
    try {
      return store.database.transaction(work);
    } catch (error) {
      onFault?.(error);
      return faultReply(store, settings, request, error);
    }
  };
  return {
    assume,
    isCompatible: settings.isCompatible,
    store,
    handle: (request) =>
      guarded(request, () => {
        // One moment for the whole request: every read of the clock would be a query.
        const now = store.clock.now();
        const then = { ...store, clock: { ...store.clock, now: () => now } };
        advance(then);
        return answerRequest(then, settings, request);
      }),
    servePage: (request, pages) => guarded(request, () => pages(store, settings, request)),
  };
}

/**
 * One request. What a refusal leaves behind (a used nonce, transactions made final) stays; any other error undoes
 * everything.
 */
function answerRequest(store: Store, settings: ServerSettings, request: SandboxRequest): SandboxReply {
  const { pagesBase, isCompatible } = settings;
  const isPlain = isCompatible && request.headers['accept'] !== acceptType;
  const assume = isPlain ? { ...settings.assume, 'reply-format': plainForm } : settings.assume;
  const serial = nextSerial(store);
  const startedAt = store.machine.monotonic();
  let route: Route | undefined;
  let checked: CheckedRequest | undefined;
  const answer = (reply: SandboxReply, outcome: AnsweredRequest['outcome']) => {
    logRequest(store, settings, { request, route, checked, startedAt, status: reply.status, outcome });
    return reply;
  };
  const refuse = (refusal: Refusal) => refusalReply(refusal, requestIdsOf(serial, route, request), assume);
  try {
    route = routeOf(request, isCompatible);
    const now = store.clock.now();
    checked = readRequest(store, request, route, settings);
    checkSignature(store, request, checked);
    const pagesOrigin = pagesBase ?? new URL(request.url).origin;
    const { fields, fault } = execute(checked, { serial, now, pagesOrigin }, store);
    if (fault === undefined) return answer(encodeReply(200, fields, assume), { fields });
    const refusal = new Refusal(fault.shape === 'no-answer' ? 'no-answer' : 'fault', faultMessage(fault));
    return answer(faultyReply(fault, fields, refuse(refusal), request, { ...settings, assume }), { refusal, fault });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return answer(refuse(error), { refusal: error });
  }
}

/** What a refusal repeats: the order id and endpoint, when they are well-formed. */
function requestIdsOf(serial: string, route: Route | undefined, { body }: SandboxRequest): RequestIds {
  if (route === undefined) return { serial };
  const field = route.row.fields['clientOrderId'];
  const sent = decodeBody(body).pairs.find(([name]) => name === field?.wire)?.[1] ?? '';
  const clientOrderId = field !== undefined && sent !== '' && checkValue(field, sent) === undefined ? sent : undefined;
  return { serial, clientOrderId, endpointId: /^\d{1,19}$/.test(route.endpointId) ? route.endpointId : undefined };
}

export const noSerial = '00000000-0000-0000-0000-000000000000';

function faultReply(store: Store, settings: ServerSettings, request: SandboxRequest, error: unknown): SandboxReply {
  // The message of an unexpected error may hold secrets.
  const why = isPaycliError(error) ? error.message : 'unexpected error';
  const refusal = new Refusal('fault', `the sandbox failed and did nothing: ${why}`);
  const serial = undefinedOnFault(() => nextSerial(store)) ?? noSerial;
  const reply = refusalReply(refusal, { serial }, settings.assume);
  const unread = { request, route: undefined, checked: undefined, startedAt: store.machine.monotonic() };
  undefinedOnFault(() => logRequest(store, settings, { ...unread, status: reply.status, outcome: { refusal } }));
  return reply;
}

/** The sandbox file itself may be the cause of the fault. */
function undefinedOnFault<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const effects: Readonly<Record<OperationId, Effect>> = { ...paymentEffects, ...uploadEffects, STATUS: statusEffect };

interface Executed {
  /** Those of the reply. */
  readonly fields: readonly Pair[];
  /** What was asked for in place of the reply. */
  readonly fault?: Fault | undefined;
}

/** Runs the effect of a request, once per order id (A20). */
function execute(checked: CheckedRequest, context: RequestContext, store: Store): Executed {
  const { route, merchant, values } = checked;
  const { row, id: operation } = route;
  const { login } = merchant;
  const repeated = row.opens ? repeatedReply(checked, store) : undefined;
  if (repeated !== undefined) return { fields: repeated };
  const effect = effects[operation];
  const queued = row.effect === 'read' ? undefined : queuedOutcome(checked, store, effect);
  const fault = faultNamed(queued?.outcome);
  // What meets a fault and is done is approved.
  const outcome = fault === undefined ? queued?.outcome : effect.addsTransaction ? 'approved' : undefined;
  const isUndone = fault?.isDone === false;
  const fields = runEffect(store, () => effect.run({ ...checked, ...context, queued: outcome }, store), !isUndone);
  if (queued !== undefined) {
    removeQueuedOutcome(store, queued);
    const orderId = isUndone ? undefined : orderIdIn(fields);
    const title = `the queued outcome ${queued.outcome} was applied to ${operationById(operation).command}`;
    recordEvent(store, { kind: 'queue', login, orderId, title });
  }
  const { clientOrderId = '' } = values;
  if (row.opens && !isUndone)
    openings.insert(store, { login, clientOrderId, operation, reply: encodeForm(fields) }, 'INSERT OR IGNORE');
  return { fields, fault };
}

function orderIdIn(fields: readonly Pair[]): string | undefined {
  return fields.find(([name]) => name === replyFields.orderId.wire)?.[1];
}

/** A20: the reply to a second request with a used client order id; undefined when it is executed like the first. */
function repeatedReply({ route, merchant, settings, values }: CheckedRequest, store: Store) {
  const rule = settings.assume['duplicate-order-id'];
  if (rule === 'pay') return undefined;
  const used = 'WHERE login = ? AND client_order_id = ?';
  const earlier = openings.get(store, used, merchant.login, values['clientOrderId'] ?? '');
  if (earlier === undefined) return undefined;
  const fields = decodeForm(earlier.reply);
  if (rule === 'replay' && earlier.operation === route.id) return fields;
  // A recurring payment is not an order, so its status cannot be queried.
  const advice = orderIdIn(fields) === undefined ? 'choose another' : 'query its status, or choose another';
  throw new Refusal('used-order-id', `client_orderid was used before, by ${earlier.operation}; ${advice} (A20)`);
}

/** The outcome that was queued for this request. */
function queuedOutcome({ merchant: { login }, values }: CheckedRequest, store: Store, effect: Effect) {
  // Only card payments go through 3-D Secure; a fault may happen to any request.
  const allowed = () => [
    ...(effect.addsTransaction ? Object.keys(outcomes) : []),
    ...(effect.authenticates ? Object.keys(threeDSecureFlows) : []),
    ...Object.keys(faults),
  ];
  const { clientOrderId, orderId } = values;
  return nextQueuedOutcome(store, { login, clientOrderId, orderId }, allowed);
}

/** Runs an effect entirely or not at all: a refusal, or a fault that does nothing, leaves the state unchanged. */
function runEffect<T>({ database }: Store, work: () => T, keep: boolean): T {
  database.run('SAVEPOINT effect');
  let isKept = false;
  try {
    const result = work();
    isKept = keep;
    return result;
  } finally {
    if (!isKept) database.run('ROLLBACK TO effect');
    database.run('RELEASE effect');
  }
}
