import { pathFrom, printableName, reasonOf } from '../../config/file-access.js';
import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';

/** A text the user hands in; `-` is standard input. Throws TEXT_INVALID. */
export async function readInput(path: string, runtime: Runtime): Promise<string> {
  if (path === '-') return runtime.terminal.readStdin();
  const { files } = runtime;
  const read = () => files.readText(pathFrom(path, files.folders.working, files.folders.home));
  return readOr(read, (why) => fail('TEXT_INVALID', { field: sourceOf(path), why }));
}

/** How an input is called in messages. */
export function sourceOf(path: string): string {
  return path === '-' ? 'standard input' : `file ${printableName(path)}`;
}

/** What `read` gives; throws the error that `refuse` makes of the reason why it cannot. */
export function readOr<Read>(read: () => Read, refuse: (why: string) => Error): Read {
  try {
    return read();
  } catch (error) {
    throw refuse(reasonOf(error));
  }
}
