import { join } from 'node:path';
import type { Runtime } from '../../runtime/ports.js';
import { buildProgram } from '../program.js';
import { manPages } from './pages.js';

/** Writes every man page into a folder: what the build does. */
export function writePages(folder: string, runtime: Runtime): number {
  const pages = manPages((row) => buildProgram({ runtime, commandLine: { argv: [], row }, finish: { exit: 0 } }));
  for (const { file, text } of pages) runtime.files.writeText(join(runtime.files.folders.working, folder, file), text, 0o644);
  return 0;
}
