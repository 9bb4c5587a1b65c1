import { clockDifference } from '../../payments/clock-skew.js';
import { defaultLimits } from '../../payments/exchange.js';
import type { GatewayConnection, Watched } from '../../payments/gateway-connection.js';
import type { Delivery, Runtime } from '../../runtime/ports.js';
import { traceExchange } from '../format/request.js';
import { maxTimeoutSeconds, seconds } from './flags.js';
import type { CommonOptions } from './options.js';
import type { Reporter } from './reporter.js';
import type { Session } from './session.js';

export interface Tools {
  readonly options: CommonOptions;
  readonly session: Session;
  readonly report: Reporter;
  readonly runtime: Runtime;
}

/** Time for the rest of a reply after its first byte. */
const bodyAllowanceMs = 30_000;

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
  const firstByteMs =
    seconds('--timeout', options.timeout, maxTimeoutSeconds) ?? session.timeoutMs ?? defaultLimits.firstByteMs;
  const limits = {
    ...defaultLimits,
    firstByteMs,
    totalMs: Math.max(defaultLimits.totalMs, firstByteMs + bodyAllowanceMs),
  };
  const shown = report.verbose ? traceExchange(report) : undefined;
  return {
    assume: session.assume,
    limits,
    ports: { transport: await session.transport(how), clock: runtime.clock, random: runtime.random },
    target: (endpointId) => session.target(endpointId),
    credentials: (protection) => session.credentials(protection),
    watch: {
      sent: (request, row) => shown?.sent(request, row),
      received(delivery, masks) {
        shown?.received(delivery, masks);
        report.noteReply(delivery);
        warnOfClock(delivery, tools);
      },
    },
  };
}

/** Reporters that have warned of the clock: a run does so once. */
const warned = new WeakSet<Reporter>();

function warnOfClock(delivery: Delivery, { report, runtime }: Tools): void {
  const clock = clockDifference(delivery, runtime.clock.now());
  if (clock === undefined || warned.has(report)) return;
  warned.add(report);
  report.notes([`warning: the clock of this machine is ${clock}`]);
}
