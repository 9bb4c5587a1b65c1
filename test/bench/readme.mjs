// Writes the tables of speed from kept results, or with --check only says whether they are up to date: all rows into the README of
// this folder, the rows of a reader's first questions into the README of the project.
// node test/bench/readme.mjs [--check] [RESULTS [FILE…]]
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { allRows, fewRows } from './table.mjs';

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [kept = here('results.json'), ...named] = positionals;
const files = named.length === 0 ? [here('README.md'), here('../../README.md')] : named;
const results = JSON.parse(readFileSync(kept, 'utf8'));
const tables = { 'measured: all': allRows, measured: fewRows };

for (const file of files) {
  const text = readFileSync(file, 'utf8');
  const marked = /<!-- (measured(?:: all)?) -->\n[\s\S]*?<!-- end -->/;
  if (!marked.test(text)) throw new Error(`${file} has no <!-- measured --> … <!-- end -->`);
  const renewed = text.replace(marked, (_, name) => `<!-- ${name} -->\n${tables[name](results)}<!-- end -->`);
  if (!values.check) writeFileSync(file, renewed);
  else if (renewed !== text) {
    console.error(`the table of ${file} is not the one of ${kept}; \`node test/bench/readme.mjs\` writes it`);
    process.exitCode = 1;
  }
}
