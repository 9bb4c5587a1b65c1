import { existsSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';

/**
 * Runs the bundle of this name, which lies beside the caller's, with the code V8 made of it before: compiling takes longer than most
 * commands do. From 22.1 on Node keeps that code itself, in the package's own folder, since anyone may write into the one for temporary
 * files. On Node 20 the build keeps it. V8 compares only the length of a source, so the code is found by the hash of the bundle.
 */
export function runBundle(name: string): void {
  const [file, folder] = [`${__dirname}${sep}${name}`, `${__dirname}${sep}code`];
  const modules: NodesModules = process.getBuiltinModule('node:module');
  if (modules.enableCompileCache !== undefined) modules.enableCompileCache(folder);
  else if (runKept(file, folder, modules)) return;
  require(file);
}

/** False when no code is kept of this very bundle for this Node. */
function runKept(file: string, folder: string, modules: NodesModules): boolean {
  const source = readFileSync(file);
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256').update(source).digest('hex');
  const kept = `${folder}${sep}${process.platform}-${process.arch}-${process.versions.v8}-${hash}`;
  if (!existsSync(kept)) return false;
  const { Script } = process.getBuiltinModule('node:vm');
  const script = new Script(modules.wrap(source.toString()), { filename: file, cachedData: readFileSync(kept) });
  script.runInThisContext()(exports, require, module, file, __dirname);
  return true;
}

/** What the types of Node 20 lack. */
interface NodesModules {
  wrap(source: string): string;
  enableCompileCache?(folder: string): unknown;
}
