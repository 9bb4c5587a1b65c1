import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const lock = join(root, 'node_modules/.cache/paycli-e2e-build');

let ready: Promise<string> | undefined;

/** The path of the program as users run it. Built first when a source is newer than the build. */
export function program(): Promise<string> {
  ready ??= buildIfStale().then(() => join(root, 'bin/paycli.js'));
  return ready;
}

/** Test files run in processes of their own: the first one builds, the others wait for it. */
async function buildIfStale(): Promise<void> {
  while (isStale()) {
    if (!takeLock()) {
      await pause(100);
      continue;
    }
    try {
      if (isStale()) await promisify(execFile)(process.execPath, ['.ci/build.mjs'], { cwd: root });
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
}

function isStale(): boolean {
  const built = changedAt(join(root, 'dist/paycli.cjs'));
  return newestIn(join(root, 'src')) > built;
}

function newestIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Math.max(...files.map((entry) => changedAt(join(entry.parentPath, entry.name))));
}

/** 0 for a file that is not there. */
function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Making a folder succeeds for one process only. A lock whose owner is gone is removed. */
function takeLock(): boolean {
  mkdirSync(join(lock, '..'), { recursive: true });
  try {
    mkdirSync(lock);
  } catch {
    if (!isHeld()) rmSync(lock, { recursive: true, force: true });
    return false;
  }
  writeFileSync(join(lock, 'owner'), String(process.pid));
  return true;
}

function isHeld(): boolean {
  try {
    process.kill(Number(readFileSync(join(lock, 'owner'), 'utf8')), 0);
    return true;
  } catch (error) {
    // Between the folder and the file in it there is a moment without an owner.
    const isNew = Date.now() - changedAt(lock) < 5000;
    return isNew || (error instanceof Error && 'code' in error && error.code === 'EPERM');
  }
}

/** A word for the shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
