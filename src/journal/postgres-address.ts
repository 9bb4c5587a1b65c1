import { fail } from '../errors/index.js';
import type { PostgresAddress } from '../runtime/ports.js';

/** An address of a shared journal, without its password, and as it may be shown. */
export interface JournalAddress extends Omit<PostgresAddress, 'password' | 'ca'> {
  /** The file of the authorities to trust instead of the usual ones. */
  readonly authorities: string | undefined;
  readonly shown: string;
}

const form = 'postgres://USER@HOST/DATABASE';

/**
 * Reads `postgres://user@host:port/database`, perhaps with `?sslrootcert=FILE`. The text is never repeated in a message: a
 * password may stand in it. Throws SECRET_UNREADABLE.
 */
export function readJournalAddress(text: string, profile: string): JournalAddress {
  const refuse = (why: string, how = `write it as ${form}`) =>
    fail('SECRET_UNREADABLE', { what: `the journal of profile ${profile}`, why, how, profile });
  if (!/^postgres(ql)?:\/\//i.test(text) || !URL.canParse(text)) throw refuse('it is no address of PostgreSQL');
  const url = new URL(text);
  if (url.password !== '' || url.searchParams.has('password'))
    throw refuse(
      'it has a password in its address, where logs and colleagues would see it',
      `take it out, change it on the server, and name where it is kept as \`journal-password\`, such as a file`,
    );
  for (const name of url.searchParams.keys())
    if (name !== 'sslrootcert') throw refuse('it has a parameter other than sslrootcert');
  const host = decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ''));
  const [user, database] = [decodeURIComponent(url.username), decodeURIComponent(url.pathname.slice(1))];
  if (host === '' || user === '' || database === '' || database.includes('/'))
    throw refuse('it needs a user, a host and a database');
  const port = url.port === '' ? 5432 : Number(url.port);
  // Without a certificate only where nobody else can listen.
  const tls = /^(127\.\d+\.\d+\.\d+|::1|localhost|\/.*)$/.test(host) ? 'none' : 'full';
  const authorities = url.searchParams.get('sslrootcert') || undefined;
  return {
    ...{ host, port, user, database, tls: authorities === undefined ? tls : 'full', authorities },
    shown: `postgres://${user}@${host}:${port}/${database}`,
  };
}
