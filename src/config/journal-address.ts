import { fail } from '../errors/index.js';
import type { PostgresAddress } from '../runtime/ports.js';
import { pathFrom } from './file-access.js';

/** The address of a journal in PostgreSQL. */
export interface JournalAddress {
  readonly address: Omit<PostgresAddress, 'password' | 'ca'>;
  /** The address as it may be shown. */
  readonly shown: string;
  /** The file of the authorities to trust instead of the usual ones. */
  readonly caFile: string | undefined;
}

/**
 * The parts of `postgres://user@host:port/database`, perhaps with `?sslrootcert=FILE`. Throws FIELD_INVALID, which never
 * repeats the text: a password may stand in it.
 */
export function readJournalAddress(written: string, folder: string, home: string): JournalAddress {
  const wrong = (problems = 'write it as postgres://USER@HOST/DATABASE, perhaps with ?sslrootcert=FILE') =>
    fail('FIELD_INVALID', { problems });
  if (!/^postgres(ql)?:\/\//i.test(written) || !URL.canParse(written)) throw wrong();
  const url = new URL(written);
  if (url.password !== '' || url.searchParams.has('password'))
    throw wrong(
      'has a password in it, where logs and colleagues would see it: take it out, change it on the server, and name the place of the new one with journal-password, as in { file: ~/journal.password }',
    );
  const host = decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ''));
  const [user, database] = [decodeURIComponent(url.username), decodeURIComponent(url.pathname.slice(1))];
  const isOther = [...url.searchParams.keys()].some((name) => name !== 'sslrootcert');
  if (isOther || host === '' || user === '' || database === '' || database.includes('/')) throw wrong();
  const port = url.port === '' ? 5432 : Number(url.port);
  const caFile = url.searchParams.get('sslrootcert') || undefined;
  // Without a certificate only where nobody else can listen.
  const isHere = /^(127\.\d+\.\d+\.\d+|::1|localhost|\/.*)$/.test(host);
  return {
    address: { host, port, user, database, tls: isHere && caFile === undefined ? 'none' : 'full' },
    shown: `postgres://${user}@${url.hostname}:${port}/${database}`,
    caFile: caFile && pathFrom(caFile, folder, home),
  };
}
