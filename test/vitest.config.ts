import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongFirst } from './support/long-first.js';
import { missingPrograms, programs } from './support/programs.js';

// The tests trust no certificate of this machine, and reading them doubles what a start of Node costs.
delete process.env['NODE_EXTRA_CA_CERTS'];

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const missing = missingPrograms();

// In memory a flush costs nothing, and a journal or a database flushes at every step. TMPDIR set on purpose wins.
const memory = '/dev/shm';
const scratch = process.env['TMPDIR'] === undefined && existsSync(memory) && hasRoom(memory) ? newScratch() : undefined;

/**
 * A folder for everybody, as the usual one is: a database server runs as another user. It goes with this process, for
 * memory is dear.
 */
function newScratch(): string {
  const folder = mkdtempSync(join(memory, 'paycli-'));
  chmodSync(folder, 0o1777);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** 4 GiB. */
function hasRoom(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 4 * 2 ** 30;
}

export default defineConfig({
  root,
  define: { PAYCLI_VERSION: JSON.stringify(version) },
  // As the build does: a help topic, a completion script or a program of `sign --code` is its text.
  plugins: [
    {
      name: 'texts',
      transform: (text, path) =>
        /\.(?:md|sql|bash|zsh|fish|ps1|sh|php|py|node\.mjs|java|cs)$/.test(path)
          ? `export default ${JSON.stringify(text)}`
          : undefined,
    },
  ],
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    // LONG=1, in .ci/nightly: what measures time or memory, or sends every fault at once.
    // NIGHT=1, there as well: what tries in depth what other tests have a sample of.
    exclude: [
      'test/bench/**',
      ...(process.env['LONG'] === undefined ? ['test/**/*.long.test.ts'] : []),
      ...(process.env['NIGHT'] === undefined ? ['test/**/*.night.test.ts'] : []),
    ],
    setupFiles: ['test/support/properties.ts'],
    env: scratch === undefined ? {} : { TMPDIR: scratch },
    tags: programs.map((name) => ({ name, ...(missing.includes(name) ? { skip: true } : {}) })),
    pool: 'forks',
    // No test replaces a module, so none needs modules of its own: a sixth of the time.
    isolate: false,
    // Many tests wait for another process, so one for each processor leaves it idle; but each worker loads and compiles
    // all modules, and with three the command-line tests take a tenth more of the processor. A number: of '200%' Vitest
    // makes no more than the processors.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: LongFirst },
    // Most of what a test makes is thrown away at once; with Node's 16 MB for it a twentieth of the time goes to collecting it.
    execArgv: ['--max-semi-space-size=64'],
    // What was transformed is kept in node_modules, by the content of each file.
    experimental: { fsModuleCache: true },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
