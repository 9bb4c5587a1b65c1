import type { Route } from '../../../callbacks/forward.js';
import { isLoopbackHost, type Listener, listenForCallbacks } from '../../../callbacks/listener.js';
import { type Handled, openReceiver, type Receiver } from '../../../callbacks/receiver.js';
import type { CallbackStore } from '../../../callbacks/store.js';
import type { CallbackKey } from '../../../callbacks/verify.js';
import { readSecret } from '../../../config/index.js';
import { isPaycliError } from '../../../errors/index.js';
import { cutText } from '../../../errors/text-width.js';
import { sleepOrAbort } from '../../../payments/wait.js';
import type { Clock, Runtime } from '../../../runtime/ports.js';
import { controlEncoding } from '../../../signing/index.js';
import { withoutCardNumbers } from '../../../wire/mask.js';
import type { Reporter } from '../../core/reporter.js';
import { journalKeyPath, journalOf, openCallbackHistory, openUserJournal } from '../../core/user-stores.js';
import type { GatewayContext } from '../../gateway.js';
import type { Session } from '../../session.js';
import { handledDocument, handledText } from './format.js';
import { type MatchContext, matchCallback, type OpenQueryResult, queryOpenRequests } from './match-callback.js';

const zeroCounts = {
  ...{ received: 0, new: 0, repeats: 0 },
  // New ones, by their checksum; without a key it cannot be checked.
  ...{ fits: 0, wrong: 0, noKey: 0 },
  // Status queries, and requests of the journal whose outcome one found.
  ...{ asked: 0, settled: 0, contradictions: 0 },
  ...{ forwarded: 0, forwardFailed: 0, notStored: 0 },
  // HTTP requests that were rejected as no callback.
  turnedAway: 0,
};

/** What came in, and what became of it; the names are those of the printed summary. */
type Counts = typeof zeroCounts;

/** How callbacks are taken; what is left out has its usual value. */
export interface ListenOptions {
  readonly port?: number;
  readonly host?: string;
  readonly allowHost?: readonly string[];
  readonly path?: string;
  readonly forward?: string;
  readonly route?: readonly Route[];
  readonly answerWithHandler?: boolean;
  readonly oldControlKeyFile?: readonly string[];
  /** False under --no-ask. */
  readonly ask?: boolean;
}

/** A listener at work. */
export interface CallbackListener {
  readonly url: string;
  readonly counts: Readonly<Counts>;
  /** Resolves when so many different callbacks have been handled. */
  after(countHandled: number): Promise<void>;
  /** Rejects, with the reason, if the listener cannot go on; never resolves. */
  readonly failed: Promise<never>;
  /** Queries the status of every open request in the journal. */
  queryOpen(): Promise<void>;
  /** Accepts no more callbacks, waits up to 5 s for those being handled, and prints the summary. */
  close(reason: string): Promise<void>;
}

const maxConcurrentQueries = 4;
/** How long `close` waits for callbacks that are being handled. */
const closeWaitMs = 5000;
/** Rejected requests that are reported one by one; more are only counted. */
const maxRejectedReported = 10;

/** Opens a listener that reports as it goes. Throws PORT_TAKEN, USAGE, STORAGE or what reading keys throws. */
export async function openCallbackListener(gateway: GatewayContext, options: ListenOptions): Promise<CallbackListener> {
  const { report, session, runtime } = gateway;
  const { port = 0, host = '127.0.0.1', path = '/callback', forward: forwardTo, route: routes = [] } = options;
  const keys = await readCallbackKeys(session, options.oldControlKeyFile ?? [], report, runtime);
  const store = await openCallbackHistory(runtime);
  let listener: Listener | undefined;
  try {
    warnOfUnreadable(store, session.gatewayBase, report, runtime);
    const work = startWork(gateway, options.ask !== false, store);
    const receiver = openReceiver({
      ...{ store, keys, routes, forwardTo, clock: runtime.clock, encoding: controlEncoding(session.assume) },
      ...{ place: session.gatewayBase, profile: session.name, class: session.class },
      answerWithHandler: options.answerWithHandler === true,
      matchCallback: (callback, read) => matchCallback(callback, read, work.context),
      ...{ onHandled: work.handled, onNotStored: work.notStored, onFault: work.fault, signal: work.ending.signal },
    });
    const names = (options.allowHost ?? []).map((name) => name.toLowerCase());
    const { receive } = receiver;
    const opened = await listenForCallbacks({ port, host, path, names, receive, onRejected: work.turnedAway });
    listener = opened;
    if (!isLoopbackHost(host))
      report.warn([`listening on ${host}: anyone who can reach this machine there can send to it`]);
    await announce(opened.url, forwardTo, routes, report);
    receiver.resumeForwards();
    void watchForGaps(runtime.clock, work.ending.signal, work.gap).catch(work.fail);
    return {
      ...{ url: opened.url, counts: work.counts, after: work.after, failed: work.failed, queryOpen: work.queryOpen },
      close: (reason) => close(reason, { gateway, receiver, listener: opened, ...work }).finally(() => store.close()),
    };
  } catch (error) {
    await listener?.close();
    store.close();
    throw error;
  }
}

