import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { fail, type PaycliError } from '../errors/index.js';
import type { Files } from '../runtime/ports.js';
import { type ConfigText, readConfigFile } from './config-file.js';
import { type ConfigContent, contentOf, fieldNamed, isDescriptive } from './content.js';
import { fileFacts, reasonOf } from './file-access.js';
import { isMapping, type Mapping, nameOf, sanitizeConfig } from './sanitize.js';
import { invalidFile } from './schema.js';

/** One file as the user trusts it: its path and its content. */
export interface TrustedFile {
  readonly file: string;
  /** SHA-256 of the text, in hexadecimal. */
  readonly digest: string;
}

/** What a configuration file of this run says. */
export interface FoundContent extends ConfigContent {
  /** True for the user's own file, and for a project file that the user trusts with this content. */
  isTrusted(): boolean;
}

/**
 * The keys of a project file that need trust: connections, keys, addresses, assumptions, and defaults that are not only
 * descriptive.
 */
export function guardedKeys(data: Mapping): string[] {
  const profiles = data['profiles'];
  const inProfiles = isMapping(profiles)
    ? Object.entries(profiles).flatMap(([name, profile]) => keysBelow(['profiles', name], profile))
    : [];
  const defaults = data['defaults'];
  const inDefaults = isMapping(defaults)
    ? Object.keys(defaults)
        .filter(isGuardedDefault)
        .map((name) => nameOf(['defaults', name]))
    : [];
  const isBare = profiles !== undefined && inProfiles.length === 0;
  return [...(isBare ? ['profiles'] : inProfiles), ...inDefaults];
}

/** Throws CONFIG_UNTRUSTED, or CONFIG_INVALID for what is not allowed in a trusted file either. */
export function checkTrust(text: ConfigText, files: Files): void {
  const { data, problems } = sanitizeConfig(text.data);
  if (problems.length > 0) throw invalidFile(text.path, problems);
  const keys = guardedKeys(data);
  if (keys.length === 0 || isTrusted(text, files)) return;
  const first = keys.slice(0, 12).join(', ');
  throw fail('CONFIG_UNTRUSTED', {
    file: text.path,
    keys: keys.length > 12 ? `${first} and ${keys.length - 12} more` : first,
  });
}

/**
 * Trusts a file as it is now; the first change to it ends that. Throws CONFIG_INVALID for a file that could not be used
 * anyway. `keys` are what the file may set from now on.
 */
export function trustFile(path: string, files: Files): TrustedFile & { readonly keys: readonly string[] } {
  const text = readConfigFile(resolve(files.folders.working, path), files);
  contentOf(text, 'project', files);
  const entry = { file: text.path, digest: digestOf(text.text) };
  writeTrusted([...trustedFiles(files).filter(({ file }) => file !== entry.file), entry], files);
  return { ...entry, keys: guardedKeys(sanitizeConfig(text.data).data) };
}

/** Ends the trust in a file; false when there was none. */
export function distrustFile(path: string, files: Files): boolean {
  const known = trustedFiles(files);
  const left = known.filter(({ file }) => file !== resolve(files.folders.working, path));
  if (left.length < known.length) writeTrusted(left, files);
  return left.length < known.length;
}

/** Every trusted file. Throws STORAGE when the list is unreadable, or others could have written it. */
export function trustedFiles(files: Files): TrustedFile[] {
  const path = listPath(files);
  const facts = fileFacts(path, files, (why, cause) => unreadable(path, why, cause));
  if (facts === undefined) return [];
  if (!facts.isFile) throw fail('trustListNotAFile', { what: path });
  if (!facts.ownedByUser || facts.isWritableByOthers) throw fail('trustListOpenToOthers', { what: path });
  let list: unknown;
  try {
    list = JSON.parse(files.readText(path));
  } catch (error) {
    throw error instanceof SyntaxError
      ? fail('trustListDamaged', { what: path }, { cause: error })
      : unreadable(path, reasonOf(error), error);
  }
  const entries = isMapping(list) ? list['files'] : undefined;
  if (!Array.isArray(entries) || !entries.every(isEntry)) throw fail('trustListDamaged', { what: path });
  return entries;
}

function isTrusted(text: ConfigText, files: Files): boolean {
  const digest = digestOf(text.text);
  return trustedFiles(files).some((entry) => entry.file === text.path && entry.digest === digest);
}

function writeTrusted(entries: readonly TrustedFile[], files: Files): void {
  try {
    files.writeText(listPath(files), `${JSON.stringify({ files: entries }, null, 2)}\n`, 0o600);
  } catch (error) {
    throw fail('trustListNotWritten', { what: listPath(files) }, { cause: error });
  }
}

function keysBelow(path: readonly string[], profile: unknown): string[] {
  if (!isMapping(profile) || Object.keys(profile).length === 0) return [nameOf(path)];
  return Object.keys(profile).map((key) => nameOf([...path, key]));
}

// A name that is no field is reported by the schema check.
function isGuardedDefault(name: string): boolean {
  const field = fieldNamed(name);
  return field !== undefined && !isDescriptive(field);
}

function isEntry(entry: unknown): entry is TrustedFile {
  return isMapping(entry) && typeof entry['file'] === 'string' && typeof entry['digest'] === 'string';
}

function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function listPath(files: Files): string {
  return join(files.folders.state, 'trust.json');
}

function unreadable(what: string, why: string, cause: unknown): PaycliError {
  return fail('trustListUnreadable', { what, why }, { cause });
}

/**
 * Reads and checks one file; a project file's guarded keys need trust. `folders` are those that others may not write,
 * besides the file. Loaded only when there is a file.
 */
export function readTrustedContent(
  path: string,
  kind: 'user' | 'project',
  files: Files,
  folders?: readonly string[],
): FoundContent {
  const text = readConfigFile(path, files, folders);
  if (kind === 'project') checkTrust(text, files);
  return { ...contentOf(text, kind, files), isTrusted: () => kind === 'user' || isTrusted(text, files) };
}
