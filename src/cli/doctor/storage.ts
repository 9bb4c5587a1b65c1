import { dirname, join } from 'node:path';
import { shellWord } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { boxName, boxPath } from '../box.js';
import { broken, type Found, foundError, pass, warn } from './finding.js';

const mebibyte = 1_048_576;
const little = 100 * mebibyte;
const least = 10 * mebibyte;

/** The folder of the journal: one's own, closed to others, writable, with room. */
export function findState({ files }: Runtime): Found {
  const folder = files.folders.state;
  const facts = files.facts(folder);
  // One name: what a killed doctor leaves, the next one removes.
  const trial = join(folder, '.doctor-trial');
  try {
    files.writeText(trial, 'x');
    files.remove(trial);
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'an error';
    return broken(
      `${folder} cannot be written to (${why}), so nothing that moves money can be sent`,
      'make it yours and writable, or set PAYCLI_STATE_DIR',
    );
  }
  if (facts?.ownedByUser === false) return broken(`${folder} belongs to another user`, 'set PAYCLI_STATE_DIR to a folder of your own');
  if (facts?.isOpenToOthers === true) return broken(`other users may write to ${folder}`, `run \`chmod 700 ${shellWord(folder)}\``);
  if (facts !== undefined && (facts.mode & 0o055) !== 0)
    return warn(`other users may look into ${folder}`, `run \`chmod 700 ${shellWord(folder)}\``);
  return room(folder, files.freeBytes(folder));
}

function room(folder: string, free: number | undefined): Found {
  if (free === undefined) return pass(`${folder} is writable`);
  const text = `${folder} has ${Math.floor(free / mebibyte)} MiB left`;
  if (free < least) return broken(text, 'make room: a payment is written down before it is sent');
  return free < little ? warn(text, 'make room soon') : pass(`${folder} is writable, ${Math.floor(free / mebibyte)} MiB left`);
}

/** The sandbox's file, as far as there is one. */
export async function findSandbox(runtime: Runtime): Promise<Found> {
  try {
    const path = boxPath(runtime);
    if (!runtime.files.exists(path)) return pass('none yet; it is made when first used');
    const database = (await runtime.database()).open(path);
    try {
      const [verdict] = Object.values(database.get('PRAGMA quick_check(1)') ?? {});
      if (verdict === 'ok') return pass(`${boxName(runtime)}, in ${dirname(path)}`);
      return broken(`${path} is damaged`, 'run `paycli sandbox reset --all`, which makes it anew');
    } finally {
      database.close();
    }
  } catch (error) {
    return foundError(error);
  }
}
