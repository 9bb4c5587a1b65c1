import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { fail } from '../errors/index.js';
import { type Env, hasCode } from './machine.js';

/** Reading throws an Error with a code such as ENOENT, EFBIG or EILSEQ (not UTF-8). */
export function openFiles(env: Env, { home, working }: Record<'home' | 'working', string | undefined>) {
  return {
    exists: (path: string): boolean => fs.existsSync(path),
    facts,
    readText,
    readBytes,
    pieces,
    readDescriptor: (descriptor: number): Uint8Array => fs.readFileSync(descriptor),
    writeText,
    createText,
    stage,
    remove: (path: string) => fs.rmSync(path, { force: true }),
    /** A new folder for temporary files. */
    scratch() {
      const path = fs.mkdtempSync(join(tmpdir(), 'paycli-'));
      // A program that was just ended may still have a file open.
      return { path, remove: () => fs.rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }) };
    },
    /** Sorted names; none when there is no such folder. */
    list: (folder: string): readonly string[] => (fs.existsSync(folder) ? fs.readdirSync(folder).sort() : []),
    isOnNetwork,
    // Found when they are asked for: what is wrong with one is an error of the command.
    folders: {
      get config() {
        return folderOf(env, home, ['PAYCLI_CONFIG_DIR', 'XDG_CONFIG_HOME', '.config']);
      },
      get state() {
        return folderOf(env, home, ['PAYCLI_STATE_DIR', 'XDG_STATE_HOME', '.local/state']);
      },
      // It may have been removed; then only relative paths have no meaning.
      working: working ?? '/',
      // As a shell reads ~ where there is none.
      home: home ?? '/',
    },
  };
}

function folderOf(env: Env, home: string | undefined, [own, xdg, usual]: readonly [string, string, string]): string {
  const given = env[own];
  if (given !== undefined && isAbsolute(given)) return given;
  if (given !== undefined)
    throw fail('ENVIRONMENT_INVALID', { problems: `${own} is empty or a relative path`, how: 'make it absolute' });
  // By the XDG rules a relative value is ignored.
  const base = env[xdg] ?? '';
  if (isAbsolute(base)) return join(base, 'paycli');
  if (home !== undefined) return join(home, usual, 'paycli');
  const state = env['PAYCLI_STATE_DIR'] ?? '';
  if (isAbsolute(state)) return join(state, 'config');
  const problems = 'this user has no home folder, where paycli would keep its files';
  throw fail('ENVIRONMENT_INVALID', { problems, how: 'set HOME or PAYCLI_STATE_DIR' });
}

/** Follows links. Undefined where there is nothing. */
export function facts(path: string) {
  const found = fs.statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const { mode, uid, gid, size } = found;
  // Windows has no such notion: there every file belongs to the user alone.
  const user = process.getuid?.() ?? uid;
  const others = process.getuid === undefined ? 0 : mode & 0o077;
  // A group with the number of the owner has no other members.
  const isWritable = (others & 0o002) !== 0 || ((others & 0o020) !== 0 && gid !== uid);
  return {
    /** Only this user can read or write it. */
    isPrivate: uid === user && others === 0,
    /** Nobody but this user and root can change it. */
    isTrusted: (uid === user || uid === 0) && !isWritable,
    isFile: found.isFile(),
    size,
  };
}

/** UTF-8 text without a byte order mark. */
function readText(path: string, maxBytes?: number): string {
  const bytes = readBytes(path, maxBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refuse('EILSEQ', `${path} is not UTF-8 text`);
  }
}

function readBytes(path: string, maxBytes = 1_048_576): Uint8Array {
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

/** The bytes of a plain file from an offset on. */
function* pieces(path: string, from = 0): Generator<Uint8Array> {
  // Without O_NONBLOCK, opening a FIFO waits for a writer that may never come.
  const descriptor = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  try {
    const found = fs.fstatSync(descriptor);
    if (found.isDirectory()) throw refuse('EISDIR', `${path} is a folder`);
    if (!found.isFile()) throw refuse('EINVAL', `${path} is not a regular file`);
    for (let at = from; ; ) {
      const piece = Buffer.allocUnsafe(65_536);
      const count = fs.readSync(descriptor, piece, 0, piece.length, at);
      if (count === 0) return;
      at += count;
      yield piece.subarray(0, count);
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

function refuse(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Atomic: a reader sees the old text or the new one, never a part, whenever the machine stops. */
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

/** A file written under another name until it is kept: then it replaces an older one in one step. */
function stage(path: string, mode = 0o600) {
  // A rename onto a link would replace the link, not the file it leads to.
  const target = fs.existsSync(path) ? fs.realpathSync(path) : path;
  makeFolder(dirname(target));
  const random = process.getBuiltinModule('node:crypto').randomBytes(4).toString('hex');
  const draft = join(dirname(target), `.${basename(target)}.paycli-${random}`);
  fs.writeFileSync(draft, '', { flag: 'wx', mode: 0o600 });
  return {
    write: (content: string | Uint8Array) => fs.appendFileSync(draft, content),
    keep() {
      fs.chmodSync(draft, mode);
      flush(draft);
      fs.renameSync(draft, target);
      flush(dirname(target));
    },
    drop: () => fs.rmSync(draft, { force: true }),
  };
}

/** Throws an Error with the code EEXIST when the name is taken. */
export function createText(path: string, text: string, mode = 0o600): void {
  makeFolder(dirname(path));
  try {
    fs.writeFileSync(path, text, { flag: 'wx', mode, flush: true });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) fs.rmSync(path, { force: true });
    throw error;
  }
  flush(dirname(path));
}

/** Makes what was written to a file, or a new name in a folder, survive a power cut. */
function flush(path: string): void {
  // Windows flushes no folders, and no files that are open for reading.
  if (process.platform === 'win32') return;
  const descriptor = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Makes a folder and those above it, mode 0700. */
function makeFolder(path: string): void {
  fs.mkdirSync(path, { recursive: true, mode: 0o700 });
}

// As statfs(2) of Linux numbers them: NFS, SMB, CIFS, SMB 2, AFS, Ceph, Lustre, GFS 2, Coda, shared folders of VirtualBox.
const networkTypes = new Set([
  ...[0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400, 0x0bd00bd0, 0x01161970, 0x73757245, 0x786f4256],
]);

function isOnNetwork(path: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return networkTypes.has(fs.statfsSync(path).type >>> 0);
  } catch {
    return dirname(path) !== path && isOnNetwork(dirname(path));
  }
}
