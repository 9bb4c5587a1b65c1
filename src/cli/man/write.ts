import { join } from 'node:path';
import type { Runtime } from '../../runtime/ports.js';
import { treeBuilder } from '../program.js';
import { manPages } from './pages.js';

/** Writes every man page into a folder: what the build does. */
export async function writePages(folder: string, runtime: Runtime): Promise<number> {
  const pages = await manPages(treeBuilder(runtime));
  for (const { file, text } of pages) runtime.files.writeText(join(runtime.files.folders.working, folder, file), text, 0o644);
  return 0;
}
