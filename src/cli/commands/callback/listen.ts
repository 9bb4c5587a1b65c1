import type { Route } from '../../../callbacks/forward.js';
import { isLoopbackHost } from '../../../callbacks/listener.js';
import { exits, fail } from '../../../errors/index.js';
import { aborted } from '../../../payments/wait.js';
import type { Runtime } from '../../../runtime/ports.js';
import { webAddress } from '../../../wire/address.js';
import { readSeconds } from '../../../wire/time.js';
import { defineCommand, type Flag, type FlagsFor, list, on, parsed, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { connectionFlags, liveFlag, outputFlags } from '../../flags.js';
import { type GatewayContext, withGateway } from '../../gateway.js';
import { checkLiveFlag, withSession } from '../../open-session.js';
import { findListening } from '../../sandbox-session.js';
import { wrongValue } from '../../usage.js';
import { type CallbackListener, type ListenOptions, openCallbackListener } from './listener.js';

interface ListenFlags extends Omit<CommonOptions, 'timeout'>, ListenOptions {
  readonly readyFile?: string;
  readonly exitAfter?: number;
  /** Milliseconds. Here it is how long to listen, not how long to wait for a reply. */
  readonly timeout?: number;
  readonly check?: boolean;
  readonly run?: boolean;
}

/** Where callbacks are handed on to. */
export const handlerFlags = {
  forward: parsed('<url>', 'forward each callback to this handler', readHandler),
  route: {
    ...word(
      '<rule>',
      'forward callbacks with this value in this field elsewhere, such as "type=reversal -> URL"; repeatable',
      { repeats: true },
    ),
    parse: (text: string, before: readonly Route[] = []) => [...before, readRoute(text)],
  } as Flag<readonly Route[]>,
};

export const callbackListen = defineCommand({
  summary: 'Receive callbacks over HTTP until Ctrl-C',
  // A25: the gateway repeats until it is answered with 200.
  help: 'Each callback is stored, byte for byte, before it is answered with 200; one that cannot be stored is answered with 500, so that it is sent again. One whose checksum (control) does not match is stored, marked as wrong, and answered with 403: the gateway repeats it for days, which leaves time to correct a key. One with the same status, type and ids as an earlier one is a repeat: it is counted and answered with 200. A callback alone proves nothing: where money could have moved, the status is queried, and its answer is recorded in the journal.',
  usage: '[flags] [--run -- command]',
  args: { command: { text: 'with --run: what to run while callbacks are received', isList: true } },
  flags: {
    port: parsed('<number>', 'port; 0 for any free one (0)', upTo(0, 65_535)),
    host: parsed('<address>', 'an address of this machine to listen on, such as 0.0.0.0 (127.0.0.1)', readHost),
    allowHost: list('<name>', 'an additional name allowed in the Host header, such as that of a tunnel; repeatable'),
    path: parsed('<path>', 'path of the callbacks (/callback)', readPath),
    ...handlerFlags,
    answerWithHandler: on("answer the gateway with the handler's HTTP status instead of an immediate 200"),
    oldControlKeyFile: list('<file>', 'an old control key still accepted during key rotation; repeatable'),
    readyFile: word('<file>', 'write the address to this file once it is listening'),
    exitAfter: parsed('<number>', 'exit after this many different callbacks', upTo(1, 1_000_000)),
    timeout: parsed(
      '<time>',
      'exit after this long, such as 30s or 10m; exit 7 when --exit-after was not reached',
      readTime,
    ),
    noAsk: on('never query the status'),
    check: on('exit 11 when a checksum (control) did not match, or a callback contradicted the journal or the status'),
    run: on('run the command after --, with PAYCLI_CALLBACK_URL set, then stop and return its exit code'),
    live: liveFlag,
    ...connectionFlags,
    ...outputFlags,
  } satisfies FlagsFor<ListenFlags & { noAsk: boolean }>,
  conflicts: [
    ['run', 'exitAfter'],
    ['run', 'timeout'],
  ],
  needs: { answerWithHandler: ['forward', 'route'] },
  examples: [
    'callback listen --forward http://127.0.0.1:3000/callback',
    'callback listen --exit-after 1 --timeout 60 --check --json',
    'callback listen --route "type=reversal -> http://127.0.0.1:3000/reversals" --forward http://127.0.0.1:3000/callback',
    'callback listen --forward http://127.0.0.1:3000/callback --run -- npm test',
  ],
  effect: 'read',
  note: 'With --run it ends with the exit code of the command after --.',
  result: ['callback-listen'],
  run: ({ args, flags, runtime }) => runCallbackListen(args.command, flags as ListenFlags, runtime),
});

/** An address of a handler. */
export function readHandler(text: string): string {
  const url = webAddress(text);
  if (url !== undefined && url.hash === '') return url.href;
  throw wrongValue('use an http or https address such as http://127.0.0.1:3000/callback');
}

/** A value of --route, such as `type=reversal -> http://127.0.0.1:3000/reversals`. */
export function readRoute(text: string): Route {
  const {
    field = '',
    value = '',
    url = '',
  } = /^\s*(?<field>[A-Za-z_-]+)\s*=\s*(?<value>\S+)\s*->\s*(?<url>\S+)\s*$/.exec(text)?.groups ?? {};
  if (field === '') throw wrongValue('use a rule such as "type=reversal -> http://127.0.0.1:3000/reversals"');
  return { field, value, url: readHandler(url) };
}

function readHost(text: string): string {
  const host = text.replace(/^\[|\]$/g, '').toLowerCase();
  if (isLoopbackHost(host) || /^[0-9a-z.:-]{1,253}$/.test(host)) return host;
  throw wrongValue('use an address of this machine, such as 127.0.0.1 or 0.0.0.0');
}

function readPath(text: string): string {
  if (/^\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/]{0,200}$/.test(text)) return text;
  throw wrongValue('use a path such as /callback');
}