/** The control key of the profile, and older ones that still count while keys are changed. Throws SECRET_UNREADABLE. */
export async function readCallbackKeys(
  session: Session,
  oldFiles: readonly string[],
  report: Reporter,
  runtime: Runtime,
): Promise<CallbackKey[]> {
  const current = session.canAskStatus
    ? (await session.credentials({ scheme: 'control', values: [] })).controlKey
    : undefined;
  const keys: CallbackKey[] = current === undefined ? [] : [{ name: 'the control key', key: current }];
  for (const path of oldFiles) {
    const { secret, warning } = await readSecret({ kind: 'file', path }, runtime);
    if (warning !== undefined) report.warn([warning]);
    keys.push({ name: 'an old control key', key: secret });
  }
  return keys;
}

/** Callbacks that an earlier listener left, and whose encryption key is missing now, cannot be forwarded. */
function warnOfUnreadable(store: CallbackStore, place: string, report: Reporter, { files }: Runtime): void {
  const count = store.list({ place, isOwed: true }).filter(({ raw }) => raw === undefined).length;
  if (count === 0) return;
  const where = `encrypted with another key than that in ${journalKeyPath({ files })}`;
  report.warn([
    `stored callbacks that cannot be forwarded, because they are ${where}: ${count}; restore that file. New callbacks are still received and stored`,
  ]);
}

const tickMs = 5000;
const maxLateMs = 10_000;

/**
 * Detects when this process was not running for a while: the machine slept, or the process was stopped. A sleeping
 * machine stops the monotonic clock only; a stopped process is late by both. Ends when `signal` is aborted.
 */
export async function watchForGaps(
  clock: Clock,
  signal: AbortSignal,
  onGap: (ms: number) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const before = { wall: clock.now(), monotonic: clock.monotonic() };
    if (await sleepOrAbort(clock, tickMs, signal)) return;
    const elapsedMs = Math.max(clock.now() - before.wall, clock.monotonic() - before.monotonic);
    if (elapsedMs - tickMs > maxLateMs) await onGap(elapsedMs - tickMs);
  }
}

type ListenerWork = ReturnType<typeof startWork>;

/** What a listener does besides receiving, and its counters. */
function startWork(gateway: GatewayContext, mayAsk: boolean, store: CallbackStore) {
  const { report, session, runtime } = gateway;
  const counts: Counts = { ...zeroCounts };
  const ending = new AbortController();
  const reported = new Set<string>();
  const warnOfRejected = rejectionWarner(report);
  const waiting: { readonly count: number; readonly done: () => void }[] = [];
  const slot = limitConcurrency(maxConcurrentQueries);
  // Callbacks are received even where the journal cannot be opened.
  const journal = () => openUserJournal(runtime, journalOf(session));
  const context: MatchContext = { gateway, store, journal, mayAsk, slot };
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  const queryAndReport = (why: string) => queryOpenOnce(why, context, counts).catch(fail);
  return {
    ...{ counts, ending, context, fail, failed },
    queryOpen: () => queryAndReport('from before this listener started'),
    handled(handled: Handled) {
      count(handled, counts);
      report.event(handledDocument(handled), handledText(handled, report.paint)).catch(fail);
      for (const each of waiting) if (counts.new >= each.count) each.done();
    },
    after: (wanted: number) => new Promise<void>((done) => waiting.push({ count: wanted, done })),
    notStored(why: string) {
      counts.notStored += 1;
      // Once for each reason: a flood must not fill the screen.
      if (!reported.has(why))
        report.warn([`a callback was not stored, so the gateway was asked to send it again: ${why}`]);
      reported.add(why);
    },
    fault(error: unknown) {
      if (isPaycliError(error)) report.warn([`the result of a callback could not be recorded: ${error.message}`]);
      else fail(error);
    },
    turnedAway(status: number, why: string, path: string) {
      counts.turnedAway += 1;
      if (report.verbose) report.trace([`* rejected with ${status}: ${why}`]);
      warnOfRejected(status, why, path);
    },
    /** Queries what was missed while this process was not running. */
    async gap(ms: number) {
      const seconds = Math.round(ms / 1000);
      const text = `paycli was suspended for ${seconds} s`;
      await report.event({ event: 'gap', seconds }, `${report.paint.warn('gap:')} ${text}\n`);
      await queryAndReport('missed meanwhile');
    },
  };
}

