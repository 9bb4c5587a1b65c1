import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LeftOut } from './support/left-out.js';
import { missingPrograms, programs } from './support/programs.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const missing = missingPrograms();

export default defineConfig({
  root,
  define: { PAYCLI_VERSION: JSON.stringify(version) },
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    exclude: ['test/bench/**'],
    setupFiles: process.env['FC_RUNS'] === undefined ? [] : ['test/support/property-runs.ts'],
    tags: programs.map((name) => ({ name, ...(missing.includes(name) ? { skip: true } : {}) })),
    reporters: ['default', new LeftOut(missing)],
    pool: 'forks',
    // Vitest leaves one processor out, which on two of them halves the speed.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
