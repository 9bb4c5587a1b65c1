// An esbuild plugin. Some of what bundled packages load has no use in paycli and costs start-up time; the files beside this one stand in
// its place.
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

/** With names, only what stands for these. */
export function instead(...names) {
  const wanted = stands.filter(({ of }) => names.length === 0 || names.includes(of));
  return {
    name: 'instead',
    setup(setup) {
      for (const { of, inside, file } of wanted) {
        const path = fileURLToPath(new URL(file, import.meta.url));
        setup.onResolve({ filter: new RegExp(`^${of}$`) }, ({ importer }) =>
          inside === undefined || importer.includes(`node_modules/${inside}/`) ? { path } : undefined,
        );
      }
    },
  };
}
