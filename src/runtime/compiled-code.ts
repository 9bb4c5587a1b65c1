import { existsSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';

/** Where the build keeps code for this Node; another one finds nothing there. */
function codeFolder(dist: string): string {
  return `${dist}${sep}code${sep}${process.platform}-${process.arch}-${process.versions.v8}`;
}

/**
 * Lets the bundles of `dist` come with the code that V8 compiled when the build ran the usual commands: compiling takes longer than
 * all they do. V8 itself refuses code of another version or for a source of another length, and compiles as ever then.
 */
export function useCompiledCode(dist: string): void {
  const folder = codeFolder(dist);
  const load = require.extensions['.js'];
  if (load === undefined || !existsSync(folder)) return;
  const { Script } = process.getBuiltinModule('node:vm');
  const { wrap } = process.getBuiltinModule('node:module');
  require.extensions['.cjs'] = (module, filename) => {
    const kept = filename.startsWith(dist + sep) ? codeOf(`${folder}${sep}${filename.slice(dist.length + 1)}`) : undefined;
    if (kept === undefined) return load(module, filename);
    const script = new Script(wrap(readFileSync(filename, 'utf8')), { filename, cachedData: kept });
    return script.runInThisContext()(module.exports, (id: string) => module.require(id), module, filename, dist);
  };
}

function codeOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
