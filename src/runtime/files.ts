import {
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
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
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { fail } from '../errors/index.js';
import { hasCode } from './machine.js';
import type { Env, FileFacts, Files, Staged } from './ports.js';

export function openFiles(env: Env, { home, working }: Record<'home' | 'working', string | undefined>): Files {
  const folder = (own: string, below: string, xdg: string, usual: string) => {
    const given = env[own];
    if (given !== undefined && isAbsolute(given)) return join(given, below);
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
    // Found when they are asked for: what is wrong with one is an error of the command.
    folders: {
      get config() {
        return folder('PAYCLI_CONFIG_DIR', '', 'XDG_CONFIG_HOME', '.config');
      },
      get state() {
        return folder('PAYCLI_STATE_DIR', '', 'XDG_STATE_HOME', '.local/state');
      },
      get data() {
        return folder('PAYCLI_STATE_DIR', 'data', 'XDG_DATA_HOME', '.local/share');
      },
      // It may have been removed; then only relative paths have no meaning.
      working: working ?? '/',
      // As a shell reads ~ where there is none.
      home: home ?? '/',
    },
  };
}

export function facts(path: string): FileFacts | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const { mode, uid, gid, size } = found;
  // Windows has no such notion: there every file belongs to the user alone.
  const user = process.getuid?.();
  // By a group other than the owner's own, which has the same number and no other members.
  const isWritable = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid);
  return {
    mode: mode & 0o777,
    ownedByUser: user === undefined || uid === user,
    ownedByRoot: uid === 0,
    isWritableByOthers: user !== undefined && isWritable,
    isFile: found.isFile(),
    size,
  };
}

function readBytes(path: string, maxBytes = 1_048_576): Buffer {
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
      chmodSync(draft, mode);
      flush(draft);
      renameSync(draft, target);
      flush(dirname(target));
    },
    drop: () => rmSync(draft, { force: true }),
  };
}

function createText(path: string, text: string, mode = 0o600): void {
  makeFolder(dirname(path));
  writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  try {
    writeFileSync(path, text);
    chmodSync(path, mode);
    flush(path);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
  flush(dirname(path));
}

/** Makes what was written to a file, or a new name in a folder, survive a power cut. */
export function flush(path: string): void {
  // Windows flushes no folders, and no files that are open for reading.
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
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