/** Warns of rejected requests, once for each path and status and ten times at most: anyone may send requests here. */
function rejectionWarner(report: Reporter): (status: number, why: string, path: string) => void {
  const reported = new Set<string>();
  return (status, why, path) => {
    const key = `${status} ${path}`;
    if (reported.has(key) || reported.size >= maxRejectedReported) return;
    reported.add(key);
    const hint = status === 421 ? '; add --allow-host NAME to accept another host name' : '';
    const last = reported.size === maxRejectedReported ? '; further ones are only counted' : '';
    report.warn([`a request to ${cutText(withoutCardNumbers(path), 80)} was answered ${status}: ${why}${hint}${last}`]);
  };
}

async function queryOpenOnce(why: string, context: MatchContext, counts: Counts): Promise<void> {
  const { gateway, mayAsk } = context;
  if (!mayAsk || !gateway.session.canAskStatus) return;
  const result = await queryOpenRequests(context);
  counts.asked += result.asked;
  counts.settled += result.resolved;
  if (result.asked > 0) await reportOpenQueries(why, result, gateway.report);
}

const countedAs = { fits: 'fits', wrong: 'wrong', 'no-key': 'noKey' } as const;

function count({ callback, as, finding, forwarded, answered }: Handled, counts: Counts): void {
  if (answered !== undefined) counts.received += 1;
  // Two forged callbacks are never the same event, since nothing in them is proven: each counts as new.
  const isNew = as === 'new' || (as === 'variant' && callback.verified === 'wrong');
  counts[isNew ? 'new' : 'repeats'] += 1;
  if (isNew) counts[countedAs[callback.verified]] += 1;
  if (finding?.asked !== undefined) counts.asked += 1;
  counts.settled += finding?.resolved ?? 0;
  if ((finding?.conflicts.length ?? 0) > 0) counts.contradictions += 1;
  if (forwarded === undefined) return;
  if (forwarded.status === 200 && forwarded.reason === undefined) counts.forwarded += 1;
  else counts.forwardFailed += 1;
}

function announce(
  url: string,
  forwardTo: string | undefined,
  routes: readonly Route[],
  report: Reporter,
): Promise<void> {
  const to = [
    ...routes.map((route) => `${route.field}=${route.value} → ${route.url}`),
    ...(forwardTo === undefined ? [] : [forwardTo]),
  ];
  const forwards = to.map((each) => `  forwards to: ${each}\n`).join('');
  const how = 'pass it to the gateway with --server-callback-url or --notify-url   stop: Ctrl-C';
  const document = { schema: 'paycli.callback-listen/1', event: 'ready', url, forwards: to };
  return report.event(document, `listening for callbacks at: ${url}\n${forwards}  ${how}\n`);
}

function reportOpenQueries(why: string, { asked, resolved, left }: OpenQueryResult, report: Reporter): Promise<void> {
  const more = left === 0 ? '' : `; ${left} more are open; \`paycli resolve --all\` queries them`;
  const text = `queried ${asked} open requests from the journal (${why}): ${resolved} resolved${more}`;
  return report.event({ event: 'sweep', why, asked, settled: resolved, left }, `${report.paint.dim(text)}\n`);
}

interface Closing extends ListenerWork {
  readonly gateway: GatewayContext;
  readonly receiver: Receiver;
  readonly listener: Listener;
}

async function close(reason: string, { gateway, receiver, listener, ending, counts }: Closing): Promise<void> {
  await listener.close();
  if (!gateway.stop.signal.aborted) await Promise.race([receiver.idle(), gateway.runtime.clock.sleep(closeWaitMs)]);
  ending.abort();
  gateway.stop.abort(gateway.stop.signal.reason ?? 'done');
  await receiver.idle();
  const { received, repeats, wrong, asked, settled, contradictions, forwarded, forwardFailed } = counts;
  await gateway.report.event(
    { event: 'summary', reason, ...counts },
    [
      `${received} received, including ${repeats} repeats and ${wrong} with a wrong checksum; status queried ${asked} times, ${settled} resolved; `,
      `${contradictions} contradicted the journal or the status; ${forwarded} forwarded, ${forwardFailed} not accepted by the handler\n`,
    ].join(''),
  );
}

/** Runs at most `maxRunning` at once; the others wait for their turn. */
function limitConcurrency(maxRunning: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = maxRunning;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
