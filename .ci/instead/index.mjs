// An esbuild plugin. Some of what bundled packages load has no use in paycli and costs start-up time; the files beside this one stand in
// its place.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const stands = [
  { of: 'undici', file: 'undici.mjs' },
  { of: 'node:http', inside: 'undici', file: 'http.cjs' },
  { of: './client-h2.js', inside: 'undici', file: 'client-h2.cjs' },
  { of: '../web/fetch/body.js', inside: 'undici', file: 'fetch-body.cjs' },
  { of: 'node:assert', inside: 'undici', file: 'assert.cjs' },
  { of: 'node:child_process', inside: 'commander', file: 'child-process.cjs' },
  { of: '#supports-color', inside: 'chalk', file: 'supports-color.mjs' },
  // Its module face asks where it lies by `import.meta`, which a CommonJS bundle has not.
  { of: '@photostructure/sqlite', file: '../../node_modules/@photostructure/sqlite/dist/index.cjs' },
  { of: 'node-gyp-build', inside: '@photostructure/sqlite', file: 'node-gyp-build.mjs' },
];

/** Of the tables of undici's parser only those it is asked for, as data: the module works them all out at every start. */
function parserTables(path) {
  const tables = createRequire(path)(path);
  const user = readFileSync(join(dirname(path), '../dispatcher/client-h1.js'), 'utf8');
  const asked = new Set([...user.matchAll(/\bconstants\.(\w+)/g)].map(([, name]) => name));
  if (asked.size === 0) throw new Error('undici reads the tables of its parser in another way');
  return { loader: 'json', contents: JSON.stringify(Object.fromEntries([...asked].map((name) => [name, tables[name]]))) };
}

/** With names, only what stands for these. */
export function instead(...names) {
  const wanted = stands.filter(({ of }) => names.length === 0 || names.includes(of));
  return {
    name: 'instead',
    setup(setup) {
      if (names.length === 0) setup.onLoad({ filter: /undici.lib.llhttp.constants\.js$/ }, ({ path }) => parserTables(path));
      for (const { of, inside, file } of wanted) {
        const path = fileURLToPath(new URL(file, import.meta.url));
        setup.onResolve({ filter: new RegExp(`^${of}$`) }, ({ importer }) =>
          inside === undefined || importer.includes(`node_modules/${inside}/`) ? { path } : undefined,
        );
      }
    },
  };
}
