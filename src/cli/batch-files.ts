import type { Fault } from '../batch/fault.js';
import { reasonOf } from '../config/reason.js';
import { fail, isPaycliError } from '../errors/index.js';
import type { Files } from '../runtime/ports.js';
import { oneLine } from './present/table.js';

// The last is a name with NUL in it.
const fileCodes = ['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'EINVAL', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'];

/** Reads a file that the user named; one that cannot be read is wrong usage. Throws USAGE. */
export async function reading<T>(file: string, command: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isPaycliError(error) || !(error instanceof Error) || !('code' in error) || !fileCodes.includes(String(error.code))) throw error;
    throw fail('USAGE', { why: `${oneLine(file)}: ${reasonOf(error)}`, command }, { cause: error });
  }
}

/** Its bytes. Throws as the port does where there is no such file. */
export function sizeOf(path: string, files: Pick<Files, 'facts'>): number {
  const facts = files.facts(path);
  if (facts === undefined) throw Object.assign(new Error(`${path} is not there`), { code: 'ENOENT' });
  return facts.size;
}

/** The error for a file with so many things wrong, of which these were kept. */
export function faultyFile(file: string, count: number, first: readonly Fault[], log?: string): Error {
  const lines = first.map(({ line, why }) => `line ${line}: ${why}`);
  const more = count > first.length ? [`and ${count - first.length} more`] : [];
  const problems = count === 1 ? (lines[0] ?? '') : listed(`${count} things are wrong`, [...lines, ...more]);
  const all = log === undefined ? '' : `. Everything that is wrong: ${log}`;
  return fail('BATCH_INVALID', {
    ...{ file: oneLine(file), problems, count, ...(log === undefined ? {} : { errors: log }) },
    how: `nothing was done; correct the file and repeat the command${all}`,
  });
}

export function listed(head: string, lines: readonly string[]): string {
  const [only] = lines;
  if (only !== undefined && lines.length === 1) return `${head}: ${only}`;
  return `${head}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
