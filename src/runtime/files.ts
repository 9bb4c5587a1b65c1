import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { fail } from '../errors/index.js';
import { hasCode } from './machine.js';
import type { Env, FileFacts, Files, Staged } from './ports.js';

const mebibyte = 1_048_576;

export function openFiles(env: Env, { home, working }: Record<'home' | 'working', string | undefined>): Files {
  // By the XDG rules a relative value is ignored.
  const usual = (name: string, below: string) => {
    const value = env[name];
    if (value !== undefined && isAbsolute(value)) return join(value, 'paycli');
    return home === undefined ? undefined : join(home, below, 'paycli');
  };
  const own = (name: string, below = '') => {
    const value = env[name];
    if (value === undefined) return undefined;
    if (isAbsolute(value)) return join(value, below);
    throw fail('ENVIRONMENT_INVALID', { problems: `${name} is empty or a relative path`, how: 'make it absolute' });
  };
  return {
    exists: existsSync,
    facts,
    readText(path, maxBytes) {
      const bytes = readBytes(path, maxBytes);
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      } catch {
        throw refuse('EILSEQ', `${path} is not UTF-8 text`);
      }
    },
    readBytes,
    pieces,
    readDescriptor: (descriptor) => readFileSync(descriptor),
    writeText,
    createText,
    stage,
    remove: (path) => rmSync(path, { force: true }),
    scratch() {
      const path = mkdtempSync(join(tmpdir(), 'paycli-'));
      // A program that was just ended may still have a file open.
      return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }) };
    },
    list: (folder) => (existsSync(folder) ? readdirSync(folder).sort() : []),
    isOnNetwork,
    // Found when they are asked for: what is wrong with one is an error of the command.
    folders: {
      get config() {
        const usually = own('PAYCLI_CONFIG_DIR') ?? usual('XDG_CONFIG_HOME', '.config');
        return needed(usually ?? own('PAYCLI_STATE_DIR', 'config'));
      },
      get state() {
        return needed(own('PAYCLI_STATE_DIR') ?? usual('XDG_STATE_HOME', '.local/state'));
      },
      get data() {
        return needed(own('PAYCLI_STATE_DIR', 'data') ?? usual('XDG_DATA_HOME', '.local/share'));
      },
      // It may have been removed; then only relative paths have no meaning.
      working: working ?? '/',
      // As a shell reads ~ where there is none.
      home: home ?? '/',
    },
  };
}

function needed(folder: string | undefined): string {
  if (folder !== undefined) return folder;
  throw fail('ENVIRONMENT_INVALID', {
    problems: 'this user has no home folder, where paycli would keep its files',
    how: 'set HOME or PAYCLI_STATE_DIR',
  });
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
  };
}

/** Windows has no such notion, so there every file belongs to the user. */
export function isOwnedByUser({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

/** By everybody, or by a group other than the owner's own, which has the same number and no other members. */
export function isWritableByOthers({ mode, uid, gid }: Stats): boolean {
  return process.getuid !== undefined && ((mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid));
}

function readBytes(path: string, maxBytes = mebibyte): Buffer {
  const read: Uint8Array[] = [];
  let total = 0;
  // The size of a growing or special file says nothing.
  for (const piece of pieces(path)) {
    total += piece.length;
    if (total > maxBytes) throw refuse('EFBIG', `${path} is larger than ${maxBytes} bytes`);
    read.push(piece);
  }
  return Buffer.concat(read);
}

function* pieces(path: string, from = 0): Generator<Uint8Array> {
  // Without O_NONBLOCK, opening a FIFO waits for a writer that may never come.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(descriptor);
    if (found.isDirectory()) throw refuse('EISDIR', `${path} is a folder`);
    if (!found.isFile()) throw refuse('EINVAL', `${path} is not a regular file`);
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

function refuse(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function writeText(path: string, text: string, mode?: number): void {
  const staged = stage(path, mode);
  try {
    staged.write(text);
    staged.keep();
  } catch (error) {
    staged.drop();
    throw error;
  }
}

function stage(path: string, mode = 0o600): Staged {
  // A rename onto a link would replace the link, not the file it leads to.
  const target = existsSync(path) ? realpathSync(path) : path;
  makeFolder(dirname(target));
  const random = process.getBuiltinModule('node:crypto').randomBytes(4).toString('hex');
  const draft = join(dirname(target), `.${basename(target)}.paycli-${random}`);
  writeFileSync(draft, '', { flag: 'wx', mode: 0o600 });
  return {
    write: (content) => appendFileSync(draft, content),
    keep() {
      flushFile(draft, mode);
      renameSync(draft, target);
      flushFolder(dirname(target));
    },
    drop: () => rmSync(draft, { force: true }),
  };
}

function createText(path: string, text: string, mode = 0o600): void {
  makeFolder(dirname(path));
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    flushFile(path, mode);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) rmSync(path, { force: true });
    throw error;
  }
  flushFolder(dirname(path));
}

function flushFile(path: string, mode: number): void {
  const descriptor = openSync(path, 'r+');
  try {
    fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
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

/**
 * Makes a folder and those above it, mode 0700. Not by the `recursive` option: under a file system that answers ENOENT
 * to mkdir, as /proc does, Node never comes back from it.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was first.
    if (!hasCode(error, 'EEXIST')) throw error;
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
