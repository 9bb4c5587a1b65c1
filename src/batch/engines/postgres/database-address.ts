import { fail } from '../../../errors/index.js';

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
  if (!isDatabaseAddress(text) || !URL.canParse(text)) throw fail('engineNotAnAddress', { command });
  const url = new URL(text);
  if (url.password !== '' || url.searchParams.has('password')) throw fail('engineHoldsPassword', { command });
  for (const name of url.searchParams.keys())
    if (!parameters.includes(name))
      throw fail('engineParameterUnknown', { parameters: parameters.join(', '), command });
  const host = decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ''));
  const [user, database] = [decodeURIComponent(url.username), decodeURIComponent(url.pathname.slice(1))];
  if (host === '' || user === '' || database === '' || database.includes('/'))
    throw fail('engineAddressIncomplete', { command });
  const port = url.port === '' ? 5432 : Number(url.port);
  const tls = tlsOf(url.searchParams.get('sslmode'), host, command);
  const authorities = url.searchParams.get('sslrootcert') || undefined;
  // Any host with a certificate of any authority would pass.
  if (tls === 'chain' && authorities === undefined) throw fail('engineAuthorityNotNamed', { command });
  return { host, port, user, database, tls, authorities, shown: `postgres://${user}@${host}:${port}/${database}` };
}

function tlsOf(mode: string | null, host: string, command: string): DatabaseAddress['tls'] {
  const isHere = /^(127\.\d+\.\d+\.\d+|::1|localhost|\/.*)$/.test(host);
  if (mode === null) return isHere ? 'none' : 'full';
  const tls = Object.hasOwn(sslModes, mode) ? sslModes[mode] : undefined;
  if (tls === undefined) throw fail('engineTlsModeUnknown', { command });
  if (tls === 'none' && !isHere) throw fail('engineTlsDisabledElsewhere', { command });
  return tls;
}
