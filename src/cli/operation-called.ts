import { fail, suggest } from '../errors/index.js';
import { allOperations, operationNamed, operations } from '../spec/index.js';

/** The operation of this name. Throws USAGE naming the nearest one; `command` is the one to read about. */
export function operationCalled(name: string, command: string): (typeof operations)[number] {
  const row = operations.find((candidate) => candidate === operationNamed(name));
  if (row !== undefined) return row;
  const shown = /\d{6}/.test(name) ? 'of that name' : name.slice(0, 40);
  throw fail('USAGE', { why: `there is no operation ${shown}${operationHint(name)}`, command });
}

/** What to add about a word that is no operation. */
export function operationHint(name: string): string {
  const known = allOperations.flatMap(({ command, aliases, id }) => [command, ...(aliases ?? []), id]);
  return suggest(name, known, '; `paycli --help` lists them');
}
