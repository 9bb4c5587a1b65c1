import { join } from 'node:path';
import type { Runtime } from '../../runtime/ports.js';
import { packageVersion } from './version.js';

const maxReports = 20;
const reportName = /^\d{8}T\d{9}Z-\d+\.json$/;

/** The file of a crash report, or why none was written. */
interface Reported {
  readonly file?: string;
  readonly why?: string;
}

/**
 * Writes a report of an internal error: where it happened, without any values. Keeps the newest reports. Never throws;
 * on a full or broken disk the result has `why`.
 */
export function writeCrashReport(thrown: unknown, command: string, runtime: Runtime): Reported {
  const { files, clock, processes } = runtime;
  const time = new Date(clock.now()).toISOString();
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const report = {
    schema: 'paycli.crash/1',
    time,
    paycli: packageVersion,
    engine: `${processes.engine} ${processes.nodeVersion}`,
    platform: processes.platform,
    command,
    errors: [thrown, ...(cause instanceof Error ? [cause] : [])].map(describe),
  };
  try {
    const folder = join(files.folders.state, 'crash');
    const file = join(folder, `${time.replace(/[-:.]/g, '')}-${processes.pid}.json`);
    files.writeText(file, `${JSON.stringify(report, null, 2)}\n`);
    const old = files.list(folder).filter((name) => reportName.test(name));
    for (const name of old.slice(0, -maxReports)) files.remove(join(folder, name));
    return { file };
  } catch (error) {
    return { why: codeOf(error) ?? 'unknown' };
  }
}

/** Name, code and place. The message may hold data, so it is left out. */
function describe(thrown: unknown) {
  return { name: nameOf(thrown), code: codeOf(thrown) ?? null, frames: framesOf(thrown) };
}

/** The class of an error, when it is a plain word. */
export function nameOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  return /^[A-Za-z]{1,40}$/.test(thrown.name) ? thrown.name : 'Error';
}

function codeOf(thrown: unknown): string | undefined {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z_]{1,40}$/.test(code) ? code : undefined;
}

/** Places in files of this package. The name of a function is left out: it may be a key of data. */
const frame = /[\\/]((?:dist|src|test)[\\/][\w.\\/-]+:\d+:\d+)\)?$/;

/** Where an error was thrown. A message of several lines may look like calls, so it is taken out. */
function framesOf(thrown: unknown): string[] {
  if (!(thrown instanceof Error) || typeof thrown.stack !== 'string') return [];
  const lines = thrown.stack.replace(thrown.message, '').split('\n');
  return lines.flatMap((line) => (/^ {4}at /.test(line) ? (frame.exec(line)?.[1] ?? []) : []));
}
