// Plants one defect after the other in a copy of the tree; each must make a test fail that passes without it.
// All of them, or those named by number: node .ci/planted-defects.mjs 4 5
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defects } from './defects.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'paycli-defects-'));
const report = join(copy, 'report.json');
const asked = process.argv.slice(2).map(Number);
const chosen = asked.length === 0 ? defects : defects.filter(({ number }) => asked.includes(number));

try {
  makeCopy();
  let failed = 0;
  for (const defect of chosen) if (!(await isCaught(defect))) failed += 1;
  console.log(`\nplanted defects: ${chosen.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || chosen.length === 0 ? 1 : 0;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** The caches of builds stay apart from those of the tree itself. */
function makeCopy() {
  const left = ['node_modules', 'dist', '.git'].map((name) => join(root, name));
  cpSync(root, copy, { recursive: true, filter: (path) => !left.includes(path) });
  mkdirSync(join(copy, 'node_modules'));
  const modules = readdirSync(join(root, 'node_modules')).filter((name) => !name.startsWith('.') || name === '.bin');
  for (const name of modules) symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
}

async function isCaught(defect) {
  const { number, what } = defect;
  const without = await failing(defect);
  if (without.length > 0)
    return tell(`${number} ${what}: FAILED, its tests fail without it: ${without.join('; ')}`, false);
  const parts = [defect, ...(defect.also ?? [])].map((part) => ({
    ...part,
    path: join(copy, part.file),
    good: readFileSync(join(copy, part.file), 'utf8'),
  }));
  try {
    for (const part of parts) writeFileSync(part.path, planted(part.good, part));
    const names = await failing(defect);
    if (names.length === 0) return tell(`${number} ${what}: FAILED, no test finds it`, false);
    return tell(`${number} ${what}: caught by ${names.length}\n    ${names.slice(0, 5).join('\n    ')}`, true);
  } finally {
    for (const { path, good } of parts) writeFileSync(path, good);
  }
}

function tell(line, verdict) {
  console.log(line);
  return verdict;
}

function planted(text, { change, file }) {
  let changed = text;
  for (const [from, to] of change) {
    if (changed.split(from).length !== 2) throw new Error(`${file} does not hold once: ${from}`);
    changed = changed.replace(from, () => to);
  }
  return changed;
}

/** Names of the tests that fail. */
async function failing({ tests: [file, name] }) {
  rmSync(report, { force: true });
  const words = [
    'vitest',
    'run',
    '--config',
    'test/vitest.config.ts',
    file,
    '--reporter=json',
    `--outputFile=${report}`,
  ];
  await new Promise((done) =>
    execFile('npx', name === '' ? words : [...words, '-t', name], { cwd: copy, maxBuffer: 2 ** 28 }, done),
  );
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failures = results.filter(({ status }) => status === 'failed');
  const broken = failures.find(({ failureMessages }) => failureMessages.some((text) => text.includes('.ci/build.mjs')));
  if (broken !== undefined) throw new Error(`the build failed:\n${broken.failureMessages.join('\n')}`);
  if (results.every(({ status }) => status !== 'passed' && status !== 'failed'))
    throw new Error(`no test ran in ${file} for ${name}`);
  return failures.map(({ fullName }) => fullName);
}
