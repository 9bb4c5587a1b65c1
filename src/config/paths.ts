import { isAbsolute, join, resolve } from 'node:path';
import { printable } from '../wire/redact.js';
import { secretIn } from '../wire/secret-names.js';

/** A path as it was written: `~/` is the home folder, anything relative starts at `folder`. */
export function pathFrom(written: string, folder: string, home: string): string {
  if (written.startsWith('~/')) return join(home, written.slice(2));
  return isAbsolute(written) ? written : resolve(folder, written);
}

/** A path below the home folder as people write it. */
export function homely(path: string, home: string): string {
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** A name that came from outside, fit for a message: one line, nothing that could steer a terminal, and not endless. */
export function shown(name: string): string {
  const secret = secretIn(name);
  if (secret !== undefined) return `(not shown, for it looks like ${secret})`;
  const clean = printable(name.replace(/[\n\t]/g, ' '));
  return clean.length > 60 ? `${clean.slice(0, 60)}…` : clean;
}
