import { fail, isPaycliError, type PaycliError, stopError } from '../errors/index.js';
import type { Journal, Request } from '../journal/port.js';
import { clockDifference, type GatewayConnection, queryStatus, type Watched } from '../payments/exchange.js';
import { orderIdsIn, queryFor, settleOrder } from '../payments/settle.js';
import { describe } from '../payments/words.js';
import type { Processes, Runtime } from '../runtime/ports.js';
import type { CommonOptions } from './core/common-options.js';
import { seenOrder } from './core/order-facts.js';
import { fetchStatus, replyLimit } from './core/order-query.js';
import { type OrderIds, warnIfRestored } from './core/order-requests.js';
import type { Reporter } from './core/reporter.js';
import { journalOf, withJournal } from './core/user-stores.js';
import type { Fields } from './format/meaning.js';
import { traceExchange } from './format/request.js';
import type { Session } from './session.js';

export interface Tools {
  readonly options: CommonOptions;
  readonly session: Session;
  readonly report: Reporter;
  readonly runtime: Runtime;
}

/** What a command needs to send requests, until the user stops it. */
export interface GatewayContext extends Tools {
  readonly connection: GatewayConnection;
  /** Aborts every running request. */
  readonly watched: Watched;
  readonly stop: AbortController;
}

/** Runs `work` with a connection to the gateway. */
export async function withGateway<T>(tools: Tools, work: (context: GatewayContext) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const unlisten = tools.runtime.processes.onStop((signal) => stop.abort(signal));
  try {
    return await work({
      ...tools,
      stop,
      watched: { signal: stop.signal },
      connection: await connectionFor(tools),
    });
  } finally {
    unlisten();
  }
}

/** The gateway connection of a session; `keep` keeps sockets open for the next request. */
export async function connectionFor(tools: Tools, how?: 'keep'): Promise<GatewayConnection> {
  const { options, session, report, runtime } = tools;
  const shown = report.verbose ? traceExchange(report) : undefined;
  return {
    assume: session.assume,
    replyMs: replyLimit(options, session),
    ports: { transport: await session.transport(how), clock: runtime.clock, random: runtime.random },
    target: session.target,
    credentials: session.credentials,
    watch: {
      sent: (request, row) => shown?.sent(request, row),
      received(delivery, masks) {
        shown?.received(delivery, masks);
        report.noteStatus(delivery.kind === 'reply' ? delivery.reply.status : undefined);
        const clock = clockDifference(delivery, runtime.clock.now());
        if (clock !== undefined) report.warnOnce('clock', `the clock of this machine is ${clock}`);
      },
    },
  };
}

export const testedVersions = 'Node 20.19 or later, 22 or 24';

/** True for release lines on which a lost reply was verified to be a single request on the wire. */
export function isTested({ nodeVersion }: Pick<Processes, 'nodeVersion'>): boolean {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  return (major === 20 && minor >= 19) || major === 22 || major === 24;
}

/** Called before anything that moves money. Throws RUNTIME_UNTESTED. */
export function assertTestedEngine(processes: Pick<Processes, 'nodeVersion'>): void {
  if (isTested(processes)) return;
  throw fail('RUNTIME_UNTESTED', { engine: `Node ${processes.nodeVersion}`, tested: testedVersions });
}

/**
 * Records what a status answer says about the requests on that order, and warns of conflicts; an order without any is
 * kept as seen. `endpointId` is where status was asked; `known` is the journal that is open already, if any, and the
 * request that the answer has settled. Never fails: the status answer must still be shown.
 */
export async function updateJournal(
  tools: Tools,
  fields: Fields,
  endpointId: string,
  known?: { readonly journal: Journal; readonly request?: Request },
): Promise<readonly Request[]> {
  const { runtime, report, session } = tools;
  const which = journalOf(session);
  if (orderIdsIn(fields).length === 0) return [];
  const context = {
    ...{ base: session.gatewayBase, endpoint: endpointId, minorDigits: session.assume['minor-digits'] },
    settled: known?.request?.id,
    ownStatus: (request: Request) =>
      withGateway(tools, ({ connection, watched }) => queryStatus(connection, queryFor(request), watched)),
  };
  const apply = async (used: Journal) => {
    warnIfRestored(used, report);
    const requests = await settleOrder(fields, used, context);
    const isKnown = requests.length > 0 || known?.request !== undefined;
    const seen = isKnown ? undefined : seenOrder(fields, session, runtime.clock.now(), endpointId);
    if (seen !== undefined) await used.see([seen]);
    return requests;
  };
  try {
    const requests = await (known === undefined ? withJournal(runtime, which, apply) : apply(known.journal));
    for (const request of requests.filter(({ state }) => state === 'conflict'))
      report.warn([`${describe(request)} is in conflict: ${request.reason}; ${howToClose(request, session)}`]);
    return requests;
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    report.warn([`the journal could not be brought up to date: ${error.message}`]);
    return [];
  }
}

/**
 * The status of an order at an endpoint, recorded in the journal. Throws what `fetchStatus` throws, INTERRUPTED and
 * TERMINATED.
 */
export async function statusInJournal(ids: OrderIds, endpointId: string, tools: Tools): Promise<Fields> {
  const fields = await fetchStatus(ids, tools, endpointId);
  return withGateway(tools, async ({ stop }) => {
    await updateJournal(tools, fields, endpointId);
    // Its own queries end at a signal without an error, and nothing that depends on them may be sent after that.
    if (stop.signal.aborted) throw stopError(stop.signal);
    return fields;
  });
}

/** Whether an error of `statusInJournal` only says that the gateway did not tell the status. */
export function isUnanswered(error: unknown): error is PaycliError {
  return isPaycliError(error) && ['REFUSED', 'READ_FAILED', 'CERTIFICATE', 'NOT_SENT'].includes(error.code);
}

/** The command with which a person closes a conflict or resolves what status cannot tell. */
export function howToClose({ id }: Request, { flags }: Pick<Session, 'flags'>): string {
  return `find out the actual outcome, then \`${settleCommands(`--entry ${id}`, flags)}\``;
}

/** One for each outcome, the first and the last without their outer backquote: a shell would act upon a bar between. */
export function settleCommands(which: string, flags: string): string {
  const command = (outcome: 'paid' | 'not-paid') =>
    `paycli resolve ${which} --settle-as ${outcome} --evidence TEXT${flags}`;
  return `${command('paid')}\` or \`${command('not-paid')}`;
}
