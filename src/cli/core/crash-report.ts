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
export async function writeCrashReport(thrown: unknown, command: string, runtime: Runtime): Promise<Reported> {
  const { files, clock, processes } = runtime;
  const time = new Date(clock.now()).toISOString();
  const report = {
    schema: 'paycli.crash/1',
    time,
    paycli: packageVersion,
    engine: `${processes.engine} ${processes.nodeVersion}`,
    platform: processes.platform,
    command,
    errors: causesOf(thrown).map(describe),
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

const maxCauses = 5;

function causesOf(thrown: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let next = thrown; next !== undefined && next !== null && causes.length < maxCauses; next = causeOf(next))
    causes.push(next);
  return causes;
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error ? thrown.cause : undefined;
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

/** The name of a function is left out where it is no plain word: it may be a key of data. */
const frame = /^ {4}at (?:(?:(?<what>[\w$.<> [\]#]+)|[^(]+) \()?(?<path>.+?):(?<line>\d+):(?<column>\d+)\)?$/;

/** The calls inside this package that led to an error, with paths below the package. */
export function framesOf(thrown: unknown): string[] {
  if (!(thrown instanceof Error) || typeof thrown.stack !== 'string') return [];
  const root = packageRoot();
  // A message of several lines may look like calls.
  return thrown.stack
    .replace(thrown.message, '')
    .split('\n')
    .flatMap((text) => {
      const { what = '', path = '', line = '', column = '' } = frame.exec(text)?.groups ?? {};
      const at = path.indexOf(root);
      const place = at === -1 ? '' : path.slice(at + root.length);
      if (root === '' || place === '' || /\s/.test(place)) return [];
      return [`${what === '' ? '' : `${what} `}${place}:${line}:${column}`];
    });
}

/** The folder of this package, from the stack frame of this function. */
function packageRoot(): string {
  const thisFile = frame.exec(new Error().stack?.split('\n')[1] ?? '')?.groups?.['path'] ?? '';
  return /^(?:file:\/\/)?(.*[\\/])(?:dist|src)[\\/]/.exec(thisFile)?.[1] ?? '';
}
