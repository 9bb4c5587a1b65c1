// Builds dist/ in a temporary folder and puts it in place only when every step succeeded.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildLibrary } from './build-library.mjs';
import { licencesOf } from './licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [dist, fresh] = [join(root, 'dist'), join(root, `node_modules/.cache/paycli-build-${process.pid}`)];
const old = `${fresh}-old`;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
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
  // Left outside: native, optional, or (typescript) wanted only in a checkout.
  external: ['@photostructure/sqlite', '@napi-rs/keyring', 'pg', 'pg-boss', 'typescript'],
  // cosmiconfig requires it, our own code imports it: one copy is enough.
  alias: { 'js-yaml': join(root, 'node_modules/js-yaml/dist/js-yaml.mjs') },
};
const program = {
  entryPoints: ['src/entry.ts', 'src/main.ts', 'src/main-payments.ts', 'src/complete.ts'],
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

try {
  const { metafile } = await build({ ...common, ...program });
  await buildLibrary(common, join(fresh, 'lib'));
  writeFileSync(join(fresh, 'licenses.txt'), licencesOf(metafile, root));
  writeFileSync(join(fresh, 'root-help.txt'), node(join(fresh, 'entry.cjs'), '__root-help'));
  writeFileSync(join(fresh, 'payment-commands.txt'), node(join(fresh, 'entry.cjs'), '__payment-commands'));
  for (const [command, folder] of Object.entries({ '__help-sheets': 'help', __man: 'man' })) {
    node(join(fresh, 'entry.cjs'), command, folder);
    // For every user of the machine: the program itself makes folders for its own user only.
    chmodSync(join(fresh, folder), 0o755);
  }
  if (process.versions.node.startsWith('20.'))
    for (const bundle of ['main.cjs', 'main-payments.cjs', 'complete.cjs'])
      node(join(root, '.ci/keep-code.cjs'), join(fresh, bundle));
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

/** What a script prints, run in the new folder without anybody's settings. */
function node(...words) {
  const home = { PAYCLI_STATE_DIR: join(fresh, 'home/state'), PAYCLI_CONFIG_DIR: join(fresh, 'home/config') };
  const env = { PATH: process.env.PATH, NO_COLOR: '1', PAYCLI_PROFILE: 'sandbox', ...home };
  return execFileSync(process.execPath, words, { cwd: fresh, env, encoding: 'utf8', stdio: 'pipe' });
}
