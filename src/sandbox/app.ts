import { isPaycliError } from '../errors/index.js';
import type { Assume } from '../spec/index.js';
import { checkValue } from '../wire/check.js';
import { advance } from './advance.js';
import { carryOut } from './carry-out.js';
import { decodeBody } from './checks/body.js';
import { checkSignature, readRequest, routeOf } from './checks/index.js';
import { type PageFacts, pageFacts } from './page-facts.js';
import { Refusal } from './refusal.js';
import { type Echo, encodeReply, refusalReply } from './reply.js';
import type { Route, SandboxReply, SandboxRequest, Terms } from './request.js';
import { nextSerial, type Store } from './store.js';
import type { World } from './world.js';

export interface SandboxOptions {
  readonly assume: Assume;
  /** Milliseconds until a transaction is final; 300 when left out. */
  readonly settleMs?: number | undefined;
  /** Takes every valid card number, not only the published test numbers. */
  readonly anyCard?: boolean | undefined;
  /** Scheme, host and port of the hosted pages. The origin of each request when left out. */
  readonly pagesBase?: string | undefined;
  /** Told about faults of the sandbox itself, which answer 500. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** The gateway's side of the interface. */
export interface Sandbox {
  /** Answers one request; all it changes is written before it returns. Never throws. */
  handle(request: SandboxRequest): SandboxReply;
  /** What a hosted page shows; undefined when no order has this token. */
  page(token: string): PageFacts | undefined;
  readonly assume: Assume;
}

export function createSandbox({ store }: World, options: SandboxOptions): Sandbox {
  const { assume, settleMs = 300, anyCard = false } = options;
  const terms: Terms = { assume, settleMs, anyCard, pagesBase: options.pagesBase?.replace(/\/+$/, '') };
  return {
    assume,
    page: (token) => pageFacts(store, token),
    handle(request) {
      try {
        return store.database.transaction(() => answer(store, terms, request));
      } catch (error) {
        options.onFault?.(error);
        return faultReply(store, terms, error);
      }
    },
  };
}

/** One request. What a refusal leaves behind (a used nonce, settled transactions) stays; any other error undoes everything. */
function answer(store: Store, terms: Terms, request: SandboxRequest): SandboxReply {
  const serial = nextSerial(store);
  let route: Route | undefined;
  try {
    route = routeOf(request);
    const now = store.clock.now();
    advance(store);
    const checked = readRequest(store, request, route, terms);
    checkSignature(store, request, checked);
    const pagesOrigin = terms.pagesBase ?? new URL(request.url).origin;
    return encodeReply(200, carryOut({ ...checked, serial, now, queued: undefined, pagesOrigin }, store), terms.assume);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refusalReply(error, echoOf(serial, route, request), terms.assume);
  }
}

/** What a refusal may repeat: the order id and endpoint, when they are well-formed. */
function echoOf(serial: string, route: Route | undefined, { body }: SandboxRequest): Echo {
  if (route === undefined) return { serial };
  const field = route.row.fields['clientOrderId'];
  const sent = decodeBody(body).pairs.find(([name]) => name === field?.wire)?.[1] ?? '';
  const clientOrderId = field !== undefined && sent !== '' && checkValue(field, sent) === undefined ? sent : undefined;
  return { serial, clientOrderId, endpointId: /^\d{1,19}$/.test(route.endpointId) ? route.endpointId : undefined };
}

function faultReply(store: Store, { assume }: Terms, error: unknown): SandboxReply {
  // Not the message of an unforeseen error: nobody knows what is in it.
  const why = isPaycliError(error) ? error.message : 'something unforeseen happened';
  return refusalReply(new Refusal('fault', `the sandbox failed and did nothing: ${why}`), { serial: lastSerial(store) }, assume);
}

function lastSerial(store: Store): string {
  try {
    return nextSerial(store);
  } catch {
    return '00000000-0000-0000-0000-000000000000';
  }
}
