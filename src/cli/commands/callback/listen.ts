import { isLoopbackHost } from '../../../callbacks/listener.js';
import { exits, fail } from '../../../errors/index.js';
import { aborted } from '../../../payments/wait.js';
import type { Secret } from '../../../signing/index.js';
import { webAddress } from '../../../wire/address.js';
import { defineCommand, type FlagsFor, parsed, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { openCallbackHistory } from '../../core/user-stores.js';
import { connectionFlags, liveFlag, outputFlags, portFlag, timeUpTo, wholeUpTo } from '../../flags.js';
import { type GatewayContext, withGateway } from '../../gateway.js';
import { checkLiveFlag, type Session, withSession } from '../../session.js';
import { wrongValue } from '../../usage.js';
import { type Counts, openCallbackListener } from './listener.js';

interface ListenFlags extends Omit<CommonOptions, 'timeout'> {
  readonly port?: number;
  readonly host?: string;
  readonly forward?: string;
  readonly readyFile?: string;
  readonly exitAfter?: number;
  /** Milliseconds. Here it is how long to listen, not how long to wait for a reply. */
  readonly timeout?: number;
}

export const callbackListen = defineCommand({
  summary: 'Receive callbacks over HTTP until Ctrl-C',
  // A25: the gateway repeats until it is answered with 200.
  help: 'Each callback is stored, byte for byte, before it is answered with 200; one that cannot be stored is answered with 500, so that it is sent again. One whose checksum (control) does not match is stored, marked as wrong, and answered with 403: the gateway repeats it for days, which leaves time to correct a key. A callback alone proves nothing: where money could have moved, the status is queried, and its answer is recorded in the journal.',
  flags: {
    port: portFlag('port; 0 for any free one (0)'),
    host: parsed('<address>', 'an address of this machine to listen on, such as 0.0.0.0 (127.0.0.1)', readHost),
    forward: parsed('<url>', 'forward each callback to this handler', readHandler),
    readyFile: word('<file>', 'write the address to this file once it is listening'),
    exitAfter: parsed(
      '<number>',
      'exit after this many different callbacks; exit 11 when a checksum did not match, or a callback contradicted the journal or the status',
      wholeUpTo(1_000_000, 1),
    ),
    timeout: parsed(
      '<time>',
      'exit after this long, such as 30s or 10m; exit 7 when --exit-after was not reached',
      timeUpTo(86_400),
    ),
    live: liveFlag,
    ...connectionFlags,
    ...outputFlags,
  } satisfies FlagsFor<ListenFlags>,
  examples: [
    'callback listen --forward http://127.0.0.1:3000/callback',
    'callback listen --exit-after 1 --timeout 60 --json',
  ],
  effect: 'read',
  result: ['callback-listen'],
  run: ({ flags: given, runtime }) => {
    const flags = given as ListenFlags;
    const { timeout: _, ...options } = flags;
    return withSession(options, runtime, async (session, report) => {
      checkLiveFlag(flags, session);
      if (flags.readyFile !== undefined) runtime.files.remove(flags.readyFile);
      return withGateway({ options, session, report, runtime }, (gateway) => listen(flags, gateway));
    });
  },
});

/** An address of a handler. */
export function readHandler(text: string): string {
  const url = webAddress(text);
  if (url !== undefined && url.hash === '') return url.href;
  throw wrongValue('use an http or https address such as http://127.0.0.1:3000/callback');
}

function readHost(text: string): string {
  const host = text.replace(/^\[|\]$/g, '').toLowerCase();
  if (isLoopbackHost(host) || /^[0-9a-z.:-]{1,253}$/.test(host)) return host;
  throw wrongValue('use an address of this machine, such as 127.0.0.1 or 0.0.0.0');
}

/** The control key of the profile; undefined where it has none. */
export async function readCallbackKey(session: Session): Promise<Secret | undefined> {
  return session.canAskStatus ? (await session.credentials({ scheme: 'control', values: [] })).controlKey : undefined;
}

/** Takes callbacks until Ctrl-C, or for so many or so long. */
async function listen(flags: ListenFlags, gateway: GatewayContext): Promise<number> {
  const { session, runtime } = gateway;
  const key = await readCallbackKey(session);
  const store = await openCallbackHistory(runtime);
  const counts = { new: 0, wrong: 0, settled: 0, contradictions: 0, forwardFailed: 0, notStored: 0 };
  try {
    const reason = await takeCallbacks({ store, key, counts }, flags, gateway);
    if (flags.exitAfter === undefined) return exits.ok;
    if (reason === 'timeout') return reportMissing(counts, flags, gateway);
    return reason === 'exit-after' ? checkReceived(counts, gateway) : exits.ok;
  } finally {
    store.close();
  }
}

/** Listens until there is a reason to end, and returns it. Throws what it could not go on with. */
async function takeCallbacks(
  held: Parameters<typeof openCallbackListener>[0],
  flags: ListenFlags,
  gateway: GatewayContext,
): Promise<string> {
  const { runtime, report, watched, stop } = gateway;
  const { port = 0, host = '127.0.0.1', forward: forwardTo, readyFile, exitAfter, timeout } = flags;
  const { counts } = held;
  const end = new AbortController();
  const onCounted = () => counts.new >= (exitAfter ?? Number.POSITIVE_INFINITY) && end.abort('exit-after');
  const onFault = (fault: unknown) => end.abort(fault);
  const listening = await openCallbackListener(held, { port, host, forwardTo }, gateway, onCounted, onFault);
  const { url } = listening;
  void aborted(watched.signal).then(() => end.abort(String(stop.signal.reason)));
  try {
    const forwards = forwardTo === undefined ? '' : `  forwards to: ${forwardTo}\n`;
    const how = 'pass it to the gateway with --server-callback-url or --notify-url   stop: Ctrl-C';
    const document = { schema: 'paycli.callback-listen/1', event: 'ready', url, forwards: forwardTo ?? null };
    await report.event(document, `listening for callbacks at: ${url}\n${forwards}  ${how}\n`);
    if (readyFile !== undefined) runtime.files.writeText(readyFile, `${url}\n`);
    if (timeout !== undefined) void runtime.clock.sleep(timeout).then(() => end.abort('timeout'));
    await aborted(end.signal);
  } finally {
    if (readyFile !== undefined) runtime.files.remove(readyFile);
    await listening.close();
  }
  const reason: unknown = end.signal.reason;
  if (typeof reason !== 'string') throw reason;
  await report.event(
    { event: 'summary', reason, ...counts },
    `${counts.new} received, ${counts.wrong} with a wrong checksum; ${counts.settled} requests resolved; ${counts.contradictions} contradicted the journal or the status; ${counts.forwardFailed} not accepted by the handler\n`,
  );
  return reason;
}

/** The callbacks did not come. No reply of the gateway is the reason. */
function reportMissing(counts: Counts, { exitAfter, timeout = 0 }: ListenFlags, { report }: GatewayContext): number {
  report.noteStatus(undefined);
  report.because(
    fail('NO_CALLBACK', {
      why: `${counts.new} of ${exitAfter} callbacks received within ${timeout / 1000} s`,
      how: 'check that the request named this address with --server-callback-url or --notify-url; `paycli status ORDER --wait` queries the outcome instead',
      seconds: timeout / 1000,
    }),
  );
  return exits.pending;
}

function checkReceived({ wrong, contradictions }: Counts, { report }: GatewayContext): number {
  if (wrong + contradictions === 0) return exits.ok;
  report.becauseOfCheck(
    `callbacks with a wrong checksum (control): ${wrong}; that contradict what is known here: ${contradictions}`,
    '`paycli callback list` lists them; `paycli callback list ID` shows why',
  );
  return exits.checkFailed;
}
