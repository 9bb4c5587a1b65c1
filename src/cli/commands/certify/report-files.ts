import { resolve } from 'node:path';
import type { Certificate } from '../../../certify/certificate.js';
import { fail } from '../../../errors/index.js';
import type { Runtime, Staged } from '../../../runtime/ports.js';

/** The files that --junit and --html name. */
export interface ReportFiles {
  write(certificate: Certificate): Promise<void>;
  /** What was not written leaves no file. */
  drop(): void;
}

const render = {
  '--junit': async (certificate: Certificate) => (await import('./report.js')).junitOf(certificate),
  '--html': async (certificate: Certificate) => (await import('../../../certify/page.js')).certificatePage(certificate),
};

/** Readable by whoever collects them. */
const mode = 0o644;

/** Opens the files before anything runs: a run of a minute must not end without its reports. Throws STORAGE. */
export function openReportFiles(
  { junit, html }: { readonly junit?: string; readonly html?: string },
  { files }: Pick<Runtime, 'files'>,
): ReportFiles {
  const opened: { readonly flag: keyof typeof render; readonly path: string; readonly staged: Staged }[] = [];
  const drop = () => {
    for (const { staged } of opened.toReversed()) staged.drop();
  };
  for (const [flag, given] of [
    ['--junit', junit],
    ['--html', html],
  ] as const) {
    if (given === undefined) continue;
    const path = resolve(files.folders.working, given);
    try {
      if (files.facts(path)?.isFile === false) throw new Error(`${path} is not a regular file`);
      opened.push({ flag, path, staged: files.stage(path, mode) });
    } catch (cause) {
      drop();
      throw notWritten(flag, path, cause);
    }
  }
  return {
    drop,
    async write(certificate) {
      for (const { flag, path, staged } of opened) {
        const text = await render[flag](certificate);
        try {
          staged.write(text);
          staged.keep();
        } catch (cause) {
          throw notWritten(flag, path, cause);
        }
      }
    },
  };
}

const causes: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EACCES: 'its folder is not writable by you',
  EROFS: 'its disk is read-only',
  ENOSPC: 'the disk is full',
};

function notWritten(flag: string, path: string, cause: unknown) {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return fail(
    'STORAGE',
    {
      what: path,
      why: causes[code] ?? 'it is not a file that can be written',
      how: `name another file with ${flag}`,
      flag,
    },
    { cause },
  );
}
