import { pathFrom, readSecretText } from '../../../config/file-access.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type PublicKey, readPublicKey } from '../../../signing/index.js';
import type { Reporter } from '../../core/reporter.js';
import { readOr, sourceOf } from '../../core/text-input.js';

/**
 * A text of the other side: a byte order mark at its beginning and one line end behind it, which editors and shells
 * put there, are left out and told. Throws TEXT_INVALID.
 */
export async function readTheirText(path: string, report: Reporter, runtime: Runtime): Promise<string> {
  const { files, terminal } = runtime;
  const whole =
    path === '-'
      ? await terminal.readStdin({ withMark: true })
      : readOr(
          () => readSecretText(pathFrom(path, files.folders.working, files.folders.home), files),
          (why) => fail('TEXT_INVALID', { field: sourceOf(path), why }),
        );
  const text = whole.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
  const left = [whole.startsWith('\uFEFF') ? 'a byte order mark' : '', /\n$/.test(whole) ? 'a line end' : ''];
  const told = left.filter((each) => each !== '').join(' and ');
  if (told !== '')
    report.notes([`left out of theirs before comparing: ${told}; if it is signed as well, that is a mistake`]);
  return text;
}

/** A public key in PEM. Throws SECRET_UNREADABLE or KEY_UNUSABLE. */
export function readPublicKeyFile(path: string, { files }: Runtime): PublicKey {
  const text = readOr(
    () => readSecretText(pathFrom(path, files.folders.working, files.folders.home), files),
    (why) =>
      fail('SECRET_UNREADABLE', { what: sourceOf(path), why, how: 'name a file that holds the key and nothing else' }),
  );
  return readPublicKey(text, sourceOf(path));
}
