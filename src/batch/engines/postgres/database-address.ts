import { fail, type PaycliError } from '../../../errors/index.js';

/** Where a PostgreSQL database is, and how far its certificate is checked. */
export interface DatabaseAddress {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** `chain`: the certificate comes from one of `authorities`; `full`: it is for this host as well. */
  readonly tls: 'none' | 'chain' | 'full';
  /** Path of the authorities to trust instead of the usual ones. */
  readonly authorities: string | undefined;
  /** For messages. */
  readonly shown: string;
}

const sslModes: Readonly<Record<string, DatabaseAddress['tls']>> = {
  disable: 'none',
  'verify-ca': 'chain',
  'verify-full': 'full',
};
const parameters = ['sslmode', 'sslrootcert'];

/** True for the text of an address of PostgreSQL. */
function isDatabaseAddress(text: string): boolean {
  return /^postgres(ql)?:/i.test(text);
}

/**
 * Reads `postgres://user@host:port/database`. The text is never repeated in a message: a password may stand in it.
 * Throws USAGE.
 */
export function readDatabaseAddress(text: string, command: string): DatabaseAddress {
  if (!isDatabaseAddress(text) || !URL.canParse(text))
    throw fail('USAGE', { why: '--engine: use an address such as postgres://user@host/database', command });
  const url = new URL(text);
  if (url.password !== '' || url.searchParams.has('password'))
    throw fail('USAGE', {
      why: '--engine contains a password, which other users and your shell history can see; use --engine-password-file, PGPASSWORD or ~/.pgpass, and remove this line from the history',
      command,
    });
  for (const name of url.searchParams.keys())
    if (!parameters.includes(name))
      throw fail('USAGE', { why: `--engine may have only the parameters ${parameters.join(', ')}`, command });
  const host = decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ''));
  const [user, database] = [decodeURIComponent(url.username), decodeURIComponent(url.pathname.slice(1))];
  if (host === '' || user === '' || database === '' || database.includes('/'))
    throw fail('USAGE', {
      why: '--engine needs a user, a host and a database, as in postgres://user@host/database',
      command,
    });
  const port = url.port === '' ? 5432 : Number(url.port);
  const tls = tlsOf(url.searchParams.get('sslmode'), host, command);
  const authorities = url.searchParams.get('sslrootcert') || undefined;
  // Any host with a certificate of any authority would pass.
  if (tls === 'chain' && authorities === undefined)
    throw fail('USAGE', {
      why: '--engine: sslmode=verify-ca needs sslrootcert=FILE, the only authority to trust; without one use sslmode=verify-full',
      command,
    });
  return { host, port, user, database, tls, authorities, shown: `postgres://${user}@${host}:${port}/${database}` };
}

function tlsOf(mode: string | null, host: string, command: string): DatabaseAddress['tls'] {
  const isHere = /^(127\.\d+\.\d+\.\d+|::1|localhost|\/.*)$/.test(host);
  if (mode === null) return isHere ? 'none' : 'full';
  const tls = Object.hasOwn(sslModes, mode) ? sslModes[mode] : undefined;
  if (tls === undefined)
    throw fail('USAGE', {
      why: '--engine: sslmode is verify-full or verify-ca (or disable on this machine); the others do not check the certificate',
      command,
    });
  if (tls === 'none' && !isHere)
    throw fail('USAGE', { why: '--engine: sslmode=disable is for databases on this machine only', command });
  return tls;
}

/** What a batch in PostgreSQL needs is optional, and not installed. */
export function postgresPackagesMissing(options?: { readonly cause: unknown }): PaycliError {
  return fail(
    'STORAGE',
    {
      what: 'PostgreSQL',
      why: 'the packages pg and pg-boss are not installed',
      how: 'install them beside paycli with `npm install --global pg@8.23.1 pg-boss@10.4.2`, then repeat the command',
    },
    options,
  );
}
