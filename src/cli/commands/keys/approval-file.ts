import type { ApprovalFacts } from '../../../batch/plan/approval.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { pathOf } from './key-files.js';

/** Writes an approval for the account that asked for it, never over another file. Throws USAGE. */
export function writeApproval(
  file: string,
  document: { readonly schema: string } & ApprovalFacts,
  command: string,
  runtime: Pick<Runtime, 'files'>,
): void {
  try {
    // Nothing of it is secret, and the account that asked has to read it.
    runtime.files.createText(pathOf(file, runtime), `${JSON.stringify(document)}\n`, 0o644);
  } catch (cause) {
    throw fail(
      'USAGE',
      { why: `--approval-file: ${file} cannot be written, or already exists`, file, command },
      { cause },
    );
  }
}

/** What an approval says; whether it is valid is not checked here. Throws USAGE. */
export function readApproval(
  file: string,
  expectedSchema: string,
  command: string,
  runtime: Pick<Runtime, 'files'>,
): ApprovalFacts {
  const { schema, ...facts } = readMembers(file, command, runtime);
  if (schema === expectedSchema) return facts;
  throw fail('USAGE', { why: `--approval-file: ${file} is not an approval`, file, command });
}

// An approval has a few hundred bytes.
const maxBytes = 65_536;

/** The members of the file, none of them checked. Throws USAGE. */
function readMembers(
  file: string,
  command: string,
  runtime: Pick<Runtime, 'files'>,
): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(runtime.files.readText(pathOf(file, runtime), maxBytes));
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
  } catch (cause) {
    throw fail('USAGE', { why: `--approval-file: ${file} cannot be read as an approval`, file, command }, { cause });
  }
}
