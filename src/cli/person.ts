import type { Runtime } from '../runtime/ports.js';

/** The user of this machine, by name. */
export function personAt({ env }: Runtime): string {
  return env['USER'] ?? env['USERNAME'] ?? 'unknown';
}
