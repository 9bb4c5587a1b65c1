import { dirname } from 'node:path';
import * as v from 'valibot';
import type { PostgresAddress } from '../runtime/ports.js';
import { pathFrom } from './file-access.js';
import type { SecretSource } from './settings.js';

/** The journal that the users of a profile share. */
export interface SharedJournal {
  /** The profile that names it. */
  readonly profile: string;
  readonly address: Omit<PostgresAddress, 'password' | 'ca'>;
  /** The address as it may be shown. */
  readonly shown: string;
  /** The file of the authorities to trust instead of the usual ones. */
  readonly caFile: string | undefined;
  readonly key: SecretSource | undefined;
  readonly password: SecretSource | undefined;
}

const text = v.pipe(v.string('use text'), v.nonEmpty('is empty'));
/** One of these. */
const place = v.optional(
  v.pipe(
    v.strictObject(
      { file: v.optional(text), env: v.optional(text), helper: v.optional(v.pipe(v.array(text), v.nonEmpty())) },
      'use file, env or helper, as in {file: ~/team.key}',
    ),
    v.check((entry) => Object.keys(entry).length === 1, 'use one of file, env and helper'),
  ),
);

/** The keys of a profile. */
export const sharedJournalEntries = {
  journal: v.optional(
    v.pipe(
      text,
      v.rawCheck(({ dataset, addIssue }) => {
        const problem = dataset.typed ? readAddress(dataset.value) : undefined;
        if (typeof problem === 'string') addIssue({ message: problem });
      }),
    ),
  ),
  'journal-key': place,
  'journal-password': place,
};

type Entries = {
  readonly [Key in keyof typeof sharedJournalEntries]?: v.InferOutput<(typeof sharedJournalEntries)[Key]>;
};
type Place = NonNullable<Entries['journal-key']>;

/** Undefined where the profile names none. Its entries were checked. */
export function sharedJournalIn(
  profile: string,
  entries: Entries,
  { file, home }: { readonly file: string; readonly home: string },
): SharedJournal | undefined {
  const read = entries.journal === undefined ? '' : readAddress(entries.journal);
  if (typeof read === 'string') return undefined;
  const { caFile, ...rest } = read;
  const pathOf = (written: string) => pathFrom(written, dirname(file), home);
  const source = (entry: Place | undefined, key: string): SecretSource | undefined => {
    const origin = `${file}: profiles.${profile}.${key}`;
    if (entry?.file !== undefined) return { kind: 'file', path: pathOf(entry.file), origin };
    if (entry?.env !== undefined) return { kind: 'environment', name: entry.env, origin };
    return entry?.helper && { kind: 'helper', command: entry.helper, origin };
  };
  const [key, password] = [entries['journal-key'], entries['journal-password']];
  return {
    ...{ profile, ...rest, caFile: caFile && pathOf(caFile) },
    ...{ key: source(key, 'journal-key'), password: source(password, 'journal-password') },
  };
}

/**
 * The parts of `postgres://user@host:port/database`, perhaps with `?sslrootcert=FILE`; else what is wrong with it. The text
 * is never repeated: a password may stand in it.
 */
function readAddress(written: string): Pick<SharedJournal, 'address' | 'shown' | 'caFile'> | string {
  const form = 'write it as postgres://USER@HOST/DATABASE';
  if (!/^postgres(ql)?:\/\//i.test(written) || !URL.canParse(written)) return form;
  const url = new URL(written);
  if (url.password !== '' || url.searchParams.has('password'))
    return 'has a password in it, where logs and colleagues would see it: take it out, change it on the server, and name the place of the new one with journal-password, as in {file: ~/journal.password}';
  if ([...url.searchParams.keys()].some((name) => name !== 'sslrootcert'))
    return 'may have no parameter other than sslrootcert';
  const host = decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ''));
  const [user, database] = [decodeURIComponent(url.username), decodeURIComponent(url.pathname.slice(1))];
  if (host === '' || user === '' || database === '' || database.includes('/')) return form;
  const port = url.port === '' ? 5432 : Number(url.port);
  const caFile = url.searchParams.get('sslrootcert') || undefined;
  // Without a certificate only where nobody else can listen.
  const isHere = /^(127\.\d+\.\d+\.\d+|::1|localhost|\/.*)$/.test(host);
  return {
    address: { host, port, user, database, tls: isHere && caFile === undefined ? 'none' : 'full' },
    shown: `postgres://${user}@${url.hostname}:${port}/${database}`,
    caFile,
  };
}
