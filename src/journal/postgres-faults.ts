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

interface Fault {
  readonly code: RegExp;
  readonly why: string;
  readonly how: string;
}

const faults: readonly Fault[] = [
  { code: /^ECONNREFUSED$/, why: 'nothing answers there', how: 'check that its server runs, and host and port' },
  { code: /^(ENOTFOUND|EAI_AGAIN)$/, why: 'no host has that name', how: 'correct `journal` in the profile' },
  {
    code: /^28/,
    why: 'it did not accept the user or the password',
    how: 'correct the user in `journal`, or the password in `journal-password`',
  },
  { code: /^3D000$/, why: 'the database does not exist', how: 'create it with `createdb`, or correct `journal`' },
  {
    code: /^42501$/,
    why: 'the role of this connection may not do this',
    how: 'have the owner of the tables grant it what `paycli help batches` lists',
  },
  { code: /^(55000|25006)$/, why: 'it is a standby or read-only', how: 'name the primary server in `journal`' },
  {
    code: /^(57014|55P03)$/,
    why: 'it took too long to answer',
    how: 'see what keeps it busy, then repeat the command',
  },
  { code: /^53100$/, why: 'its disk is full', how: 'free some space there, then repeat the command' },
  {
    code: /^(ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/,
    why: 'its certificate was not accepted',
    how: 'name the file of its authority with ?sslrootcert=FILE in `journal`',
  },
  {
    code: lost,
    why: 'no connection could be made, or it was lost',
    how: 'check that its server runs and accepts connections, then repeat the command',
  },
];

/** Without the text of the server, which may repeat what a row holds. A broken rule of the tables passes through. */
export function storageError(shown: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined || code.startsWith('23') || isDisturbed(error)) return error;
  const { why, how } = faults.find((fault) => fault.code.test(code)) ?? {
    why: `it failed with code ${code}`,
    how: 'check the log of its server, then repeat the command',
  };
  return fail('STORAGE', { what: shown, why, how: `nothing more is sent; ${how}` }, { cause: error });
}
