// Runs usual commands of a program one after another and keeps the code V8 compiled for them where
// src/runtime/run-bundle.ts looks: node .ci/keep-code.cjs dist/main.cjs
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { wrap } = require('node:module');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');

const sale = ['sale', '--amount', '10.42', '--currency', 'USD', '--test-card', 'approved', '--json'];
const usual = {
  'main.cjs': [[...sale, '--client-order-id', 'order-1'], ['order', 'order-1'], ['orders']],
  'main-payments.cjs': [sale, ['sign', ...sale]],
  'complete.cjs': [['__complete', '--', 'orders', 'capture']],
};
const [program, , file] = process.argv;
const dist = dirname(file);
const source = readFileSync(file);
// Stack traces show this name wherever the package lies. As bytes: V8 would keep the whole path for a part of its text.
const name = Buffer.from(`dist/${basename(file)}`).toString();
const script = new Script(wrap(source.toString('latin1')), { filename: name });
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const { exit } = process;
const rest = usual[basename(file)];

function runNext() {
  const words = rest.shift();
  process.argv = [program, join(dist, 'entry.cjs'), ...words];
  script.runInThisContext()(exports, require, module, file, dist);
}

// A command ends by this call, which is the moment for the one after it.
process.exit = (status) => {
  if (status !== 0) exit(status);
  if (rest.length > 0) return runNext();
  const code = script.createCachedData();
  mkdirSync(join(dist, 'code'), { recursive: true });
  const made = `${process.platform}-${process.arch}-${process.versions.v8}-${sha256(source)}-${sha256(code)}`;
  writeFileSync(join(dist, 'code', made), code);
  exit(0);
};
runNext();
