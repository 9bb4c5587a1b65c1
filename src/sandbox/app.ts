import { isPaycliError } from '../errors/index.js';
import type { Assume } from '../spec/index.js';
import { checkValue } from '../wire/check.js';
import { advance } from './advance.js';
import { carryOut } from './carry-out.js';
import { decodeBody } from './checks/body.js';
import { checkSignature, readRequest, routeOf } from './checks/index.js';
import { noteRequest } from './log/requests.js';
import { visit } from './pages/visit.js';
import { Refusal } from './refusal.js';
import { type Echo, encodeReply, refusalReply } from './reply.js';
import type { Checked, Route, SandboxReply, SandboxRequest, Terms } from './request.js';
import { nextSerial, type Store } from './store.js';
import { withGroup } from './with-group.js';
import type { World } from './world.js';

export interface SandboxOptions {
  readonly assume: Assume;
  /** Milliseconds until a transaction is final; 300 when left out. */
  readonly settleMs?: number | undefined;
  /** Takes every valid card number, not only the published test numbers. */
  readonly anyCard?: boolean | undefined;
  /** Scheme, host and port of the hosted pages. The origin of each request when left out. */
  readonly pagesBase?: string | undefined;
  /** The only client there is, for one inside this process. */
  readonly client?: 'paycli' | undefined;
  /** Told about faults of the sandbox itself, which answer 500. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** The gateway's side of the interface. */
export interface Sandbox {
  /** Answers one request; all it changes is written before it returns. Never throws. */
  handle(request: SandboxRequest): SandboxReply;
  /** Answers several at the price of one: all of it is written together before it returns, and a fault of one undoes that one only: then they are answered one by one. */
  handleAll(requests: readonly SandboxRequest[]): readonly SandboxReply[];
  /** Answers a browser at one of the hosted pages or the issuer's, in the same way. */
  visit(request: SandboxRequest): SandboxReply;
  readonly assume: Assume;
  /** For those who only look. */
  readonly store: Store;
}

export function createSandbox({ store }: World, options: SandboxOptions): Sandbox {
  const { assume, settleMs = 300, anyCard = false } = options;
  const terms: Terms = { assume, settleMs, anyCard, pagesBase: options.pagesBase?.replace(/\/+$/, ''), client: options.client };
  const guarded = (request: SandboxRequest, work: () => SandboxReply): SandboxReply => {
    try {
      return store.database.transaction(work);
    } catch (error) {
      options.onFault?.(error);
      return faultReply(store, terms, request, error);
    }
  };
  const alone = (request: SandboxRequest) => {
    advance(store);
    return answer(store, terms, request);
  };
  const apart = (request: SandboxRequest): SandboxReply => {
    try {
      return savepoint(store, () => alone(request));
    } catch (error) {
      options.onFault?.(error);
      return faultReply(store, terms, request, error);
    }
  };
  const answerApart = (requests: readonly SandboxRequest[]): readonly SandboxReply[] => {
    try {
      return store.database.transaction(() => requests.map(apart));
    } catch (error) {
      // Nothing of it was written, so each gets the same answer.
      options.onFault?.(error);
      return requests.map((request) => faultReply(store, terms, request, error));
    }
  };
  return {
    assume,
    store,
    handle: (request) => guarded(request, () => alone(request)),
    handleAll(requests) {
      if (requests.length === 0) return [];
      try {
        return store.database.transaction(() => answerTogether(store, terms, requests));
      } catch {
        // Nothing of it was written. Again, so that what fails or has to be undone does so alone.
        return answerApart(requests);
      }
    },
    visit: (request) => guarded(request, () => visit(store, terms, request)),
  };
}

/** All at one moment of the sandbox clock. */
function answerTogether(store: Store, terms: Terms, requests: readonly SandboxRequest[]): SandboxReply[] {
  const now = store.clock.now();
  return withGroup({ ...store, clock: { ...store.clock, now: () => now } }, (shared) => {
    advance(shared);
    return requests.map((request) => answer(shared, terms, request));
  });
}

/** Runs work inside a transaction; undone alone when it throws. */
function savepoint<T>({ database }: Store, work: () => T): T {
  database.run('SAVEPOINT request');
  try {
    return work();
  } catch (error) {
    database.run('ROLLBACK TO request');
    throw error;
  } finally {
    database.run('RELEASE request');
  }
}

/** One request. What a refusal leaves behind (a used nonce, settled transactions) stays; any other error undoes everything. */
function answer(store: Store, terms: Terms, request: SandboxRequest): SandboxReply {
  const serial = nextSerial(store);
  const began = store.machine.monotonic();
  let route: Route | undefined;
  let checked: Checked | undefined;
  try {
    route = routeOf(request);
    const now = store.clock.now();
    checked = readRequest(store, request, route, terms);
    checkSignature(store, request, checked);
    const pagesOrigin = terms.pagesBase ?? new URL(request.url).origin;
    const fields = carryOut(checked, { serial, now, pagesOrigin }, store);
    const reply = encodeReply(200, fields, terms.assume);
    noteRequest(store, terms, { request, route, checked, began, status: reply.status, outcome: { fields } });
    return reply;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const reply = refusalReply(error, echoOf(serial, route, request), terms.assume);
    noteRequest(store, terms, { request, route, checked, began, status: reply.status, outcome: { refusal: error } });
    return reply;
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

function faultReply(store: Store, terms: Terms, request: SandboxRequest, error: unknown): SandboxReply {
  // Not the message of an unforeseen error: nobody knows what is in it.
  const why = isPaycliError(error) ? error.message : 'something unforeseen happened';
  const refusal = new Refusal('fault', `the sandbox failed and did nothing: ${why}`);
  const reply = refusalReply(refusal, { serial: unlessBroken(() => nextSerial(store)) ?? noSerial }, terms.assume);
  const began = store.machine.monotonic();
  const answered = { request, route: undefined, checked: undefined, began, status: reply.status, outcome: { refusal } };
  unlessBroken(() => noteRequest(store, terms, answered));
  return reply;
}

const noSerial = '00000000-0000-0000-0000-000000000000';

/** The fault may be that of the file itself. */
function unlessBroken<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
