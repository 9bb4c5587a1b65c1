import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isOwnedByUser, isWritableByOthers } from './file-permissions.js';
import { type BaseFolders, needed, ownFolders } from './folders.js';
import type { Env, FileFacts, Files, Staged } from './ports.js';

const mebibyte = 1_048_576;

export function openFiles(env: Env, places: BaseFolders): Files {
  let known: ReturnType<typeof ownFolders> | undefined;
  // When it is asked for: what is wrong with a folder is an error of the command.
  const found = () => {
    known ??= ownFolders(env, places);
    return known;
  };
  const swept = new Set<string>();
  // Once for each of paycli's own folders; elsewhere nothing is removed that this process did not make.
  const sweepOnce = (path: string) => {
    const folder = dirname(path);
    const isOurs = Object.values(found()).some((each) => folder === each || folder.startsWith(`${each}/`));
    if (!isOurs || swept.has(folder)) return;
    swept.add(folder);
    removeAbandoned(folder);
  };
  return {
    exists: existsSync,
    facts,
    readText,
    readBytes,
    pieces,
    readDescriptor: (descriptor) =>
      decode(readAll(descriptor, mebibyte, `descriptor ${descriptor}`), `descriptor ${descriptor}`, true),
    writeText(path, text, mode, changedAt) {
      sweepOnce(path);
      writeText(path, text, mode, changedAt);
    },
    createText,
    stage(path, mode) {
      sweepOnce(path);
      return stage(path, mode);
    },
    remove: (path) => rmSync(path, { force: true }),
    scratch() {
      const path = mkdtempSync(join(tmpdir(), 'paycli-'));
      // A program that was just ended may still have a file open.
      return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }) };
    },
    list: (folder) => (existsSync(folder) ? readdirSync(folder).sort() : []),
    freeBytes,
    isOnNetwork,
    folders: {
      get config() {
        return needed(found().config);
      },
      get state() {
        return needed(found().state);
      },
      get data() {
        return needed(found().data);
      },
      working: places.working,
      // As a shell reads ~ where there is none.
      home: places.home ?? '/',
    },
  };
}

function facts(path: string): FileFacts | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  return {
    mode: found.mode & 0o777,
    ownedByUser: isOwnedByUser(found),
    ownedByRoot: found.uid === 0,
    isWritableByOthers: isWritableByOthers(found),
    isFile: found.isFile(),
    size: found.size,
    changedAt: Math.floor(found.mtimeMs),
  };
}

function readText(path: string, maxBytes = mebibyte): string {
  return decode(readBytes(path, maxBytes), path);
}

function readBytes(path: string, maxBytes = mebibyte): Buffer {
  const { descriptor, size } = openPlain(path);
  try {
    if (size > maxBytes) throw refuse('EFBIG', `${path} is larger than ${maxBytes} bytes`);
    return readAll(descriptor, maxBytes, path);
  } finally {
    closeSync(descriptor);
  }
}

function* pieces(path: string, from = 0): Generator<Uint8Array> {
  const { descriptor } = openPlain(path);
  try {
    for (let at = from; ; ) {
      const piece = Buffer.allocUnsafe(65_536);
      const count = readSync(descriptor, piece, 0, piece.length, at);
      if (count === 0) return;
      at += count;
      yield piece.subarray(0, count);
    }
  } finally {
    closeSync(descriptor);
  }
}

function openPlain(path: string): { readonly descriptor: number; readonly size: number } {
  // Without O_NONBLOCK, opening a FIFO waits for a writer that may never come.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(descriptor);
    if (found.isDirectory()) throw refuse('EISDIR', `${path} is a folder`);
    if (!found.isFile()) throw refuse('EINVAL', `${path} is not a regular file`);
    return { descriptor, size: found.size };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Reads to the end and counts, since the size of a growing or special file says nothing. */
function readAll(descriptor: number, maxBytes: number, name: string): Buffer {
  const pieces: Buffer[] = [];
  let total = 0;
  for (;;) {
    const piece = Buffer.allocUnsafe(65_536);
    const count = readSome(descriptor, piece);
    if (count === 0) return Buffer.concat(pieces);
    total += count;
    if (total > maxBytes) throw refuse('EFBIG', `${name} is larger than ${maxBytes} bytes`);
    pieces.push(piece.subarray(0, count));
  }
}

function readSome(descriptor: number, piece: Buffer): number {
  for (;;) {
    try {
      return readSync(descriptor, piece, 0, piece.length, null);
    } catch (error) {
      // A pipe may be non-blocking because another process made it so.
      if (!hasCode(error, 'EAGAIN')) throw error;
      sleepSync();
    }
  }
}

function decode(bytes: Buffer, name: string, ignoreBOM = false): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM }).decode(bytes);
  } catch {
    throw refuse('EILSEQ', `${name} is not UTF-8 text`);
  }
}

