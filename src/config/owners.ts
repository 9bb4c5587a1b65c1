import { fail, shellWord } from '../errors/index.js';
import type { Files } from '../runtime/ports.js';
import { lookAt } from './reason.js';

/**
 * A configuration file says which key signs and where money is sent, so nobody but its user and root may be able to write it, or to put
 * another one in its place. Throws CONFIG_EXPOSED for the first of these paths where somebody could.
 */
export function checkOwners(file: string, folders: readonly string[], files: Files): void {
  for (const path of [file, ...folders]) {
    const facts = lookAt(path, files, (problems, cause) => fail('CONFIG_INVALID', { file: path, problems }, { cause }));
    if (facts === undefined) continue;
    if (!facts.ownedByUser && !facts.ownedByRoot) throw exposed(file, path, 'belongs to another user', 'make it your own, or remove it');
    if (facts.isOpenToOthers) throw exposed(file, path, 'may be changed by other users', `run \`chmod go-w ${shellWord(path)}\``);
  }
}

function exposed(file: string, path: string, why: string, how: string): Error {
  const about = path === file ? '' : `, the folder of ${file},`;
  return fail('CONFIG_EXPOSED', { path: `${path}${about}`, why, how });
}
