import { fail, type PaycliError } from '../../errors/index.js';

/** Where a PostgreSQL database is, and how far its certificate is checked. */
export interface DatabaseAddress {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly tls: 'none' | 'chain' | 'full';
  /** Path of the authorities to trust instead of the usual ones. */
  readonly authorities: string | undefined;
  /** Fit for messages. */
  readonly shown: string;
}

const sslModes: Readonly<Record<string, DatabaseAddress['tls']>> = { disable: 'none', 'verify-ca': 'chain', 'verify-full': 'full' };
const parameters = ['sslmode', 'sslrootcert'];

/** True for the text of an address of PostgreSQL. */
export function isDatabaseAddress(text: string): boolean {
  return /^postgres(ql)?:/i.test(text);
}

/** Reads `postgres://user@host:port/database`. The text is never repeated in a message: a password may stand in it. Throws USAGE. */
export function readDatabaseAddress(text: string, command: string): DatabaseAddress {
  const wrong = (why: string): PaycliError => fail('USAGE', { why: `--engine: ${why}`, command });
  if (!isDatabaseAddress(text) || !URL.canParse(text)) throw wrong('is not an address such as postgres://user@host/database');
  const url = new URL(text);
  if (url.password !== '' || url.searchParams.has('password'))
    throw wrong(
      'holds a password, which other users and the history of the shell see; use --engine-password-file, PGPASSWORD or ~/.pgpass, and clear this line from the history',
    );
  for (const name of url.searchParams.keys())
    if (!parameters.includes(name)) throw wrong(`may have the parameters ${parameters.join(', ')} and no others`);
  const host = decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ''));
  const [user, database] = [decodeURIComponent(url.username), decodeURIComponent(url.pathname.slice(1))];
  if (host === '' || user === '' || database === '' || database.includes('/'))
    throw wrong('needs a user, a host and a database, as in postgres://user@host/database');
  const port = url.port === '' ? 5432 : Number(url.port);
  const tls = tlsOf(url.searchParams.get('sslmode'), host, wrong);
  const authorities = url.searchParams.get('sslrootcert') || undefined;
  // Any host with a certificate of any authority would pass.
  if (tls === 'chain' && authorities === undefined)
    throw wrong('sslmode=verify-ca needs sslrootcert=FILE, the only authority to trust; without one use sslmode=verify-full');
  return { host, port, user, database, tls, authorities, shown: `postgres://${user}@${host}:${port}/${database}` };
}

function tlsOf(mode: string | null, host: string, wrong: (why: string) => PaycliError): DatabaseAddress['tls'] {
  const isHere = /^(127\.\d+\.\d+\.\d+|::1|localhost|\/.*)$/.test(host);
  if (mode === null) return isHere ? 'none' : 'full';
  const tls = Object.hasOwn(sslModes, mode) ? sslModes[mode] : undefined;
  if (tls === undefined) throw wrong('sslmode is verify-full or verify-ca (or disable on this machine); the others check no certificate');
  if (tls === 'none' && !isHere) throw wrong('sslmode=disable is for databases on this machine only');
  return tls;
}
