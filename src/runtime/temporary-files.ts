import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemProcesses } from './processes.js';

// A temporary file is beside its target until it is complete: `.NAME.BOOT-NAMESPACE-PID-START.RANDOM`.
const temporaryPattern = /^\..+\.(?<machine>[0-9a-f]+-\d+)-(?<pid>\d+)-(?<started>\d+)\.[0-9a-f]{8}$/;
const dayMs = 86_400_000;

/** A unique name for the temporary file of a file, which names the process that writes it. */
export function temporaryName(name: string): string {
  const { pid, identity } = systemProcesses;
  const random = process.getBuiltinModule('node:crypto').randomBytes(4).toString('hex');
  return `.${name}.${machine()}-${pid}-${identity.started ?? 0}.${random}`;
}

/** Boot and namespace, within which a pid is unique; 0-0 where the system does not say. */
function machine(): string {
  const { boot = '', namespace = '' } = systemProcesses.identity;
  return `${boot.slice(0, 8) || 0}-${/\d+/.exec(namespace)?.[0] ?? 0}`;
}

/**
 * Removes the temporary files in a folder that killed processes left behind: at once when their process has certainly
 * ended, else when they were not written to for a day. Never throws: they only take space.
 */
export function removeAbandonedFiles(folder: string, now: number): void {
  try {
    for (const name of readdirSync(folder))
      if (isAbandoned(join(folder, name), name, now)) rmSync(join(folder, name), { force: true });
  } catch {}
}

function isAbandoned(path: string, name: string, now: number): boolean {
  const writer = temporaryPattern.exec(name)?.groups;
  if (writer === undefined) return false;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return false;
  const isHere = writer['machine'] === machine() && systemProcesses.identity.started !== undefined;
  if (!isHere) return now - found.mtimeMs > dayMs;
  return systemProcesses.startOf(Number(writer['pid'])) !== writer['started'];
}
