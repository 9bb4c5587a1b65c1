/**
 * Error codes of the operating system, and of PostgreSQL (SQLSTATE), after which the same statement may succeed later.
 */
const transientCodes: ReadonlySet<string> = new Set([
  // The server cannot be reached, or the connection broke.
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  // It is shutting down, crashed, is starting, or closed an idle session.
  ...['57P01', '57P02', '57P03', '57P05'],
  // A time limit for a statement, a lock or an idle transaction ran out.
  ...['57014', '55P03', '25P03'],
  // It is a standby that has not taken over yet.
  ...['55000', '25006'],
  // It has no connection left.
  '53300',
]);

/** SQLSTATE class 08: connection exceptions. */
const connectionException = /^08\w{3}$/;

/** How messages of the driver `pg` about lost connections begin; such errors have no code. */
const lostConnection =
  /^(Connection terminated|timeout e|Query read timeout|Client has encountered a connection error|Client was closed)/;

/** Whether the same statement may succeed later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string')
    return transientCodes.has(error.code) || connectionException.test(error.code);
  return lostConnection.test(error.message);
}
