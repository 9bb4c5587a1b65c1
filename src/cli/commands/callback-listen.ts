import { fail, isPaycliError } from '../../errors/index.js';
import { aborted } from '../../payments/sleep.js';
import type { Runtime } from '../../runtime/ports.js';
import { operationById } from '../../spec/index.js';
import { findListening } from '../box.js';
import { type Listening, openListening } from '../callbacks/listening.js';
import { type ListenFlags, type ListenSettings, readSettings } from '../callbacks/settings.js';
import { checkLiveFlag } from '../live/guard.js';
import { exits } from '../outcome.js';
import { type GatewayContext, withGateway } from '../talk.js';
import { withSession } from '../with-session.js';

/** Takes callbacks until Ctrl-C, for so many or so long, or while a command runs. */
export async function runCallbackListen(command: readonly string[], flags: ListenFlags, runtime: Runtime): Promise<number> {
  if ((flags.run === true) !== command.length > 0)
    throw fail('USAGE', { why: 'write `callback listen --run -- COMMAND`, with the command behind --', command: 'callback listen' });
  const settings = readSettings(flags);
  // Here it is how long to listen, not how long to wait for a reply.
  const { timeout: _, ...options } = flags;
  return withSession(options, runtime, async (session, report) => {
    checkLiveFlag(flags, session);
    if (settings.readyFile !== undefined) runtime.files.remove(settings.readyFile);
    if (session.builtin && (await findListening(runtime)) === undefined)
      report.notes(['no sandbox listens, so none sends callbacks: start one with `paycli sandbox start`']);
    return withGateway(operationById('STATUS'), { options, session, report, runtime }, (talk) => listen(command, settings, talk));
  });
}

async function listen(command: readonly string[], settings: ListenSettings, talk: GatewayContext): Promise<number> {
  const { runtime } = talk;
  const listening = await openListening(talk, settings);
  const { exitAfter } = settings;
  if (exitAfter !== undefined) talk.report.progress(() => `waiting for callbacks: ${listening.counts.new} of ${exitAfter} came`);
  let end: End = { reason: 'error', exit: exits.ok };
  try {
    if (settings.readyFile !== undefined) runtime.files.writeText(settings.readyFile, `${listening.url}\n`);
    end = await Promise.race([endOf(command, listening, settings, talk), listening.failed]);
  } finally {
    talk.report.progress(undefined);
    if (settings.readyFile !== undefined) runtime.files.remove(settings.readyFile);
    await listening.close(end.reason);
  }
  const { contradictions, wrong } = listening.counts;
  return end.exit === exits.ok && settings.check && contradictions + wrong > 0 ? exits.otherThanExpected : end.exit;
}

interface End {
  readonly reason: string;
  readonly exit: number;
}

async function endOf(command: readonly string[], listening: Listening, settings: ListenSettings, talk: GatewayContext): Promise<End> {
  const { timeoutMs, exitAfter } = settings;
  const ends: Promise<End>[] = [];
  // With a command, its end alone counts: it gets the signals itself.
  if (command.length > 0) ends.push(commandOver(command, listening.url, talk.runtime));
  else ends.push(aborted(talk.watched.signal).then(() => ({ reason: String(talk.stop.signal.reason), exit: exits.ok })));
  if (exitAfter !== undefined) ends.push(listening.after(exitAfter).then(() => ({ reason: 'exit-after', exit: exits.ok })));
  if (timeoutMs !== undefined) ends.push(timeOver(timeoutMs, exitAfter, talk));
  void listening.sweep();
  const end = await Promise.race(ends);
  // What was announced to nobody may still have happened.
  if (end.reason === 'timeout') await listening.sweep();
  return end;
}

async function timeOver(timeoutMs: number, exitAfter: number | undefined, { runtime }: GatewayContext): Promise<End> {
  await runtime.clock.sleep(timeoutMs);
  return { reason: 'timeout', exit: exitAfter === undefined ? exits.ok : exits.pending };
}

async function commandOver(command: readonly string[], url: string, { processes }: Runtime): Promise<End> {
  const child = await startBeside(command, url, processes);
  const unlisten = processes.onStop((signal) => child.signal(signal));
  try {
    return { reason: 'command', exit: await child.exit };
  } finally {
    unlisten();
  }
}

async function startBeside(command: readonly string[], url: string, processes: Runtime['processes']) {
  try {
    return await processes.start(command, { PAYCLI_CALLBACK_URL: url });
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    throw fail('USAGE', { why: error.message, command: 'callback listen' }, { cause: error });
  }
}
