import { fail, isPaycliError } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { checkProfile } from '../init/checking.js';
import { gather } from '../init/gathering.js';
import { showSandbox } from '../init/sandbox.js';
import { goneWords, openSlot, saveProfile } from '../init/saving.js';
import { command, type Guide, type InitOptions } from '../init/setup.js';
import { showDone } from '../init/showing.js';
import { textForSupport } from '../init/words.js';
import { type NewFile, pathOf } from '../keys/files.js';
import { Reporter } from '../reporter.js';
import { mayAsk } from '../resolve.js';

/** The guided start: learns what a profile needs, writes it in one go, and asks the gateway whether it is known there. */
export async function runInit(options: InitOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const slot = openSlot(options.replace, command, runtime);
  const guide: Guide = { options, slot, report, runtime, asksAll: mayAsk(options, runtime) && options.yes !== true };
  const setup = await gather(guide).catch(sayNothingWritten);
  if (setup === undefined) return showSandbox(guide);
  const support = textForSupport(setup);
  const files = [...(setup.rsa?.files ?? []), ...supportFile(support, guide)];
  const gone = await saveProfile(setup.planned, { store: setup.store, controlKey: setup.values.controlKey, files }, slot, runtime);
  const exit = await showDone({ setup, support, checked: await checkProfile(setup, guide) }, guide);
  report.warn(goneWords(gone));
  return exit;
}

function supportFile(text: string | undefined, { options, runtime }: Guide): readonly NewFile[] {
  if (text === undefined || options.supportText === undefined) return [];
  return [{ path: pathOf(options.supportText, runtime), text, mode: 0o644 }];
}

/** Whoever ends the questions wants to hear that nothing came of them. */
function sayNothingWritten(error: unknown): never {
  if (!isPaycliError(error) || (error.code !== 'INTERRUPTED' && error.code !== 'TERMINATED')) throw error;
  throw fail(error.code, { also: ', and nothing was written' });
}
