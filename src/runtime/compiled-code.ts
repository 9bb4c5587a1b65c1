import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
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
  const Module: NodesModule = Object.getPrototypeOf(module).constructor;
  const [head = '', tail = ''] = Module.wrap(cut).split(cut);

  const run = (its: NodeModule, filename: string, cachedData: Buffer): void => {
    const script = new Script(wrapped(filename, head, tail), { filename, cachedData });
    const require = (id: string): unknown => (/^\.\/[^/]+\.cjs$/.test(id) ? bundle(id.slice(2), its) : its.require(id));
    script.runInThisContext()(its.exports, require, its, filename, dist);
  };
  /** As Node does it, without asking the disk what the name could mean. */
  const bundle = (name: string, parent: NodeModule): unknown => {
    const filename = dist + sep + name;
    const known = require.cache[filename];
    if (known !== undefined) return known.exports;
    const code = codeOf(folder + sep + name);
    if (code === undefined) return parent.require(`./${name}`);
    const its = new Module(filename, parent);
    Object.assign(its, { filename, paths: parent.paths });
    require.cache[filename] = its;
    run(its, filename, code);
    its.loaded = true;
    return its.exports;
  };
  require.extensions['.cjs'] = (its, filename) => {
    const code = filename.startsWith(dist + sep) ? codeOf(folder + sep + filename.slice(dist.length + 1)) : undefined;
    if (code === undefined) load(its, filename);
    else run(its, filename, code);
  };
}

/** What Node makes modules of; `node:module`, which exports it, is slow to load. */
interface NodesModule {
  new (id: string, parent: NodeModule): NodeModule;
  wrap(source: string): string;
}

const cut = '\0';

/** A bundle as Node itself wraps it, made in one piece; the build lets nothing but ASCII into a bundle. */
function wrapped(filename: string, head: string, tail: string): string {
  const file = openSync(filename, 'r');
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.allocUnsafe(head.length + size + tail.length);
    bytes.write(head, 'latin1');
    readSync(file, bytes, head.length, size, 0);
    bytes.write(tail, head.length + size, 'latin1');
    return bytes.toString('latin1');
  } finally {
    closeSync(file);
  }
}

function codeOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
