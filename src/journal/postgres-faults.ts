import { fail } from '../errors/index.js';

/** The code of a fault of the database; undefined for any other error. See `PostgresConnection`. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'postgres' in error ? String(error.postgres) : undefined;
}

const lost = /^(57P..|25P..|08...|53300|E[A-Z]+|LOST)$/;

/** The connection is gone, or cannot be made for now; what was not committed did not happen. */
export function isLost(error: unknown): boolean {
  return lost.test(codeOf(error) ?? '');
}

/** Another transaction was in the way, and nothing happened. */
export function isDisturbed(error: unknown): boolean {
  return /^(40001|40P01)$/.test(codeOf(error) ?? '');
}

/** Why, and what to do, by the first code that fits. */
const faults: readonly (readonly [code: RegExp, why: string, how: string])[] = [
  [/^ECONNREFUSED$/, 'nothing answers there', 'check that its server runs, and host and port'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'no host has that name', 'correct `journal` in the profile'],
  [/^28/, 'it did not accept the user or the password', 'correct `journal`, or the password in `journal-password`'],
  [/^3D000$/, 'the database does not exist', 'create it with `createdb`, or correct `journal`'],
  [/^42501$/, 'the role of this connection may not do this', 'have its owner grant what `paycli help batches` lists'],
  [/^(55000|25006)$/, 'it is a standby or read-only', 'name the primary server in `journal`'],
  [/^(57014|55P03)$/, 'it took too long to answer', 'see what keeps it busy, then repeat the command'],
  [/^53100$/, 'its disk is full', 'free some space there, then repeat the command'],
  [
    /^(ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/,
    'its certificate was not accepted',
    'name the file of its authority with ?sslrootcert=FILE in `journal`',
  ],
  [lost, 'no connection could be made, or it was lost', 'check that its server runs, then repeat the command'],
];

/** Without the text of the server, which may repeat what a row holds. A broken rule of the tables passes through. */
export function storageError(shown: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined || code.startsWith('23') || isDisturbed(error)) return error;
  const unnamed = [/^/, `it failed with code ${code}`, 'check the log of its server, then repeat the command'] as const;
  const [, why, how] = faults.find(([pattern]) => pattern.test(code)) ?? unnamed;
  return fail('STORAGE', { what: shown, why, how: `nothing more is sent; ${how}` }, { cause: error });
}
