#!/usr/bin/env node
'use strict';

try {
  require('../dist/entry.cjs');
} catch (error) {
  const isUnbuilt = error.code === 'MODULE_NOT_FOUND' && error.requireStack[0] === __filename;
  if (!isUnbuilt) throw error;
  require('node:fs').writeSync(2, 'paycli is not built: run npm run build\n');
  process.exitCode = 1;
}
