// Builds dist/ in another folder, which takes its place only when every step succeeded.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const fresh = 'node_modules/.cache/paycli-build';
const faces = { index: 'src/index.ts', signing: 'src/signing/library.ts', sandbox: 'src/sandbox-library.ts' };
// Help topics, completion scripts, and the programs of `sign --code`.
const texts = '.md .sql .bash .zsh .fish .ps1 .sh .php .py .node.mjs .java .cs'.split(' ');
const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
  loader: Object.fromEntries(texts.map((ending) => [ending, 'text'])),
  define: { PAYCLI_VERSION: JSON.stringify(JSON.parse(readFileSync('package.json', 'utf8')).version) },
  // Native, optional, or (typescript) for a loader of cosmiconfig that is never called.
  external: ['@photostructure/sqlite', '@napi-rs/keyring', 'pg', 'typescript'],
};
// Packages that are CommonJS load Node's own modules by require.
const banner = { js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);" };
rmSync(fresh, { recursive: true, force: true });
// One file: while it runs, an update of the package cannot take away what it has not loaded yet. CommonJS: it loads a module of Node
// when one is needed, not all of them at every start.
const { metafile } = await build({
  ...common,
  entryPoints: { paycli: 'src/main.ts' },
  outdir: fresh,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { ...common.define, 'import.meta.url': '__filename', 'import.meta.dirname': '__dirname' },
});
await build({ ...common, banner, entryPoints: faces, outdir: fresh, splitting: true, chunkNames: 'parts/[hash]' });
for (const name of ['postgres', 'postgres-roles']) copyFileSync(`src/journal/${name}.sql`, `${fresh}/${name}.sql`);
mkdirSync(`${fresh}/man`);
for (const project of ['types', 'types-of-sandbox'])
  node('node_modules/typescript/bin/tsc', '-p', `.ci/tsconfig.${project}.json`, '--outDir', `${fresh}/types`);
node(`${fresh}/paycli.cjs`, '__man', `${fresh}/man`);
const folders = Object.keys(metafile.inputs).flatMap((file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
const licences = [...new Set(folders)].sort().map(licenceOf);
writeFileSync(`${fresh}/licenses.txt`, licences.join(`\n${'-'.repeat(80)}\n\n`));
rmSync('dist', { recursive: true, force: true });
renameSync(fresh, 'dist');

function node(...words) {
  execFileSync(process.execPath, words, { env: { PATH: process.env.PATH }, stdio: 'inherit' });
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const [file] = readdirSync(folder).filter((each) => /^(licen[cs]e|copying)(\.|-|$)/i.test(each));
  const text = file === undefined ? '' : readFileSync(`${folder}/${file}`, 'utf8');
  return `${name} ${version}, ${license}\n\n${text}`;
}
