// The library that other programs import or require, with its types.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';

const signing = 'src/signing/library.ts';
const sandbox = 'src/sandbox-library.ts';

/** Builds it into `folder` with these settings of the bundler. */
export async function buildLibrary(common, folder) {
  const cjs = join(folder, 'cjs');
  const modules = { format: 'esm', splitting: true, chunkNames: 'part-[hash]' };
  await build({ ...common, ...modules, entryPoints: { index: 'src/index.ts', signing, sandbox }, outdir: folder });
  await build({ ...common, format: 'cjs', entryPoints: { signing, sandbox }, outdir: cjs });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
  // For `require` they are the same texts in a folder of its kind.
  writeTypes(common.absWorkingDir, 'tsconfig.types.json', folder);
  writeTypes(common.absWorkingDir, 'tsconfig.types-cjs.json', cjs);
}

function writeTypes(root, project, folder) {
  const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, '.ci', project), '--outDir', folder];
  execFileSync(process.execPath, tsc, { encoding: 'utf8', stdio: 'pipe' });
  // Only these two: what the sandbox is made of is no part of its interface.
  for (const name of ['sandbox-library.ts', 'sandbox-library-types.ts'])
    writeFileSync(join(folder, name.replace('.ts', '.d.ts')), typesOf(root, name));
}

/** The types of one file, which says them all itself. */
function typesOf(root, name) {
  const source = readFileSync(join(root, 'src', name), 'utf8');
  const { outputText, diagnostics } = ts.transpileDeclaration(source, { fileName: name });
  if (diagnostics.length > 0) throw new Error(`${name} does not say its types itself`);
  return outputText;
}
