// Runs one command and keeps the code V8 compiled for it where src/runtime/run-bundle.ts looks: node .ci/keep-code.cjs DIST WORD …
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { wrap } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');

const [program, , dist, ...words] = process.argv;
const file = join(dist, 'main.cjs');
const source = readFileSync(file);
// Stack traces show this name wherever the package lies.
const script = new Script(wrap(source.toString('latin1')), { filename: 'dist/main.cjs' });
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
process.on('exit', () => {
  const code = script.createCachedData();
  mkdirSync(join(dist, 'code'));
  const made = `${process.platform}-${process.arch}-${process.versions.v8}-${sha256(source)}-${sha256(code)}`;
  writeFileSync(join(dist, 'code', made), code);
});
process.argv = [program, join(dist, 'entry.cjs'), ...words];
script.runInThisContext()(exports, require, module, file, dist);
