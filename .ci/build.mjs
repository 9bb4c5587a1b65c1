// Builds dist/ in a temporary folder and puts it in place only when every stage succeeded:
// 1. the program as CommonJS bundles, split at each lazy import; 2. the help the tiny entry prints, the man pages, and the code V8
// compiled of the bundles; 3. the library face.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, transformSync } from 'esbuild';
import { instead } from './instead/index.mjs';

/**
 * What is loaded together stands in one file: finding, reading and wrapping another one costs a quarter of a millisecond each.
 * `main` is what starts, `line` what every command needs, `send` what a request needs besides, `sandbox` the gateway in the box.
 */
const packs = {
  main: ['src/main.ts', 'src/errors/index.ts'],
  line: [
    ...['src/cli/line.ts', 'src/cli/fault.ts', 'src/cli/program.ts', 'src/spec/index.ts', 'src/wire/redact.ts', 'src/wire/secret.ts'],
    ...['src/wire/amount.ts', 'src/wire/check.ts', 'src/config/index.ts', 'src/config/screen.ts', 'src/signing/index.ts'],
    ...['src/cli/open-session.ts', 'src/cli/builtin.ts', 'src/cli/reporter.ts', 'src/cli/commands/operation.ts', 'src/cli/profile-keys.ts'],
    ...['src/signing/base-uri.ts', 'src/payments/reply-redaction.ts', 'src/callbacks/store.ts', 'commander', 'get-east-asian-width', 'lossless-json'],
  ],
  send: [
    ...['src/cli/sending.ts', 'src/cli/recording.ts', 'src/cli/waking.ts', 'src/journal/journal.ts', 'src/journal/tail.ts'],
    ...['src/journal/chain.ts', 'src/journal/spending.ts'],
  ],
  sandbox: ['src/sandbox/index.ts', 'src/sandbox/advance.ts', 'src/sandbox/outcomes.ts', 'src/signing/diagnose/index.ts'],
};
/** Packages with a bundle of their own, because many bundles would hold them. */
const shared = ['cosmiconfig', 'valibot', 'credit-card-type'];
/** The parser for processors without SIMD: a quarter of undici's bytes. */
const rare = ['node_modules/undici/lib/llhttp/llhttp-wasm.js'];
/** These stand alone with copies of all they need: a shell that waits for them at a TAB should not load a pack. */
const standalone = ['src/cli/complete/answer.ts', 'src/cli/complete/orders.ts', 'src/sandbox/standing.ts'];
/** Packages left outside: native, optional, or (typescript) wanted only by a loader that is never used. */
const external = ['@napi-rs/keyring', 'pg', 'pg-boss', 'typescript'];
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
    program().then(() => Promise.all([rootHelp(), written('__help-sheets', 'help'), written('__man', 'man'), compiledCode()])),
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
  const packed = new Set(Object.values(packs).flat());
  const lazy = lazyModules().filter((file) => !packed.has(file) && !standalone.includes(file));
  let packages;
  let entries = [...new Set(['src/entry.ts', ...lazy]), ...shared, ...rare];
  let copied;
  do {
    const { metafile } = await bundle(entries);
    const packing = await Promise.all(Object.keys(packs).map((pack) => bundle(entries, { pack })));
    const metafiles = [metafile, ...packing.map((each) => each.metafile)];
    copied = copiedModules(metafiles).filter((file) => !packed.has(file));
    packages = bundledPackages(metafiles);
    entries = [...entries, ...copied];
  } while (copied.length > 0);
  for (const file of standalone) await bundle(entries, { pack: file });
  for (const name of readdirSync(fresh).filter((each) => each.endsWith('.cjs'))) tidy(join(fresh, name));
  writeFileSync(join(fresh, 'licenses.txt'), packages.map(licenceOf).join(`\n${'-'.repeat(80)}\n\n`));
}

/**
 * ASCII is read without a look at each byte; what esbuild leaves of other letters stands in patterns. An import that is only asked for
 * names needs no copy of all that its module exports. And blanks and comments are bytes to read; names and lines stay, for stack traces.
 */
function tidy(file) {
  const text = readFileSync(file, 'utf8').replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const uses = text.replace(/^ *var [\w, ]+;$/gm, '');
  const wholes = new Set([...uses.matchAll(/\b(import_\w+)\b(?! = |\.(?!default\b)\w)/g)].map(([, name]) => name));
  const lean = text.replace(/\b(import_\w+) = __toESM\((require.*?)(?:, 1)?\);/g, (as, name, required) =>
    wholes.has(name) ? as : `${name} = ${required};`,
  );
  writeFileSync(file, transformSync(lean, { minifyWhitespace: true, lineLimit: 120, target: 'node20' }).code);
}

