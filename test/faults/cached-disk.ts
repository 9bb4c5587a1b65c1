import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Call } from './calls.js';

interface File {
  bytes: Buffer;
  flushed: Buffer;
}

export type Files = ReadonlyMap<string, Buffer>;

/** What of the names and of the bytes is left: all that was written, or only what was flushed. */
export interface View {
  readonly names: 'written' | 'flushed';
  readonly bytes: 'written' | 'flushed';
}

/** Every file below a folder but the shared memory of SQLite, which is worth nothing after a power cut. */
export function filesBelow(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).filter((path) => !path.endsWith('-shm'));
  return new Map(paths.map((path) => [path, readFileSync(path)]));
}

export function writeFiles(files: Files): void {
  for (const [path, bytes] of files) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, bytes, { mode: 0o600 });
  }
}

/**
 * A disk with a cache, as POSIX allows one: the bytes of a file are there for good once it was flushed, its name once
 * its folder was.
 */
export class CachedDisk {
  readonly #root: string;
  readonly #names: Map<string, File>;
  readonly #flushed: Map<string, File>;

  /** Everything below the root is flushed at first. */
  constructor(root: string) {
    this.#root = `${root}/`;
    this.#names = new Map([...filesBelow(root)].map(([path, bytes]) => [path, { bytes, flushed: bytes }]));
    this.#flushed = new Map(this.#names);
  }

  files(view: View): Files {
    const names = view.names === 'written' ? this.#names : this.#flushed;
    return new Map([...names].map(([path, file]) => [path, view.bytes === 'written' ? file.bytes : file.flushed]));
  }

  apply(call: Call): void {
    if (call.kind === 'send' || !`${call.path}/`.startsWith(this.#root) || call.path.endsWith('-shm')) return;
    const file = this.#names.get(call.path);
    if (call.kind === 'flush' && file === undefined) this.#flushFolder(call.path);
    else if (call.kind === 'make')
      this.#names.set(call.path, file ?? { bytes: Buffer.alloc(0), flushed: Buffer.alloc(0) });
    else if (file !== undefined) this.#change(file, call);
  }

  #change(file: File, call: Exclude<Call, { kind: 'send' }>): void {
    if (call.kind === 'flush') file.flushed = file.bytes;
    if (call.kind === 'empty') file.bytes = Buffer.alloc(0);
    if (call.kind === 'resize') file.bytes = resized(file.bytes, call.size);
    if (call.kind === 'write') {
      file.bytes = resized(file.bytes, Math.max(file.bytes.length, call.at + call.bytes.length));
      call.bytes.copy(file.bytes, call.at);
    }
    if (call.kind === 'rename' || call.kind === 'remove') this.#names.delete(call.path);
    if (call.kind === 'rename') this.#names.set(call.to, file);
  }

  #flushFolder(folder: string): void {
    for (const path of this.#flushed.keys())
      if (dirname(path) === folder && !this.#names.has(path)) this.#flushed.delete(path);
    for (const [path, file] of this.#names) if (dirname(path) === folder) this.#flushed.set(path, file);
  }
}

/** A copy: those who hold the old bytes keep them. */
function resized(bytes: Buffer, size: number): Buffer {
  const copy = Buffer.alloc(size);
  bytes.copy(copy);
  return copy;
}
