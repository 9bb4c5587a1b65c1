import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';
import { makeFixture, shop, userFile } from './support.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

// In a process of its own, since a search for configuration starts where the process stands.
const program = `
import { loadProfile } from './src/config/load-profile.ts';
import { openFiles } from './src/runtime/files.ts';
const [home, working] = process.argv.slice(2);
loadProfile({}, { env: {}, files: openFiles({}, { home, working }) }).then(({ profile, output }) => {
  setTimeout(() => console.log(JSON.stringify([profile?.name, output])), 200);
});
`;

const mark = (name: string) => `require('fs').writeFileSync(__dirname + '/ran-${name}', '');`;
const markModule = (name: string) =>
  `import { writeFileSync } from 'node:fs'; writeFileSync(new URL('./ran-${name}', import.meta.url), '');`;
const settings = { output: 'text', $import: './evil.js', searchPlaces: ['evil.js'], loaders: { '.js': 'evil.js' } };

const traps: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ paycli: settings, cosmiconfig: settings }),
  'package.yaml': 'cosmiconfig: { searchPlaces: [evil.js] }',
  'evil.js': mark('evil'),
  '.env': 'PAYCLI_OUTPUT=text',
  '.paycli.js': mark('js'),
  '.paycli.cjs': mark('cjs'),
  '.paycli.mjs': markModule('mjs'),
  '.paycli.ts': mark('ts'),
  '.paycli/index.js': mark('index'),
  '.paycli.config.js': mark('own-config'),
  'paycli.config.js': mark('config'),
  'paycli.config.mjs': markModule('config-mjs'),
  '.paycli.toml': 'output = "text"',
  '.paycli.json5': '{output: "text"}',
  '.paycli.yaml.js': mark('double'),
};
const kinds = ['js', 'cjs', 'mjs', 'ts'];
const inFolder = [
  ...kinds.map((kind) => `paycli.${kind}`),
  ...kinds.map((kind) => `paycli.config.${kind}`),
  ...kinds.map((kind) => `config.${kind}`),
];
const rc = [...kinds.map((kind) => `.paycli.${kind}`), ...kinds.map((kind) => `paycli.config.${kind}`)];

// The files of packages come first in a search and would hide what stands after them.
test.each([true, false])(
  'nothing in a hostile folder is run or followed (package files: %s)',
  { timeout: 60_000 },
  (isPackage) => {
    const fixture = makeFixture('repo/trap');
    const script = fixture.write('out/program.cjs', '');
    buildSync({
      stdin: { contents: program, resolveDir: root, loader: 'ts' },
      outfile: script,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['typescript'],
      absWorkingDir: root,
    });
    const named = [...inFolder.map((name) => join('.config', name)), ...rc];
    for (const folder of ['repo/trap', 'repo', '.']) {
      for (const name of named)
        fixture.write(
          join(folder, name),
          name.endsWith('mjs') ? markModule(`x-${name.length}`) : mark(`x-${name.length}`),
        );
      for (const [name, text] of Object.entries(traps)) {
        if (isPackage || !name.startsWith('package.')) fixture.write(join(folder, name), text);
      }
    }
    fixture.write(userFile, shop);
    const run = () =>
      execFileSync(process.execPath, [script, fixture.home, fixture.working], {
        cwd: fixture.working,
        encoding: 'utf8',
      }).trim();
    expect(run()).toBe('["shop-test",null]');
    fixture.write('repo/trap/.paycli.yaml', 'output: json');
    expect(run()).toBe('["shop-test","json"]');
    const ran = readdirSync(fixture.home, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.includes('ran-'),
    );
    expect(ran).toEqual([]);
  },
);