function upTo(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,7}$/.test(text) ? Number(text) : -1;
    if (value >= min && value <= max) return value;
    throw wrongValue(`use a whole number from ${min} to ${max}`);
  };
}

function readTime(text: string): number {
  const ms = readSeconds(text);
  if (ms !== undefined && ms <= 86_400_000) return ms;
  throw wrongValue('use a time such as 30s or 10m, or a number of seconds, at most a day');
}

/** Takes callbacks until Ctrl-C, for so many or so long, or while a command runs. */
async function runCallbackListen(command: readonly string[], flags: ListenFlags, runtime: Runtime): Promise<number> {
  if ((flags.run === true) !== command.length > 0)
    throw fail('USAGE', { why: 'write `callback listen --run -- COMMAND`, with the command after --' });
  const { timeout: _, ...options } = flags;
  return withSession(options, runtime, async (session, report) => {
    checkLiveFlag(flags, session);
    if (flags.readyFile !== undefined) runtime.files.remove(flags.readyFile);
    if (session.builtin && (await findListening(runtime)) === undefined)
      report.notes(['no sandbox is running, so no callbacks will arrive: start one with `paycli sandbox start`']);
    return withGateway({ options, session, report, runtime }, (gateway) => listen(command, flags, gateway));
  });
}

async function listen(command: readonly string[], flags: ListenFlags, gateway: GatewayContext): Promise<number> {
  const { runtime, report } = gateway;
  const { exitAfter, readyFile, check } = flags;
  const listening = await openCallbackListener(gateway, flags);
  if (exitAfter !== undefined)
    report.progress(() => `waiting for callbacks: ${listening.counts.new} of ${exitAfter} received`);
  let end: End = { reason: 'error', exit: exits.ok };
  try {
    if (readyFile !== undefined) runtime.files.writeText(readyFile, `${listening.url}\n`);
    end = await Promise.race([endOf(command, listening, flags, gateway), listening.failed]);
  } finally {
    report.progress(undefined);
    if (readyFile !== undefined) runtime.files.remove(readyFile);
    await listening.close(end.reason);
  }
  if (end.exit === exits.pending) reportMissing(listening, flags, gateway);
  const { contradictions, wrong } = listening.counts;
  if (end.exit !== exits.ok || check !== true || contradictions + wrong === 0) return end.exit;
  report.becauseOfCheck(
    wrong > 0
      ? `callbacks whose checksum (control) does not match: ${wrong}`
      : `callbacks that contradict what is known here: ${contradictions}`,
    '`paycli callback list` lists them; `paycli callback list ID` shows why',
  );
  return exits.checkFailed;
}

/** Why a listener ended before its callbacks came. No reply of the gateway is the reason. */
function reportMissing({ counts }: CallbackListener, flags: ListenFlags, { report }: GatewayContext): void {
  const { exitAfter = 1, timeout = 0 } = flags;
  const received = counts.new === 0 ? 'no callback' : `only ${counts.new} of ${exitAfter} callbacks`;
  report.noteStatus(undefined);
  report.because(
    fail('NO_CALLBACK', {
      why: `${received} received within ${timeout / 1000} s`,
      how: 'check that the request named this address with --server-callback-url or --notify-url; `paycli status ORDER --wait` queries the outcome instead',
      seconds: timeout / 1000,
    }),
  );
}

interface End {
  readonly reason: string;
  readonly exit: number;
}

async function endOf(
  command: readonly string[],
  listening: CallbackListener,
  { timeout, exitAfter }: ListenFlags,
  { runtime, watched, stop }: GatewayContext,
): Promise<End> {
  const after = (event: Promise<unknown>, reason: () => string, exit: number = exits.ok) =>
    event.then(() => ({ reason: reason(), exit }));
  // With a command, its end alone counts: it gets the signals itself.
  const ends = [
    command.length > 0
      ? commandEnded(command, listening.url, runtime)
      : after(aborted(watched.signal), () => String(stop.signal.reason)),
  ];
  if (exitAfter !== undefined) ends.push(after(listening.after(exitAfter), () => 'exit-after'));
  if (timeout !== undefined)
    ends.push(after(runtime.clock.sleep(timeout), () => 'timeout', exitAfter === undefined ? exits.ok : exits.pending));
  void listening.queryOpen();
  const end = await Promise.race(ends);
  // What was announced to nobody may still have happened.
  if (end.reason === 'timeout') await listening.queryOpen();
  return end;
}

async function commandEnded(command: readonly string[], url: string, { processes, printed }: Runtime): Promise<End> {
  const child = await processes.start(command, { PAYCLI_CALLBACK_URL: url });
  const unlisten = processes.onStop((signal) => child.signal(signal));
  try {
    const exit = await child.exit;
    if (printed !== undefined) printed.isOfProgram = true;
    return { reason: 'command', exit };
  } finally {
    unlisten();
  }
}