/** Atomic: a reader sees the old text or the new one, never a part, whenever the machine stops. */
function writeText(path: string, text: string, mode = 0o600, changedAt?: number): void {
  const staged = stage(path, mode, changedAt);
  try {
    staged.write(text);
    staged.keep();
  } catch (error) {
    staged.drop();
    throw error;
  }
}

function stage(path: string, mode = 0o600, changedAt?: number): Staged {
  // A rename onto a link would replace the link, not the file it leads to.
  const target = existsSync(path) ? realpathSync(path) : path;
  const made = makeFolder(dirname(target));
  const random = process.getBuiltinModule('node:crypto').randomBytes(4).toString('hex');
  const draft = join(dirname(target), `.${basename(target)}.paycli-${random}`);
  const descriptor = withFolders(made, () => openSync(draft, 'wx', 0o600));
  let isOpen = true;
  const close = () => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
  return {
    write: (content) => writeFileSync(descriptor, content),
    keep() {
      finish(descriptor, mode, changedAt);
      close();
      renameSync(draft, target);
      flushFolder(dirname(target));
    },
    drop() {
      close();
      rmSync(draft, { force: true });
      removeEmpty(made);
    },
  };
}

const dayMs = 86_400_000;

/** Removes what killed processes left half written a day ago or earlier. Never throws: it only takes space. */
function removeAbandoned(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const isDraft = /^\..+\.paycli-[0-9a-f]{8}$/.test(name);
      if (isDraft && Date.now() - statSync(path).mtimeMs > dayMs) rmSync(path, { force: true });
    }
  } catch {}
}

/** A whole new file or none. */
function createText(path: string, text: string, mode = 0o600): void {
  const made = makeFolder(dirname(path));
  const descriptor = withFolders(made, () => openSync(path, 'wx', 0o600));
  try {
    writeFileSync(descriptor, text);
    finish(descriptor, mode);
  } catch (error) {
    rmSync(path, { force: true });
    removeEmpty(made);
    throw error;
  } finally {
    closeSync(descriptor);
  }
  flushFolder(dirname(path));
}

function finish(descriptor: number, mode: number, changedAt?: number): void {
  fchmodSync(descriptor, mode);
  if (changedAt !== undefined) futimesSync(descriptor, changedAt / 1000, changedAt / 1000);
  fsyncSync(descriptor);
}

function freeBytes(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

// As statfs(2) of Linux numbers them: NFS, SMB, CIFS, SMB 2, AFS, Ceph, Lustre, GFS 2, Coda, shared folders of VirtualBox.
const networkTypes = new Set([
  ...[0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400, 0x0bd00bd0, 0x01161970, 0x73757245, 0x786f4256],
]);

function isOnNetwork(path: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return networkTypes.has(statfsSync(path).type >>> 0);
  } catch {
    return dirname(path) !== path && isOnNetwork(dirname(path));
  }
}

/** Makes a new name in a folder survive a power cut. */
export function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Waits 10 ms synchronously. */
export function sleepSync(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function refuse(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/**
 * Makes a folder and those above it, mode 0700, and gives those that were not there, outermost first. Not by the
 * `recursive` option: under a file system that answers ENOENT to mkdir, as /proc does, Node never comes back from it.
 */
export function makeFolder(path: string): readonly string[] {
  if (existsSync(path)) return [];
  const above = dirname(path) === path ? [] : makeFolder(dirname(path));
  try {
    withFolders(above, () => mkdirSync(path, { mode: 0o700 }));
  } catch (error) {
    // Another process was first.
    if (!hasCode(error, 'EEXIST')) throw error;
    return above;
  }
  return [...above, path];
}

/** Removes the folders again if what they were made for fails. */
function withFolders<T>(made: readonly string[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    removeEmpty(made);
    throw error;
  }
}

/** A folder that another process uses by now stays. */
function removeEmpty(made: readonly string[]): void {
  try {
    for (const folder of made.toReversed()) rmdirSync(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].some((code) => hasCode(error, code))) throw error;
  }
}
