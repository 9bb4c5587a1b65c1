import { isLoopbackHost, listenForCallbacks } from '../../../callbacks/listener.js';
import { type Handled, openReceiver } from '../../../callbacks/receiver.js';
import { type CallbackStore, handlerFault } from '../../../callbacks/store.js';
import { isPaycliError } from '../../../errors/index.js';
import { cutText } from '../../../errors/text-width.js';
import { controlEncoding, type Secret } from '../../../signing/index.js';
import { withoutCardNumbers } from '../../../wire/mask.js';
import type { GatewayContext } from '../../gateway.js';
import { handledDocument, handledText } from './format.js';
import { matchCallback } from './match-callback.js';

/** What came in, and what became of it. */
export interface Counts {
  /** Different ones; two forged callbacks are never the same. */
  new: number;
  wrong: number;
  /** Requests of the journal whose outcome a status query found. */
  settled: number;
  contradictions: number;
  /** Not accepted by the handler. */
  forwardFailed: number;
  notStored: number;
}

export interface ListenPlace {
  readonly port: number;
  readonly host: string;
  readonly forwardTo: string | undefined;
}

/** A listener at work. */
interface CallbackListener {
  readonly url: string;
  /** Accepts no more callbacks, and waits up to 5 s for those being handled. */
  close(): Promise<void>;
}

/** How long `close` waits for callbacks that are being handled. */
const closeWaitMs = 5000;

/**
 * Opens a listener that reports and counts as it goes. `onCounted` is called after each callback, `onFault` where it
 * cannot go on. Throws PORT_TAKEN or USAGE.
 */
export async function openCallbackListener(
  { store, key, counts }: { readonly store: CallbackStore; readonly key: Secret | undefined; readonly counts: Counts },
  { port, host, forwardTo }: ListenPlace,
  gateway: GatewayContext,
  onCounted: () => void,
  onFault: (fault: unknown) => void,
): Promise<CallbackListener> {
  const { report, session, runtime, stop } = gateway;
  const ending = new AbortController();
  const warn = (text: string) => report.warn([text]);
  const receiver = openReceiver({
    ...{ store, key, forwardTo, clock: runtime.clock, encoding: controlEncoding(session.assume) },
    ...{ place: session.gatewayBase, profile: session.name, class: session.class, signal: ending.signal },
    matchCallback: (callback, read) => matchCallback(callback, read, gateway),
    onHandled(one) {
      count(one, counts);
      report.event(handledDocument(one), handledText(one, report.paint)).catch(onFault);
      onCounted();
    },
    onNotStored(why) {
      counts.notStored += 1;
      warn(`a callback was not stored, so the gateway was asked to send it again: ${why}`);
    },
    onFault(error) {
      if (isPaycliError(error)) report.warn([`the result of a callback could not be recorded: ${error.message}`]);
      else onFault(error);
    },
  });
  const onRejected = (why: string, path: string) =>
    warn(`a request to ${cutText(withoutCardNumbers(path), 80)} was rejected: ${why}`);
  const listener = await listenForCallbacks({ port, host, receive: receiver.receive, onRejected });
  if (!isLoopbackHost(host))
    report.warn([`listening on ${host}: anyone who can reach this machine there can send to it`]);
  receiver.resumeForwards();
  return {
    url: listener.url,
    async close() {
      await listener.close();
      if (!stop.signal.aborted) await Promise.race([receiver.idle(), runtime.clock.sleep(closeWaitMs)]);
      ending.abort();
      stop.abort(stop.signal.reason ?? 'done');
      await receiver.idle();
    },
  };
}

function count({ callback, as, finding, forwarded }: Handled, counts: Counts): void {
  if (as !== 'repeat') counts.new += 1;
  if (callback.verified === 'wrong') counts.wrong += 1;
  counts.settled += finding?.resolved ?? 0;
  if ((finding?.conflicts.length ?? 0) > 0) counts.contradictions += 1;
  if (forwarded !== undefined && handlerFault(forwarded) !== undefined) counts.forwardFailed += 1;
}
