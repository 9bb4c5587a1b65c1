import { fail } from '../../errors/index.js';
import type { Processes } from '../../runtime/ports.js';
import { broken, type Found, pass } from './finding.js';

export const testedLines = 'Node 20.19 or later, 22 or 24';

type Engine = Pick<Processes, 'engine' | 'nodeVersion'>;

/** True for the lines on which a lost reply was seen to be one request on the wire. */
function isTested({ engine, nodeVersion }: Engine): boolean {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  return engine === 'Node' && ((major === 20 && minor >= 19) || major === 22 || major === 24);
}

function nameOf({ engine, nodeVersion }: Engine): string {
  return engine === 'Node' ? `Node ${nodeVersion}` : `${engine} (as Node ${nodeVersion})`;
}

/** Stands before everything that moves money. Throws RUNTIME_UNTESTED. */
export function checkEngine(processes: Engine): void {
  if (!isTested(processes)) throw fail('RUNTIME_UNTESTED', { engine: nameOf(processes), tested: testedLines });
}

export function findEngine(processes: Processes): Found {
  const name = `${nameOf(processes)}, ${processes.platform}`;
  if (isTested(processes)) return pass(name);
  return broken(`${name} is not tested with paycli, so what moves money is refused`, `use ${testedLines}`);
}
