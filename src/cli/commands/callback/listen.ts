import { exits, fail, isPaycliError } from '../../../errors/index.js';
import { aborted } from '../../../payments/sleep.js';
import type { Runtime } from '../../../runtime/ports.js';
import { operationById } from '../../../spec/index.js';
import { type GatewayContext, withGateway } from '../../core/gateway-context.js';
import { checkLiveFlag } from '../../core/live/confirm.js';
import { findListening } from '../../core/local-sandbox.js';
import { withSession } from '../../core/open-session.js';
import { type ListenFlags, type ListenSettings, readListenSettings } from './listen-settings.js';
import { type CallbackListener, openCallbackListener } from './listener.js';

/** Takes callbacks until Ctrl-C, for so many or so long, or while a command runs. */
export async function runCallbackListen(
  command: readonly string[],
  flags: ListenFlags,
  runtime: Runtime,
): Promise<number> {
  if ((flags.run === true) !== command.length > 0)
    throw fail('USAGE', {
      why: 'write `callback listen --run -- COMMAND`, with the command behind --',
      command: 'callback listen',
    });
  const settings = readListenSettings(flags);
  // Here it is how long to listen, not how long to wait for a reply.
  const { timeout: _, ...options } = flags;
  return withSession(options, runtime, async (session, report) => {
    checkLiveFlag(flags, session);
    if (settings.readyFile !== undefined) runtime.files.remove(settings.readyFile);
    if (session.builtin && (await findListening(runtime)) === undefined)
      report.notes(['no sandbox listens, so none sends callbacks: start one with `paycli sandbox start`']);
    return withGateway(operationById('STATUS'), { options, session, report, runtime }, (gateway) =>
      listen(command, settings, gateway),
    );
  });
}

async function listen(command: readonly string[], settings: ListenSettings, gateway: GatewayContext): Promise<number> {
  const { runtime } = gateway;
  const listening = await openCallbackListener(gateway, settings);
  const { exitAfter } = settings;
  if (exitAfter !== undefined)
    gateway.report.progress(() => `waiting for callbacks: ${listening.counts.new} of ${exitAfter} came`);
  let end: End = { reason: 'error', exit: exits.ok };
  try {
    if (settings.readyFile !== undefined) runtime.files.writeText(settings.readyFile, `${listening.url}\n`);
    end = await Promise.race([endOf(command, listening, settings, gateway), listening.failed]);
  } finally {
    gateway.report.progress(undefined);
    if (settings.readyFile !== undefined) runtime.files.remove(settings.readyFile);
    await listening.close(end.reason);
  }
  const { contradictions, wrong } = listening.counts;
  return end.exit === exits.ok && settings.check && contradictions + wrong > 0 ? exits.checkFailed : end.exit;
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

async function commandEnded(command: readonly string[], url: string, { processes }: Runtime): Promise<End> {
  const child = await startCommand(command, url, processes);
  const unlisten = processes.onStop((signal) => child.signal(signal));
  try {
    return { reason: 'command', exit: await child.exit };
  } finally {
    unlisten();
  }
}

async function startCommand(command: readonly string[], url: string, processes: Runtime['processes']) {
  try {
    return await processes.start(command, { PAYCLI_CALLBACK_URL: url });
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    throw fail('USAGE', { why: error.message, command: 'callback listen' }, { cause: error });
  }
}
