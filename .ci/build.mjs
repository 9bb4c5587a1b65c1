// Builds dist/ in a temporary folder and puts it in place only when every stage succeeded:
// 1. the program as CommonJS bundles, split at each lazy import; 2. the help the tiny entry prints; 3. the man pages;
// 4. the library face.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

/** Modules with a bundle of their own besides the lazy ones: read by nearly every bundle, so worth having once. */
const cores = [
  'src/errors/index.ts',
  'src/spec/index.ts',
  'src/signing/index.ts',
  'src/signing/diagnose/index.ts',
  'src/wire/amount.ts',
  'src/wire/check.ts',
  'src/config/index.ts',
  'src/cli/open-session.ts',
];
/** Packages with a bundle of their own, for the same reason. */
const shared = ['commander', 'cosmiconfig', 'lossless-json', 'get-east-asian-width', 'valibot', 'credit-card-type'];
/** Packages left outside: native, optional, or (typescript) wanted only by a loader that is never used. */
const external = ['@photostructure/sqlite', '@napi-rs/keyring', 'pg', 'pg-boss', 'typescript'];
/** A module with private fields or a memory of its own must exist only once in a process. */
const mustBeOne = /^\s+(static |readonly )*#\w|^(export )?let |^(export )?const .*= new (Weak)?(Map|Set)(<.*>)?\(\)/m;

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const fresh = join(root, `node_modules/.cache/paycli-build-${process.pid}`);
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  legalComments: 'none',
  logLevel: 'error',
  logOverride: { 'empty-import-meta': 'error' },
  external,
};

try {
  mkdirSync(join(fresh, 'lib'), { recursive: true });
  const stages = await Promise.allSettled([
    program().then(() => Promise.all([rootHelp(), written('__help-sheets', 'help'), written('__man', 'man')])),
    library(),
    declarations(),
  ]);
  for (const { status, reason } of stages) if (status === 'rejected') throw reason;
  putInPlace();
} catch (error) {
  console.error('The build failed; dist/ is as it was.');
  // esbuild has printed its own findings by now.
  if (error.errors === undefined) console.error(error.stdout || error.message);
  process.exitCode = 1;
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

async function program() {
  writeFileSync(join(fresh, 'package.json'), '{ "type": "commonjs" }\n');
  let entries = [...new Set(['src/entry.ts', 'src/main.ts', ...cores, ...lazyModules()])];
  let copied;
  do {
    const { metafile } = await bundle([...entries, ...shared]);
    copied = copiedModules(metafile);
    entries = [...entries, ...copied];
  } while (copied.length > 0);
}

/** Sources that some source reaches by a literal `import('./….js')`. */
function lazyModules() {
  const sources = readdirSync(join(root, 'src'), { recursive: true }).filter((name) => /\.tsx?$/.test(name));
  return sources.flatMap((name) => {
    const file = join('src', name);
    const found = readFileSync(join(root, file), 'utf8').matchAll(/(?<!typeof )\bimport\(\s*'(\.[^']+)\.js'/g);
    return [...found].map(([, target]) => sourceOf(join(dirname(file), target), file));
  });
}

function sourceOf(stem, importer) {
  const file = ['.ts', '.tsx'].map((end) => stem + end).find((path) => existsSync(join(root, path)));
  if (file === undefined) throw new Error(`${importer} imports ${stem}.js, which has no source`);
  return file;
}

/** One file per entry, flat, so that the same specifier is right from every bundle. */
function bundle(entries) {
  const names = new Map(entries.map((file) => [resolve(root, stemOf(file)), bundleName(file)]));
  if (new Set(names.values()).size < names.size) throw new Error(`two bundles want one name: ${[...names.values()].sort().join(' ')}`);
  const split = {
    name: 'split',
    setup(setup) {
      setup.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
        const name = kind === 'entry-point' ? undefined : names.get(resolve(resolveDir, path).replace(/\.js$/, ''));
        return name === undefined ? undefined : { path: `./${name}.cjs`, external: true };
      });
      setup.onResolve({ filter: new RegExp(`^(${shared.join('|')})$`) }, ({ kind, path }) =>
        kind === 'entry-point' ? undefined : { path: `./${path}.cjs`, external: true },
      );
      setup.onResolve({ filter: /^undici$/ }, () => ({ path: join(root, '.ci/undici-lean.mjs') }));
      // Our painters are told whether to paint.
      setup.onResolve({ filter: /^#supports-color$/ }, () => ({ path: join(root, '.ci/no-colour-detection.mjs') }));
      // Commander would start subcommands that are programs of their own; there are none, and the module is slow to load.
      setup.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
        importer.includes('node_modules/commander/') ? { path: join(root, '.ci/no-child-process.cjs') } : undefined,
      );
    },
  };
  return build({
    ...common,
    entryPoints: Object.fromEntries(entries.map((file) => [bundleName(file), file])),
    outdir: fresh,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    supported: { 'dynamic-import': false },
    define: { PAYCLI_VERSION: JSON.stringify(version) },
    metafile: true,
    plugins: [split],
  });
}

function stemOf(file) {
  return file.replace(/\.tsx?$/, '');
}

function bundleName(file) {
  return stemOf(file)
    .replace(/^src\//, '')
    .replace(/\/index$/, '')
    .replaceAll('/', '-');
}

/** Modules that must exist once but stand in several bundles. */
function copiedModules({ outputs }) {
  const copies = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs).filter((file) => file.startsWith('src/')));
  const repeated = new Set(copies.filter((file, at) => copies.indexOf(file) !== at));
  return [...repeated].filter((file) => mustBeOne.test(readFileSync(join(root, file), 'utf8')));
}

async function rootHelp() {
  const plain = { cwd: fresh, env: { PATH: process.env.PATH, NO_COLOR: '1' } };
  const { stdout } = await run(process.execPath, [join(fresh, 'entry.cjs'), '__root-help'], plain).catch((error) => {
    throw new Error(`\`paycli __root-help\` failed, so the root help cannot be written:\n${error.stderr || error.message}`);
  });
  if (stdout === '') throw new Error('`paycli __root-help` printed nothing');
  writeFileSync(join(fresh, 'root-help.txt'), stdout);
}

/** What the fresh program itself writes into a folder of dist/. */
async function written(command, folder) {
  await run(process.execPath, [join(fresh, 'entry.cjs'), command, folder], { cwd: fresh, env: { PATH: process.env.PATH } }).catch(
    (error) => {
      throw new Error(`\`paycli ${command}\` failed, so ${folder}/ cannot be written:\n${error.stderr || error.message}`);
    },
  );
}

async function library() {
  writeFileSync(join(fresh, 'lib/package.json'), '{ "type": "module" }\n');
  const entryPoints = { index: 'src/index.ts', signing: 'src/signing/library.ts' };
  await build({ ...common, entryPoints, outdir: join(fresh, 'lib'), format: 'esm', splitting: true, chunkNames: 'part-[hash]' });
}

async function declarations() {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [compiler, '-p', '.ci/tsconfig.types.json', '--outDir', join(fresh, 'lib')], { cwd: root });
}

function putInPlace() {
  const dist = join(root, 'dist');
  const old = `${fresh}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}
