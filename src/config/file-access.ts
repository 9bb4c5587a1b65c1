import { isAbsolute, join, resolve } from 'node:path';
import { fail, type PaycliError } from '../errors/index.js';
import type { Files } from '../runtime/ports.js';
import { printable } from '../wire/redact.js';
import { secretIn } from '../wire/secret-names.js';

/** Resolves a written path: `~/` is the home folder, anything relative starts at `folder`. */
export function pathFrom(written: string, folder: string, home: string): string {
  if (written.startsWith('~/')) return join(home, written.slice(2));
  return isAbsolute(written) ? written : resolve(folder, written);
}

/** A name from outside, fit for a message: one line, no terminal control characters, limited in length. */
export function printableName(name: string): string {
  const secret = secretIn(name);
  if (secret !== undefined) return `(not shown: it looks like ${secret})`;
  const clean = printable(name.replace(/[\n\t]/g, ' '));
  return clean.length > 60 ? `${clean.slice(0, 60)}…` : clean;
}

/** A path fit for a message. A key in place of a path is not shown. */
export function shownPath(path: string): string {
  const parts = path.split('/');
  // A key in Base64 may contain slashes.
  const at = parts.findIndex((_, from) => secretIn(parts.slice(from).join('/')) !== undefined);
  return at < 0 ? path : [...parts.slice(0, at), printableName(parts.slice(at).join('/'))].join('/');
}

/**
 * The text of a secret in a file, byte for byte: a byte order mark in front is part of it. Throws as `readText` does.
 */
export function readSecretText(path: string, files: Pick<Files, 'readBytes'>, maxBytes?: number): string {
  return secretText(files.readBytes(path, maxBytes));
}

/** The same of bytes from elsewhere. */
export function secretText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw Object.assign(new Error('not UTF-8 text'), { code: 'EILSEQ' });
  }
}

/** What is odd about a secret and may be meant, in words that fit behind a name; undefined where nothing is. */
export function secretWarning(text: string): string | undefined {
  const isOdd = /^\s|\s$|^\uFEFF|\p{Cc}|^\w+=[^=]/u.test(text) || /^(["']).*\1$/.test(text);
  return isOdd ? 'has spaces, quotes, a name or control characters, which are part of the secret' : undefined;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  EILSEQ: 'is not UTF-8 text',
  EFBIG: 'is larger than 1 MiB',
  EISDIR: 'is not a regular file',
  EINVAL: 'is not a regular file',
  ENOENT: 'there is no such file',
};

/** What a failed read means, in words. */
export function reasonOf(error: unknown): string {
  const code =
    typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
      ? error.code
      : 'unknown error';
  return reasons[code] ?? `could not be read (${code})`;
}

/** The facts about a path; throws the error of `refuse` where they cannot be read. */
export function fileFacts(
  path: string,
  files: Files,
  refuse: (why: string, cause: unknown) => Error,
): ReturnType<Files['facts']> {
  try {
    return files.facts(path);
  } catch (error) {
    throw refuse(reasonOf(error), error);
  }
}

/** The error of a configuration file that cannot be used. */
export function invalidConfig(file: string, problems: string, cause?: unknown): PaycliError {
  return fail('CONFIG_INVALID', { file, problems }, { cause });
}

/** The facts about a configuration file or its folder. Throws CONFIG_INVALID where they cannot be read. */
export function factsOfConfig(path: string, files: Files): ReturnType<Files['facts']> {
  return fileFacts(path, files, (why, cause) => invalidConfig(path, why, cause));
}
