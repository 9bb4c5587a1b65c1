// Writes the table of the README's section "Speed" from kept results, or with --check only says whether it is up to date.
// node test/bench/readme.mjs [--check] [RESULTS [README]]
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readmeTable } from './table.mjs';

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });
const [
  results = fileURLToPath(new URL('results.json', import.meta.url)),
  readme = fileURLToPath(new URL('../../README.md', import.meta.url)),
] = positionals;

const text = readFileSync(readme, 'utf8');
const block = `<!-- measured -->\n${readmeTable(JSON.parse(readFileSync(results, 'utf8')))}<!-- end -->`;
if (!/<!-- measured -->\n[\s\S]*?<!-- end -->/.test(text)) throw new Error(`${readme} has no <!-- measured --> … <!-- end -->`);
const renewed = text.replace(/<!-- measured -->\n[\s\S]*?<!-- end -->/, () => block);
if (!values.check) writeFileSync(readme, renewed);
else if (renewed !== text) {
  console.error(`the table of ${readme} is not the one of ${results}; \`node test/bench/readme.mjs\` writes it`);
  process.exitCode = 1;
}
