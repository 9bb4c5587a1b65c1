// Preloaded by the budget check: tells at the end, on descriptor 3, which files the program evaluated and which of Node's own modules it
// loaded besides those of a bare start.
const { writeSync, statSync } = require('node:fs');
const { builtinModules } = require('node:module');

const publicNames = new Set(builtinModules);
const bare = new Set(process.moduleLoadList);
process.on('exit', () => {
  const files = Object.keys(require.cache).filter((file) => file !== __filename && /\.(?:js|cjs|json)$/.test(file));
  const loaded = process.moduleLoadList.filter((name) => !bare.has(name)).map((name) => name.replace(/^NativeModule /, ''));
  const facts = {
    modules: files.length,
    bytes: files.reduce((sum, file) => sum + statSync(file).size, 0),
    builtins: loaded.filter((name) => publicNames.has(name)).sort(),
  };
  writeSync(3, JSON.stringify(facts));
});
