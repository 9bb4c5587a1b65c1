import { join } from 'node:path';
import { fail } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';
import type { World } from '../sandbox/index.js';

/** The sandbox named `default`: one database file in the data folder, shared by all commands. */
export function boxPath(runtime: Runtime): string {
  return join(runtime.files.folders.data, 'sandbox', 'default.db');
}

export const defaultPort = 8484;
/** Where hosted pages will be found once `sandbox start` listens on its usual port. */
export const defaultPages = `http://127.0.0.1:${defaultPort}`;

/** The sandbox's world together with the file it lives in. */
export interface Box extends World {
  close(): void;
}

export async function openBox(runtime: Runtime): Promise<Box> {
  const database = (await runtime.database()).open(boxPath(runtime));
  const { openWorld } = await import('../sandbox/index.js');
  const world = openWorld({ database, clock: runtime.clock, random: runtime.random });
  return { ...world, close: () => database.close() };
}

/** The sandbox that listens for this user, if one does. */
export interface Listening {
  readonly pid: number;
  readonly url: string;
}

function listeningPath(runtime: Runtime): string {
  return join(runtime.files.folders.data, 'sandbox', 'default.listening.json');
}

export function noteListening(listening: Listening, runtime: Runtime): void {
  runtime.files.writeText(listeningPath(runtime), `${JSON.stringify(listening)}\n`);
}

export function forgetListening(runtime: Runtime): void {
  runtime.files.remove(listeningPath(runtime));
}

/** Reads the note of a listening sandbox; undefined when there is none or its process is gone. */
export function findListening(runtime: Runtime): Listening | undefined {
  const path = listeningPath(runtime);
  if (!runtime.files.exists(path)) return undefined;
  try {
    const note: unknown = JSON.parse(runtime.files.readText(path));
    if (!isListening(note)) return undefined;
    return runtime.processes.isAlive(note.pid) ? note : undefined;
  } catch (cause) {
    throw fail('STORAGE', { what: path, why: 'it cannot be read', how: 'remove it' }, { cause });
  }
}

function isListening(note: unknown): note is Listening {
  return (
    typeof note === 'object' &&
    note !== null &&
    'pid' in note &&
    'url' in note &&
    typeof note.pid === 'number' &&
    typeof note.url === 'string'
  );
}
