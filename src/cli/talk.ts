import type { Classified } from '../gateway/classify.js';
import { type ExchangeOptions, type ExchangePorts, exchange } from '../gateway/exchange.js';
import { statusQuestion as questionOf, type StatusOf } from '../gateway/moves.js';
import { defaultLimits } from '../gateway/send.js';
import type { Runtime } from '../runtime/ports.js';
import type { Unsigned } from '../signing/index.js';
import type { Operation } from '../spec/index.js';
import { clockNoter } from './clock-skew.js';
import type { CommonOptions } from './options.js';
import { watchExchange } from './present/verbose.js';
import type { Reporter } from './reporter.js';
import { seconds } from './seconds.js';
import type { Session } from './session.js';

/** All that talking to a gateway takes, until the user stops it. */
export interface Talk {
  readonly options: CommonOptions;
  readonly session: Session;
  readonly report: Reporter;
  readonly runtime: Runtime;
  readonly ports: ExchangePorts;
  readonly exchange: ExchangeOptions;
  readonly stop: AbortController;
}

export type Tools = Pick<Talk, 'options' | 'session' | 'report' | 'runtime'>;

/** Opens the way to the gateway; what is sent is shown by the row when --verbose asks for it. */
export async function withTalk<T>(row: Operation, tools: Tools, work: (talk: Talk) => Promise<T>): Promise<T> {
  const { session, runtime } = tools;
  const stop = new AbortController();
  const unlisten = runtime.processes.onStop((signal) => stop.abort(signal));
  try {
    const ports = { transport: await session.transport(), clock: runtime.clock, random: runtime.random };
    return await work({ ...tools, ports, stop, exchange: { ...exchangeOf(row, tools), signal: stop.signal } });
  } finally {
    unlisten();
  }
}

/** Under which limits and assumptions requests are exchanged, and who looks on. */
export function exchangeOf(row: Operation, { options, session, report, runtime }: Tools): Omit<ExchangeOptions, 'signal'> {
  const firstByteMs = seconds('--timeout', options.timeout, 300) ?? session.timeoutMs ?? defaultLimits.firstByteMs;
  const limits = { ...defaultLimits, firstByteMs, totalMs: Math.max(defaultLimits.totalMs, firstByteMs + 30_000) };
  const shown = report.verbose ? watchExchange(row, report) : undefined;
  const noteClock = clockNoter(session.place, runtime);
  const watch: ExchangeOptions['watch'] = {
    sent: (request) => shown?.sent(request),
    came(delivery) {
      shown?.came(delivery);
      if (delivery.kind === 'reply') noteClock(delivery.reply);
    },
  };
  return { assume: session.assume, limits, watch };
}

export type { StatusOf };

export function statusQuestion({ session }: Talk, about: StatusOf): Unsigned {
  return questionOf(about, (endpointId) => session.target(endpointId));
}

export async function askStatus(talk: Talk, about: StatusOf): Promise<Classified> {
  const question = statusQuestion(talk, about);
  return exchange(question, await talk.session.credentials(question.protection), talk.ports, talk.exchange);
}

/** Waits, unless the user stops first; true then. */
export async function pauseOrStop(talk: Talk, ms: number): Promise<boolean> {
  const { runtime, stop } = talk;
  if (stop.signal.aborted) return true;
  await Promise.race([runtime.clock.sleep(ms), stopped(talk)]);
  return stop.signal.aborted;
}

/** Comes when the user stops, or has stopped already. */
export async function stopped({ stop: { signal } }: Pick<Talk, 'stop'>): Promise<'stopped'> {
  if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  return 'stopped';
}
