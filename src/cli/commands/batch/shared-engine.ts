import { createHash } from 'node:crypto';
import { accessIn, type EngineAccess } from '../../../batch/engine-binding.js';
import type { DatabaseAccess } from '../../../batch/engines/postgres/database.js';
import type { PostgresEngine } from '../../../batch/engines/postgres/engine.js';
import type { GateView, PostgresOptions } from '../../../batch/engines/postgres/index.js';
import type { PlanStore } from '../../../batch/plan.js';
import { pathFrom } from '../../../config/file-access.js';
import { readCaFile, readSecret } from '../../../config/index.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { Secret } from '../../../wire/mask.js';
import type { Reporter } from '../../core/reporter.js';
import { packageVersion } from '../../core/version.js';
import { durationText } from '../../format/time.js';

/** Flags of commands that work on a batch from several machines. */
export interface EngineFlags extends EngineAccess {
  readonly afterRestore?: boolean;
}

/** The same for every run on this machine. */
type OwnOptions = 'clock' | 'random' | 'rowKey' | 'sender' | 'afterRestore' | 'outage' | 'leaseMs';

/** What a worker brings along, and where it is said that the database is away, for one that waits for it. */
type SharedRunOptions = Omit<PostgresOptions, keyof DatabaseAccess | OwnOptions> & {
  readonly report?: Pick<Reporter, 'warn'>;
};

/** An outage of the database that workers wait for. */
const maxOutageMs = 300_000;

/** Puts a plan into the database, or goes on with it there. */
export async function startShared(
  plan: PlanStore,
  flags: EngineFlags,
  run: SharedRunOptions,
  runtime: Runtime,
): Promise<PostgresEngine> {
  const options = await optionsOf(flags, run, runtime);
  const { startOnPostgres } = await import('../../../batch/engines/postgres/index.js');
  return startOnPostgres(plan, options);
}

/** Joins a batch that was put there; the only open one when it is not named. */
export async function joinShared(
  id: string | undefined,
  flags: EngineFlags,
  run: SharedRunOptions,
  runtime: Runtime,
): Promise<PostgresEngine> {
  const options = await optionsOf(flags, run, runtime);
  const { joinOnPostgres } = await import('../../../batch/engines/postgres/index.js');
  return joinOnPostgres(id, options);
}

/** A batch as it stands in the database, for those who only look, or take it away. */
export async function viewShared(id: string, flags: EngineFlags, command: string, runtime: Runtime): Promise<GateView> {
  const access = await accessOf(flags, command, runtime);
  const { GateView: View } = await import('../../../batch/engines/postgres/index.js');
  return View.open(id, access);
}

/**
 * The same for a look, whose way may be one that was noted: then nobody needs the key, and one that the user names is
 * checked.
 */
export async function lookShared(
  id: string,
  noted: EngineFlags,
  given: EngineFlags,
  command: string,
  runtime: Runtime,
): Promise<GateView> {
  const rowKey = given.rowKeyFile === undefined ? undefined : await rowKeyOf(given, command, runtime);
  const view = await viewShared(id, { ...noted, ...accessIn(given) }, command, runtime);
  try {
    if (rowKey !== undefined) view.checkKey(rowKey);
    return view;
  } catch (error) {
    await view.close();
    throw error;
  }
}

/** The key of the rows. Throws USAGE where no file is named. */
export function rowKeyOf({ rowKeyFile }: EngineFlags, command: string, runtime: Runtime): Promise<Secret> {
  if (rowKeyFile !== undefined) return secretIn(rowKeyFile, '--row-key-file', runtime);
  throw fail('USAGE', {
    why: '--row-key-file is missing: the key that all workers share; `paycli batch work --make-row-key FILE` creates one',
    command,
  });
}

async function optionsOf(
  flags: EngineFlags,
  { report, ...run }: SharedRunOptions,
  runtime: Runtime,
): Promise<PostgresOptions> {
  const { processes, clock, random } = runtime;
  const { host, pid } = processes;
  const access = await accessOf(flags, run.command, runtime);
  const onChange = report && outageWarning(access.address.shown, report);
  return {
    ...{ ...access, ...run, clock, random, sender: { host, pid, version: packageVersion } },
    rowKey: await rowKeyOf(flags, run.command, runtime),
    afterRestore: flags.afterRestore === true,
    ...(onChange === undefined ? {} : { outage: { maxMs: maxOutageMs, onChange } }),
  };
}

function outageWarning(shown: string, report: Pick<Reporter, 'warn'>) {
  return (isAway: boolean) =>
    report.warn([
      isAway
        ? `the database ${shown} does not answer: no more rows are sent; waiting up to ${durationText(maxOutageMs)} for it`
        : `the database ${shown} answers again`,
    ]);
}

async function accessOf(
  { engine, enginePasswordFile }: EngineFlags,
  command: string,
  runtime: Runtime,
): Promise<DatabaseAccess> {
  if (engine === undefined)
    throw fail('USAGE', {
      why: '--engine is missing: the database of the batch, such as postgres://user@host/database',
      command,
    });
  const { readDatabaseAddress } = await import('../../../batch/engines/postgres/index.js');
  const address = readDatabaseAddress(engine, command);
  const { files, env } = runtime;
  const { working, home } = files.folders;
  return {
    address,
    password: await passwordOf(enginePasswordFile, env['PGPASSWORD'], runtime),
    ca: address.authorities && readCaFile(pathFrom(address.authorities, working, home), files),
  };
}

async function passwordOf(
  file: string | undefined,
  variable: string | undefined,
  runtime: Runtime,
): Promise<Secret | undefined> {
  if (file !== undefined) return secretIn(file, '--engine-password-file', runtime);
  return variable === undefined || variable === '' ? undefined : new Secret(variable);
}

async function secretIn(file: string, origin: string, runtime: Runtime): Promise<Secret> {
  const { working, home } = runtime.files.folders;
  return (await readSecret({ kind: 'file', path: pathFrom(file, working, home), origin }, runtime)).secret;
}

/** Writes a key of 32 bytes into a new file, mode 0600; gives its path. Throws USAGE when the file is there. */
export function makeRowKey(file: string, command: string, { files, random }: Runtime): string {
  const path = pathFrom(file, files.folders.working, files.folders.home);
  const key = createHash('sha256').update(random.letters(64)).digest('hex');
  try {
    files.createText(path, `${key}\n`);
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw fail('USAGE', {
      why: isThere
        ? '--make-row-key: a file with that name already exists'
        : '--make-row-key: the file cannot be written',
      command,
    });
  }
  return path;
}
