import type { FileFacts, Files } from '../runtime/ports.js';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  EILSEQ: 'is not UTF-8 text',
  EFBIG: 'is larger than 1 MiB',
  EISDIR: 'is not a regular file',
  EINVAL: 'is not a regular file',
  ELOOP: 'is a link that leads to itself',
  ENOENT: 'there is no such file',
  ENAMETOOLONG: 'no file can have such a name',
  ERR_INVALID_ARG_VALUE: 'no file can have such a name',
};

/** What a failed read means, in words. */
export function reasonOf(error: unknown): string {
  const code =
    typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
  return reasons[code] ?? `could not be read (${code})`;
}

/** The facts about a path; a path that may not be looked at throws what `refuse` makes of the reason. */
export function lookAt(path: string, files: Files, refuse: (why: string, cause: unknown) => Error): FileFacts | undefined {
  try {
    return files.facts(path);
  } catch (error) {
    throw refuse(reasonOf(error), error);
  }
}
