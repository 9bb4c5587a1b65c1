import { isLoopbackHost, type Listener, listenForCallbacks } from '../../../callbacks/listener.js';
import { type Handled, openReceiver } from '../../../callbacks/receiver.js';
import { type CallbackStore, handlerFault } from '../../../callbacks/store.js';
import { isPaycliError } from '../../../errors/index.js';
import { cutText } from '../../../errors/text-width.js';
import { controlEncoding, type Secret } from '../../../signing/index.js';
import { withoutCardNumbers } from '../../../wire/mask.js';
import type { Reporter } from '../../core/reporter.js';
import { openCallbackHistory } from '../../core/user-stores.js';
import type { GatewayContext } from '../../gateway.js';
import type { Session } from '../../session.js';
import { handledDocument, handledText } from './format.js';
import { matchCallback } from './match-callback.js';

/** What came in, and what became of it. */
interface Counts {
  /** Different ones; two forged callbacks are never the same. */
  new: number;
  repeats: number;
  wrong: number;
  asked: number;
  /** Requests of the journal whose outcome a status query found. */
  settled: number;
  contradictions: number;
  forwarded: number;
  forwardFailed: number;
  notStored: number;
}

/** A listener at work. */
export interface CallbackListener {
  readonly url: string;
  readonly counts: Readonly<Counts>;
  /** Resolves when so many different callbacks have been handled. */
  after(count: number): Promise<void>;
  /** Rejects, with the reason, if the listener cannot go on; never resolves. */
  readonly failed: Promise<never>;
  /** Accepts no more callbacks, waits up to 5 s for those being handled, and prints the summary. */
  close(reason: string): Promise<void>;
}

export interface ListenPlace {
  readonly port: number;
  readonly host: string;
  readonly forwardTo: string | undefined;
}

/** How long `close` waits for callbacks that are being handled. */
const closeWaitMs = 5000;
/** Rejected requests that are reported one by one. */
const maxRejectedReported = 10;

/** Opens a listener that reports as it goes. Throws PORT_TAKEN, USAGE, STORAGE or what reading keys throws. */
export async function openCallbackListener(gateway: GatewayContext, place: ListenPlace): Promise<CallbackListener> {
  const { session, runtime } = gateway;
  const key = await readCallbackKey(session);
  const store = await openCallbackHistory(runtime);
  try {
    return await listenWith(store, key, gateway, place);
  } catch (error) {
    store.close();
    throw error;
  }
}

/** The control key of the profile; undefined where it has none. */
export async function readCallbackKey(session: Session): Promise<Secret | undefined> {
  return session.canAskStatus ? (await session.credentials({ scheme: 'control', values: [] })).controlKey : undefined;
}

async function listenWith(
  store: CallbackStore,
  key: Secret | undefined,
  gateway: GatewayContext,
  { port, host, forwardTo }: ListenPlace,
): Promise<CallbackListener> {
  const { report, session, runtime, stop } = gateway;
  const { counts, after, failed, fail, handled, notStored } = startCounting(report);
  const ending = new AbortController();
  const receiver = openReceiver({
    ...{ store, key, forwardTo, clock: runtime.clock, encoding: controlEncoding(session.assume) },
    ...{ place: session.gatewayBase, profile: session.name, class: session.class, signal: ending.signal },
    matchCallback: (callback, read) => matchCallback(callback, read, gateway),
    onHandled: handled,
    onNotStored: notStored,
    onFault(error) {
      if (isPaycliError(error)) report.warn([`the result of a callback could not be recorded: ${error.message}`]);
      else fail(error);
    },
  });
  const listener = await listenForCallbacks({ port, host, receive: receiver.receive, onRejected: warnOnce(report) });
  if (!isLoopbackHost(host))
    report.warn([`listening on ${host}: anyone who can reach this machine there can send to it`]);
  await announce(listener, forwardTo, report);
  receiver.resumeForwards();
  return {
    ...{ url: listener.url, counts, after, failed },
    async close(reason) {
      try {
        await listener.close();
        if (!stop.signal.aborted) await Promise.race([receiver.idle(), runtime.clock.sleep(closeWaitMs)]);
        ending.abort();
        stop.abort(stop.signal.reason ?? 'done');
        await receiver.idle();
        await reportSummary(reason, counts, report);
      } finally {
        store.close();
      }
    },
  };
}

function startCounting(report: Reporter) {
  const counts: Counts = {
    ...{ new: 0, repeats: 0, wrong: 0, asked: 0, settled: 0 },
    ...{ contradictions: 0, forwarded: 0, forwardFailed: 0, notStored: 0 },
  };
  const waiting: { readonly count: number; readonly done: () => void }[] = [];
  const warn = warnOnce(report);
  const { promise: failed, reject: fail } = rejectable();
  return {
    ...{ counts, failed, fail },
    after: (wanted: number) => new Promise<void>((done) => waiting.push({ count: wanted, done })),
    handled(one: Handled) {
      count(one, counts);
      report.event(handledDocument(one), handledText(one, report.paint)).catch(fail);
      for (const each of waiting) if (counts.new >= each.count) each.done();
    },
    notStored(why: string) {
      counts.notStored += 1;
      warn(`a callback was not stored, so the gateway was asked to send it again: ${why}`);
    },
  };
}

function rejectable() {
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  promise.catch(() => undefined);
  return { promise, reject };
}

/** Anyone may send requests here, so each warning is given once, and ten at most. */
function warnOnce(report: Reporter): (why: string, path?: string) => void {
  const reported = new Set<string>();
  return (why, path) => {
    const where = path === undefined ? '' : `a request to ${cutText(withoutCardNumbers(path), 80)} was rejected: `;
    if (!reported.has(where + why) && reported.size < maxRejectedReported) report.warn([where + why]);
    reported.add(where + why);
  };
}

function count({ callback, as, finding, forwarded }: Handled, counts: Counts): void {
  counts[as === 'repeat' ? 'repeats' : 'new'] += 1;
  if (callback.verified === 'wrong') counts.wrong += 1;
  if (finding?.asked !== undefined) counts.asked += 1;
  counts.settled += finding?.resolved ?? 0;
  if ((finding?.conflicts.length ?? 0) > 0) counts.contradictions += 1;
  if (forwarded !== undefined) counts[handlerFault(forwarded) === undefined ? 'forwarded' : 'forwardFailed'] += 1;
}

function announce({ url }: Listener, forwardTo: string | undefined, report: Reporter): Promise<void> {
  const forwards = forwardTo === undefined ? '' : `  forwards to: ${forwardTo}\n`;
  const how = 'pass it to the gateway with --server-callback-url or --notify-url   stop: Ctrl-C';
  const document = { schema: 'paycli.callback-listen/1', event: 'ready', url, forwards: forwardTo ?? null };
  return report.event(document, `listening for callbacks at: ${url}\n${forwards}  ${how}\n`);
}

function reportSummary(reason: string, counts: Counts, report: Reporter): Promise<void> {
  const { repeats, wrong, asked, settled, contradictions, forwarded, forwardFailed } = counts;
  return report.event(
    { event: 'summary', reason, ...counts },
    [
      `${counts.new} received and ${repeats} repeats, ${wrong} with a wrong checksum; status queried ${asked} times, ${settled} resolved; `,
      `${contradictions} contradicted the journal or the status; ${forwarded} forwarded, ${forwardFailed} not accepted by the handler\n`,
    ].join(''),
  );
}
