import { join } from 'node:path';
import type { Runtime } from '../../runtime/ports.js';
import { packageVersion } from './version.js';

const maxReports = 20;
const reportName = /^\d{8}T\d{9}Z-\d+\.json$/;

/**
 * Writes a report of an internal error: where it happened, without any values. Keeps the newest reports. Gives its
 * file; undefined on a full or broken disk.
 */
export function writeCrashReport(thrown: unknown, command: string, runtime: Runtime): string | undefined {
  const { files, clock, processes } = runtime;
  const time = new Date(clock.now()).toISOString();
  const causes = thrown instanceof Error && thrown.cause instanceof Error ? [thrown.cause] : [];
  const report = {
    ...{ schema: 'paycli.crash/1', time, paycli: packageVersion, command, platform: processes.platform },
    engine: `Node ${processes.nodeVersion}`,
    // A message may hold data, so it is left out.
    errors: [thrown, ...causes].map((each) => ({ name: nameOf(each), code: codeOf(each), frames: framesOf(each) })),
  };
  try {
    const folder = join(files.folders.state, 'crash');
    const file = join(folder, `${time.replace(/[-:.]/g, '')}-${processes.pid}.json`);
    files.writeText(file, `${JSON.stringify(report, null, 2)}\n`);
    const old = files.list(folder).filter((name) => reportName.test(name));
    for (const name of old.slice(0, -maxReports)) files.remove(join(folder, name));
    return file;
  } catch {
    return undefined;
  }
}

/** The class of an error, when it is a plain word. */
export function nameOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  return /^[A-Za-z]{1,40}$/.test(thrown.name) ? thrown.name : 'Error';
}

function codeOf(thrown: unknown): string | null {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z_]{1,40}$/.test(code) ? code : null;
}

/** Places in files of this package. The name of a function is left out: it may be a key of data. */
const frame = /[\\/]((?:dist|src|test)[\\/][\w.\\/-]+:\d+:\d+)\)?$/;

/** Where an error was thrown. A message of several lines may look like calls, so it is taken out. */
function framesOf(thrown: unknown): string[] {
  if (!(thrown instanceof Error) || typeof thrown.stack !== 'string') return [];
  const lines = thrown.stack.replace(thrown.message, '').split('\n');
  return lines.flatMap((line) => (/^ {4}at /.test(line) ? (frame.exec(line)?.[1] ?? []) : []));
}