/** The folders of the packages whose code is in the bundles. */
function bundledPackages(metafiles) {
  const files = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]).filter((folder) => folder !== undefined);
  return [...new Set(folders)].sort();
}

/** What a package that travels inside of ours wants to be said of it. */
function licenceOf(folder) {
  const { name, version: its, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = readdirSync(join(root, folder)).find((each) => /^(licen[cs]e|copying)(\.|-|$)/i.test(each));
  if (typeof license !== 'string') throw new Error(`${folder} does not name its licence`);
  const text = file === undefined ? '' : `\n${readFileSync(join(root, folder, file), 'utf8').trim()}\n`;
  return `${name} ${its}, ${license}\n${text}`;
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

/** One file per entry, or one pack, flat, so that the same specifier is right from every bundle. */
function bundle(entries, { pack } = {}) {
  const names = new Map([...entries, ...standalone].map((file) => [resolve(root, stemOf(file)), bundleName(file)]));
  if (new Set(names.values()).size < names.size) throw new Error(`two bundles want one name: ${[...names.values()].sort().join(' ')}`);
  const packOf = new Map(
    Object.entries(packs).flatMap(([name, files]) => files.map((file) => [resolve(root, stemOf(file)), { name, file }])),
  );
  /** Where a bundle finds a module that it does not hold itself. */
  const elsewhere = (path) => {
    const packed = packOf.get(path);
    if (packed !== undefined) return packed.name === pack ? undefined : { path: packed.file, namespace: 'packed', pluginData: packed };
    const name = names.get(path);
    return name === undefined ? undefined : { path: `./${name}.cjs`, external: true };
  };
  const split = {
    name: 'split',
    setup(setup) {
      setup.onResolve({ filter: /^[.a-z]/ }, ({ kind, path, resolveDir, namespace }) => {
        if (namespace === 'packed') return { path, external: true };
        const isOwn = kind === 'entry-point' || (standalone.includes(pack) && kind !== 'dynamic-import');
        return isOwn ? undefined : elsewhere(path.startsWith('.') ? resolve(resolveDir, path).replace(/\.js$/, '') : resolve(root, path));
      });
      setup.onLoad({ filter: /./, namespace: 'packed' }, ({ pluginData: { name, file } }) => ({
        contents: `module.exports = require('./${name}.cjs').${exportName(file)};`,
      }));
    },
  };
  return build({
    ...common,
    ...inputs(entries, pack),
    outdir: fresh,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    supported: { 'dynamic-import': false },
    define: { PAYCLI_VERSION: JSON.stringify(version) },
    metafile: true,
    plugins: [instead(), split],
  });
}

function inputs(entries, pack) {
  if (pack === undefined) return { entryPoints: Object.fromEntries(entries.map((file) => [bundleName(file), file])) };
  if (standalone.includes(pack)) return { entryPoints: { [bundleName(pack)]: pack } };
  const parts = packs[pack].map((file) => `export * as ${exportName(file)} from '${file.startsWith('src/') ? `./${file}` : file}';`);
  return { stdin: { contents: parts.join('\n'), resolveDir: root, sourcefile: `${pack}.mjs` }, entryNames: pack };
}

/** What a pack calls one of its modules. */
function exportName(file) {
  return bundleName(file).replaceAll(/[^a-z0-9]/gi, '_');
}

function stemOf(file) {
  return file.replace(/\.(tsx?|js)$/, '');
}

function bundleName(file) {
  return stemOf(file)
    .replace(/^(src|node_modules)\//, '')
    .replace(/\/index$/, '')
    .replaceAll('/', '-');
}

/** Modules that must exist once but stand in several bundles. */
function copiedModules(metafiles) {
  const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs));
  const copies = outputs.flatMap((output) => Object.keys(output.inputs).filter((file) => file.startsWith('src/')));
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

/** For this Node alone; a package that is installed with another one does without. */
async function compiledCode() {
  const home = join(fresh, 'home');
  const env = { PATH: process.env.PATH, PAYCLI_STATE_DIR: join(home, 'state'), PAYCLI_CONFIG_DIR: join(home, 'config') };
  await run(process.execPath, [join(root, '.ci/compile-code.cjs'), fresh], { cwd: fresh, env }).catch((error) => {
    throw new Error(`The usual commands failed, so their code cannot be kept:\n${error.stderr || error.message}`);
  });
  rmSync(home, { recursive: true });
}

async function library() {
  writeFileSync(join(fresh, 'lib/package.json'), '{ "type": "module" }\n');
  const entryPoints = { index: 'src/index.ts', signing: 'src/signing/library.ts' };
  await build({
    ...common,
    external: [...external, '@photostructure/sqlite'],
    entryPoints,
    outdir: join(fresh, 'lib'),
    format: 'esm',
    splitting: true,
    chunkNames: 'part-[hash]',
  });
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
