import { exits, fail } from '../../../errors/index.js';
import { aborted } from '../../../payments/wait.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, type FlagsFor, list, on, word } from '../../command.js';
import { connectionFlags, liveFlag, outputFlags } from '../../flags.js';
import { type GatewayContext, withGateway } from '../../gateway.js';
import { checkLiveFlag, withSession } from '../../open-session.js';
import { findListening } from '../../sandbox-session.js';
import { type ListenFlags, type ListenSettings, readListenSettings } from './listen-settings.js';
import { type CallbackListener, openCallbackListener } from './listener.js';

export const callbackListen = defineCommand({
  summary: 'Receive callbacks over HTTP until Ctrl-C',
  // A25: the gateway repeats until it is answered with 200.
  help: 'Each callback is stored, byte for byte, before it is answered with 200; one that cannot be stored is answered with 500, so that it is sent again. One whose checksum (control) does not match is stored, marked as wrong, and answered with 403: the gateway repeats it for days, which leaves time to correct a key. One with the same status, type and ids as an earlier one is a repeat: it is counted and answered with 200. A callback alone proves nothing: where money could have moved, the status is queried, and its answer is recorded in the journal.',
  usage: '[flags] [--run -- command]',
  args: { command: { text: 'with --run: what to run while callbacks are received', isList: true } },
  flags: {
    port: word('<number>', 'port; 0 for any free one (0)'),
    host: word('<address>', 'an address of this machine to listen on, such as 0.0.0.0 (127.0.0.1)'),
    allowHost: list('<name>', 'an additional name allowed in the Host header, such as that of a tunnel; repeatable'),
    path: word('<path>', 'path of the callbacks (/callback)'),
    forward: word('<url>', 'forward each callback to this handler'),
    route: list(
      '<rule>',
      'forward callbacks with this value in this field elsewhere, such as "type=reversal -> URL"; repeatable',
    ),
    answerWithHandler: on("answer the gateway with the handler's HTTP status instead of an immediate 200"),
    oldControlKeyFile: list('<file>', 'an old control key still accepted during key rotation; repeatable'),
    readyFile: word('<file>', 'write the address to this file once it is listening'),
    exitAfter: word('<number>', 'exit after this many different callbacks'),
    timeout: word('<time>', 'exit after this long, such as 30s or 10m; exit 7 when --exit-after was not reached'),
    noAsk: on('never query the status'),
    check: on('exit 11 when a checksum (control) did not match, or a callback contradicted the journal or the status'),
    run: on('run the command after --, with PAYCLI_CALLBACK_URL set, then stop and return its exit code'),
    live: liveFlag,
    ...connectionFlags,
    ...outputFlags,
  } satisfies FlagsFor<ListenFlags & { noAsk: boolean }>,
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

/** Takes callbacks until Ctrl-C, for so many or so long, or while a command runs. */
async function runCallbackListen(command: readonly string[], flags: ListenFlags, runtime: Runtime): Promise<number> {
  if ((flags.run === true) !== command.length > 0)
    throw fail('USAGE', {
      why: 'write `callback listen --run -- COMMAND`, with the command after --',
      command: 'callback listen',
    });
  const settings = readListenSettings(flags);
  // Here it is how long to listen, not how long to wait for a reply.
  const { timeout: _, ...options } = flags;
  return withSession(options, runtime, async (session, report) => {
    checkLiveFlag(flags, session);
    if (settings.readyFile !== undefined) runtime.files.remove(settings.readyFile);
    if (session.builtin && (await findListening(runtime)) === undefined)
      report.notes(['no sandbox is running, so no callbacks will arrive: start one with `paycli sandbox start`']);
    return withGateway({ options, session, report, runtime }, (gateway) => listen(command, settings, gateway));
  });
}

async function listen(command: readonly string[], settings: ListenSettings, gateway: GatewayContext): Promise<number> {
  const { runtime } = gateway;
  const listening = await openCallbackListener(gateway, settings);
  const { exitAfter } = settings;
  if (exitAfter !== undefined)
    gateway.report.progress(() => `waiting for callbacks: ${listening.counts.new} of ${exitAfter} received`);
  let end: End = { reason: 'error', exit: exits.ok };
  try {
    if (settings.readyFile !== undefined) runtime.files.writeText(settings.readyFile, `${listening.url}\n`);
    end = await Promise.race([endOf(command, listening, settings, gateway), listening.failed]);
  } finally {
    gateway.report.progress(undefined);
    if (settings.readyFile !== undefined) runtime.files.remove(settings.readyFile);
    await listening.close(end.reason);
  }
  if (end.exit === exits.pending) reportMissing(listening, settings, gateway);
  const { contradictions, wrong } = listening.counts;
  if (end.exit !== exits.ok || !settings.check || contradictions + wrong === 0) return end.exit;
  gateway.report.becauseOfCheck(
    wrong > 0
      ? `callbacks whose checksum (control) does not match: ${wrong}`
      : `callbacks that contradict what is known here: ${contradictions}`,
    '`paycli callback list` lists them; `paycli callback list ID` shows why',
  );
  return exits.checkFailed;
}

/** Why a listener ended before its callbacks came. No reply of the gateway is the reason. */
function reportMissing({ counts }: CallbackListener, settings: ListenSettings, { report }: GatewayContext): void {
  const { exitAfter = 1, timeoutMs = 0 } = settings;
  const received = counts.new === 0 ? 'no callback' : `only ${counts.new} of ${exitAfter} callbacks`;
  report.noteStatus(undefined);
  report.because(
    fail('NO_CALLBACK', {
      why: `${received} received within ${timeoutMs / 1000} s`,
      how: 'check that the request named this address with --server-callback-url or --notify-url; `paycli status ORDER --wait` queries the outcome instead',
      seconds: timeoutMs / 1000,
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
  settings: ListenSettings,
  gateway: GatewayContext,
): Promise<End> {
  const { timeoutMs, exitAfter } = settings;
  const ends: Promise<End>[] = [];
  // With a command, its end alone counts: it gets the signals itself.
  if (command.length > 0) ends.push(commandEnded(command, listening.url, gateway.runtime));
  else
    ends.push(
      aborted(gateway.watched.signal).then(() => ({ reason: String(gateway.stop.signal.reason), exit: exits.ok })),
    );
  if (exitAfter !== undefined)
    ends.push(listening.after(exitAfter).then(() => ({ reason: 'exit-after', exit: exits.ok })));
  if (timeoutMs !== undefined) ends.push(timeoutEnded(timeoutMs, exitAfter, gateway));
  void listening.queryOpen();
  const end = await Promise.race(ends);
  // What was announced to nobody may still have happened.
  if (end.reason === 'timeout') await listening.queryOpen();
  return end;
}

async function timeoutEnded(
  timeoutMs: number,
  exitAfter: number | undefined,
  { runtime }: GatewayContext,
): Promise<End> {
  await runtime.clock.sleep(timeoutMs);
  return { reason: 'timeout', exit: exitAfter === undefined ? exits.ok : exits.pending };
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
