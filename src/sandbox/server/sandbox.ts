import { isPaycliError } from '../../errors/index.js';
import type { Assume } from '../../spec/index.js';
import { checkValue } from '../../wire/check.js';
import { checkUnexamined, type Detector } from '../audit/detectors.js';
import { decodeBody } from '../checks/body.js';
import { checkSignature, readRequest, routeOf } from '../checks/check-request.js';
import type { CheckedRequest, Route, SandboxReply, SandboxRequest, SandboxSettings } from '../checks/request.js';
import { advance } from '../effects/clock.js';
import { encodeReply, faultyReply, type RequestIds, refusalReply } from '../effects/reply.js';
import { Refusal } from '../ledger/refusal.js';
import { defaultLateMs, RequestedFault } from '../ledger/reply-faults.js';
import { nextSerial, type Store } from '../ledger/store.js';
import { executeOperation } from './execute.js';
import { type AnsweredRequest, logRequest, type ServerSettings } from './request-log.js';
import type { SandboxState } from './state.js';

export interface SandboxOptions {
  readonly assume: Assume;
  /** Milliseconds until a transaction is final; 300 when left out. */
  readonly settleMs?: number | undefined;
  /** Takes every valid card number, not only the published test numbers. */
  readonly anyCard?: boolean | undefined;
  /** Scheme, host and port of the hosted pages. The origin of each request when left out. */
  readonly pagesBase?: string | undefined;
  /** How long a reply takes that was asked to be late; 40 seconds when left out. */
  readonly lateMs?: number | undefined;
  /** Set for the one client inside this process. */
  readonly client?: 'paycli' | undefined;
  /**
   * What finds the mistakes behind refused signatures, for the audit report: `signatureDetectors` of audit/. They are
   * costly to load, so a sandbox for one command does without them.
   */
  readonly signatureDetectors?: readonly Detector[] | undefined;
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
   * Serves a hosted page or an issuer's page to a browser, in the same way. `pages` is `servePage` of web/, which most
   * commands never need and which costs start-up time.
   */
  servePage(request: SandboxRequest, pages: PageServer): SandboxReply;
  readonly assume: Assume;
  /** For reading only. */
  readonly store: Store;
}

export function createSandbox({ store }: SandboxState, options: SandboxOptions): Sandbox {
  const { assume, settleMs = 300, anyCard = false } = options;
  const settings: ServerSettings = {
    assume,
    settleMs,
    anyCard,
    pagesBase: options.pagesBase?.replace(/\/+$/, ''),
    client: options.client,
    lateMs: options.lateMs ?? defaultLateMs,
    signatureDetectors: options.signatureDetectors ?? [checkUnexamined],
  };
  const guarded = (request: SandboxRequest, work: () => SandboxReply): SandboxReply => {
    try {
      return store.database.transaction(work);
    } catch (error) {
      options.onFault?.(error);
      return faultReply(store, settings, request, error);
    }
  };
  return {
    assume,
    store,
    handle: (request) =>
      guarded(request, () => {
        advance(store);
        return answerRequest(store, settings, request);
      }),
    servePage: (request, pages) => guarded(request, () => pages(store, settings, request)),
  };
}

/**
 * One request. What a refusal leaves behind (a used nonce, transactions made final) stays; any other error undoes
 * everything.
 */
function answerRequest(store: Store, settings: ServerSettings, request: SandboxRequest): SandboxReply {
  const serial = nextSerial(store);
  const startedAt = store.machine.monotonic();
  let route: Route | undefined;
  let checked: CheckedRequest | undefined;
  const log = ({ status }: SandboxReply, outcome: AnsweredRequest['outcome']) =>
    logRequest(store, settings, { request, route, checked, startedAt, status, outcome });
  try {
    route = routeOf(request);
    const now = store.clock.now();
    checked = readRequest(store, request, route, settings);
    checkSignature(store, request, checked);
    const pagesOrigin = settings.pagesBase ?? new URL(request.url).origin;
    const fields = executeOperation(checked, { serial, now, pagesOrigin }, store);
    const reply = encodeReply(200, fields, settings.assume);
    log(reply, { fields });
    return reply;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const refused = refusalReply(error, requestIdsOf(serial, route, request), settings.assume);
    const reply = error instanceof RequestedFault ? faultyReply(error, refused, request, settings) : refused;
    log(reply, { refusal: error });
    return reply;
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

function faultReply(store: Store, settings: ServerSettings, request: SandboxRequest, error: unknown): SandboxReply {
  // The message of an unexpected error may hold secrets.
  const why = isPaycliError(error) ? error.message : 'unexpected error';
  const refusal = new Refusal('fault', `the sandbox failed and did nothing: ${why}`);
  const reply = refusalReply(
    refusal,
    { serial: undefinedOnFault(() => nextSerial(store)) ?? noSerial },
    settings.assume,
  );
  const startedAt = store.machine.monotonic();
  const answered = {
    request,
    route: undefined,
    checked: undefined,
    startedAt,
    status: reply.status,
    outcome: { refusal },
  };
  undefinedOnFault(() => logRequest(store, settings, answered));
  return reply;
}

const noSerial = '00000000-0000-0000-0000-000000000000';

/** The sandbox file itself may be the cause of the fault. */
function undefinedOnFault<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
