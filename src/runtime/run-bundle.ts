import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';

/**
 * Runs the bundle of this name, which is beside the caller's, with the code V8 compiled before: compiling takes longer
 * than most commands do. From 22.1 on Node caches that code itself, in the package's own folder, since anyone may write
 * into the one for temporary files. On Node 20 the build caches it. V8 compares only the length of a source and nothing
 * of the code, so the file name has the hash of both.
 */
export function runBundle(name: string): void {
  const [file, folder] = [`${__dirname}${sep}${name}`, `${__dirname}${sep}code`];
  const modules: NodesModules = process.getBuiltinModule('node:module');
  if (modules.enableCompileCache !== undefined) modules.enableCompileCache(folder);
  else if (runKept(file, folder, modules)) return;
  require(file);
}

/** False when no compiled code of exactly this bundle is cached for this Node. */
function runKept(file: string, folder: string, modules: NodesModules): boolean {
  const source = readFileSync(file);
  const cachedData = keptCode(folder, `${process.platform}-${process.arch}-${process.versions.v8}-${sha256(source)}-`);
  if (cachedData === undefined) return false;
  const { Script } = process.getBuiltinModule('node:vm');
  const script = new Script(modules.wrap(source.toString('latin1')), { filename: file, cachedData });
  script.runInThisContext()(exports, require, module, file, __dirname);
  return true;
}

/** Undefined without any, where its hash differs from that in its name, and where it cannot be read. */
function keptCode(folder: string, prefix: string): Buffer | undefined {
  try {
    const name = readdirSync(folder).find((each) => each.startsWith(prefix));
    const code = name === undefined ? undefined : readFileSync(`${folder}${sep}${name}`);
    return code !== undefined && name === `${prefix}${sha256(code)}` ? code : undefined;
  } catch {
    return undefined;
  }
}

function sha256(bytes: Buffer): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex');
}

/** What the types of Node 20 lack. */
interface NodesModules {
  wrap(source: string): string;
  enableCompileCache?(folder: string): unknown;
}
