// Plants one defect after the other in a copy of the tree; each must make a test fail that passes without it.
// All of them, or those named by number: node .ci/planted-defects.mjs 4 5
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defects } from './defects.mjs';

/** One for each processor, as most defects need one test file only. */
const copiesAtWork = 2;

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'paycli-defects-'));
const asked = process.argv.slice(2).map(Number);
const chosen = asked.length === 0 ? defects : defects.filter(({ number }) => asked.includes(number));

process.once('SIGINT', () => process.exit(130));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

assertPlantable();
const first = makeCopy('copy-0');
const failingBefore = await failuresWithout(first);
const waiting = [...chosen];
// All copies are made before the first defect is planted.
const copies = Array.from({ length: copiesAtWork }, (_, at) => (at === 0 ? first : copyOfFirst(at)));
const verdicts = await Promise.all(copies.map(workOff));
const failed = verdicts.flat().filter((isCaught) => !isCaught).length;
console.log(`\nplanted defects: ${chosen.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 || chosen.length === 0 ? 1 : 0;

/** The caches of builds and of Vitest stay apart from those of the tree itself. */
function makeCopy(name) {
  const copy = join(folder, name);
  const left = ['node_modules', 'dist', '.git'].map((each) => join(root, each));
  cpSync(root, copy, { recursive: true, filter: (path) => !left.includes(path) });
  mkdirSync(join(copy, 'node_modules'));
  const modules = readdirSync(join(root, 'node_modules')).filter((each) => !each.startsWith('.') || each === '.bin');
  for (const each of modules) symlinkSync(join(root, 'node_modules', each), join(copy, 'node_modules', each));
  return copy;
}

/** It takes over what the first copy has transformed and built. */
function copyOfFirst(at) {
  const copy = join(folder, `copy-${at}`);
  cpSync(first, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  return copy;
}

async function workOff(copy) {
  const found = [];
  for (let defect = waiting.shift(); defect !== undefined; defect = waiting.shift())
    found.push(await isCaught(defect, copy));
  return found;
}

/** Every text that a defect replaces must be there, before anything takes its time. */
function assertPlantable() {
  for (const defect of chosen)
    for (const part of partsOf(defect)) planted(readFileSync(join(root, part.file), 'utf8'), part);
}

/** Names of the tests that fail without any defect, by the file and the name that are wanted: one run for all. */
async function failuresWithout(copy) {
  const wanted = new Map(chosen.map(({ tests }) => [String(tests), tests]));
  const failures = new Map();
  const files = [...wanted.values()].map(([file]) => file);
  const names = [...wanted.values()].map(([, name]) => `(?:${name})`);
  const results = await run(copy, unique(files), unique(names).join('|'));
  for (const [key, tests] of wanted) failures.set(key, failuresIn(results, tests));
  return failures;
}

async function isCaught(defect, copy) {
  const { number, what, tests } = defect;
  const before = failingBefore.get(String(tests));
  if (before.length > 0)
    return tell(`${number} ${what}: FAILED, its tests fail without it: ${before.join('; ')}`, false);
  const parts = partsOf(defect).map((part) => {
    const path = join(copy, part.file);
    return { ...part, path, good: readFileSync(path, 'utf8') };
  });
  try {
    for (const part of parts) writeFileSync(part.path, planted(part.good, part));
    const [file, name] = tests;
    const names = failuresIn(await run(copy, [file], name), tests);
    if (names.length === 0) return tell(`${number} ${what}: FAILED, no test finds it`, false);
    return tell(`${number} ${what}: caught by ${names.length}\n    ${names.slice(0, 5).join('\n    ')}`, true);
  } catch (error) {
    return tell(`${number} ${what}: FAILED, ${error.message}`, false);
  } finally {
    for (const { path, good } of parts) writeFileSync(path, good);
  }
}

function partsOf(defect) {
  return [defect, ...(defect.also ?? [])];
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

function unique(list) {
  return [...new Set(list)];
}

/** The tests of these files whose names match. */
async function run(copy, files, name) {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const words = ['vitest', 'run', '--config', 'test/vitest.config.ts', ...files, `--testNamePattern=${name}`];
  const json = ['--reporter=json', `--outputFile=${report}`];
  await new Promise((done) => execFile('npx', [...words, ...json], { cwd: copy, maxBuffer: 2 ** 28 }, done));
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return testResults.flatMap(({ name: path, message, assertionResults }) => {
    const file = relative(copy, path);
    // A text that cannot be loaded is no defect that a test finds.
    if (assertionResults.length === 0) throw new Error(`${file} has no tests: ${message}`);
    return assertionResults.map((result) => ({ ...result, file }));
  });
}

function failuresIn(results, [file, name]) {
  const wanted = results.filter((each) => each.file === file && new RegExp(name).test(each.fullName));
  const failures = wanted.filter(({ status }) => status === 'failed');
  const notBuilt = failures.find(({ failureMessages }) =>
    failureMessages.some((text) => text.includes('.ci/build.mjs')),
  );
  if (notBuilt !== undefined) throw new Error(`the build failed:\n${notBuilt.failureMessages.join('\n')}`);
  if (wanted.every(({ status }) => status !== 'passed' && status !== 'failed'))
    throw new Error(`no test ran in ${file} for ${name}`);
  return failures.map(({ fullName }) => fullName);
}
