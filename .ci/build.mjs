// Builds dist/ in a temporary folder and puts it in place only when every step succeeded.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const [dist, fresh] = [join(root, 'dist'), join(root, `node_modules/.cache/paycli-build-${process.pid}`)];
const old = `${fresh}-old`;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
// Left outside: native, optional, or (typescript) wanted only in a checkout.
const external = ['@photostructure/sqlite', '@napi-rs/keyring', 'pg', 'pg-boss', 'typescript'];
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  loader: { '.md': 'text' },
  // The bundle is read as Latin-1, which is faster.
  charset: 'ascii',
  legalComments: 'none',
  logLevel: 'error',
  external,
  // cosmiconfig requires it, our own code imports it: one copy is enough.
  alias: { 'js-yaml': join(root, 'node_modules/js-yaml/dist/js-yaml.mjs') },
};

try {
  const program = {
    entryPoints: ['src/entry.ts', 'src/main.ts', 'src/complete.ts'],
    outdir: fresh,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    // A third less to read, to hash and to hand to V8 at each start; crash reports look places up in the map.
    minify: true,
    sourcemap: 'external',
    sourcesContent: false,
    lineLimit: 120,
    supported: { 'dynamic-import': false },
    define: { PAYCLI_VERSION: JSON.stringify(version) },
    metafile: true,
  };
  const { metafile } = await build({ ...common, ...program });
  const entryPoints = {
    index: 'src/index.ts',
    signing: 'src/signing/library.ts',
    sandbox: 'src/sandbox-library.ts',
  };
  await build({
    ...common,
    entryPoints,
    outdir: join(fresh, 'lib'),
    format: 'esm',
    splitting: true,
    chunkNames: 'part-[hash]',
  });
  await build({
    ...common,
    entryPoints: { signing: entryPoints.signing, sandbox: entryPoints.sandbox },
    outdir: join(fresh, 'lib/cjs'),
    format: 'cjs',
  });
  writeFileSync(join(fresh, 'lib/package.json'), '{ "type": "module" }\n');
  writeFileSync(join(fresh, 'lib/cjs/package.json'), '{ "type": "commonjs" }\n');
  const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '-p'];
  node(...tsc, join(root, '.ci/tsconfig.types.json'), '--outDir', join(fresh, 'lib'));
  // For `require` they are the same texts in a folder of its kind.
  node(...tsc, join(root, '.ci/tsconfig.types-cjs.json'), '--outDir', join(fresh, 'lib/cjs'));
  // Only these two: what the sandbox is made of is no part of its interface.
  for (const name of ['sandbox-library.ts', 'sandbox-library-types.ts']) writeTypes(name);
  writeFileSync(
    join(fresh, 'licenses.txt'),
    packagesIn(metafile)
      .map(licenceOf)
      .join(`\n${'-'.repeat(80)}\n\n`),
  );
  writeFileSync(join(fresh, 'root-help.txt'), node(join(fresh, 'entry.cjs'), '__root-help'));
  node(join(fresh, 'entry.cjs'), '__help-sheets', 'help');
  node(join(fresh, 'entry.cjs'), '__man', 'man');
  for (const folder of ['help', 'man']) makeReadable(join(fresh, folder));
  const sale = ['sale', '--amount', '10.42', '--currency', 'USD', '--test-card', 'approved', '--json'];
  if (process.versions.node.startsWith('20.')) {
    node(join(root, '.ci/keep-code.cjs'), join(fresh, 'main.cjs'), JSON.stringify([sale, ['sign', ...sale]]));
    const atTab = ['__complete', '--', 'orders', 'capture'];
    node(join(root, '.ci/keep-code.cjs'), join(fresh, 'complete.cjs'), JSON.stringify([atTab]));
  }
  rmSync(join(fresh, 'home'), { recursive: true, force: true });
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
} catch (error) {
  if (existsSync(old) && !existsSync(dist)) renameSync(old, dist);
  // esbuild has printed its own findings by now.
  if (error.errors === undefined) console.error(error.stderr || error.stdout || error.message);
  console.error('The build failed; dist/ is as it was.');
  process.exitCode = 1;
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

/** The types of one file, which says them all itself, for `import` and for `require`. */
function writeTypes(name) {
  const source = readFileSync(join(root, 'src', name), 'utf8');
  const { outputText, diagnostics } = ts.transpileDeclaration(source, { fileName: name });
  if (diagnostics.length > 0) throw new Error(`${name} does not say its types itself`);
  for (const folder of ['lib', 'lib/cjs']) writeFileSync(join(fresh, folder, name.replace('.ts', '.d.ts')), outputText);
}

/** What a script prints, run in the new folder without anybody's settings. */
function node(...words) {
  const home = { PAYCLI_STATE_DIR: join(fresh, 'home/state'), PAYCLI_CONFIG_DIR: join(fresh, 'home/config') };
  const env = { PATH: process.env.PATH, NO_COLOR: '1', ...home };
  return execFileSync(process.execPath, words, { cwd: fresh, env, encoding: 'utf8', stdio: 'pipe' });
}

/** For every user of the machine: the program itself writes files for its own user only. */
function makeReadable(folder) {
  chmodSync(folder, 0o755);
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);
}

/** The folders of the packages whose code is in the program. */
function packagesIn({ inputs }) {
  const folders = Object.keys(inputs).map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/** What a package that travels inside of ours wants to be said of it. */
function licenceOf(folder) {
  const { name, version: its, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = readdirSync(join(root, folder)).find((each) => /^(licen[cs]e|copying)(\.|-|$)/i.test(each));
  if (typeof license !== 'string') throw new Error(`${folder} does not name its licence`);
  const text = file === undefined ? '' : `\n${readFileSync(join(root, folder, file), 'utf8').trim()}\n`;
  return `${name} ${its}, ${license}\n${text}`;
}
