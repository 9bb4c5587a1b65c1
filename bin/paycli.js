#!/usr/bin/env node
'use strict';

// Answers the version by itself and loads the program for the rest, where Node can with the code it compiled before.
const { accessSync, writeSync } = require('node:fs');
const { isAbsolute, join } = require('node:path');
const [major, minor] = process.versions.node.split('.').map(Number);
const words = process.argv.slice(2);
const program = join(__dirname, '../dist/paycli.cjs');

if (major < 20 || (major === 20 && minor < 19))
  stop(`paycli needs Node 20.19 or later; this is ${process.versions.node}`);
else if (words.length === 1 && (words[0] === '--version' || words[0] === '-V'))
  write(1, require('../package.json').version);
else load();

function load() {
  try {
    accessSync(program);
  } catch {
    return stop('paycli is not built: run npm run build');
  }
  const cache = cacheFolder();
  if (cache !== undefined) require('node:module').enableCompileCache?.(cache);
  try {
    require(program);
  } catch (error) {
    stop(`paycli could not be loaded: ${error.code ?? error.message}`);
  }
}

/** The user's own: anyone may write into the folder for temporary files, and compiled code is run as it is. */
function cacheFolder() {
  const { HOME = '', LOCALAPPDATA = '', XDG_CACHE_HOME } = process.env;
  const usual = join(HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache');
  const folder = process.platform === 'win32' ? LOCALAPPDATA : XDG_CACHE_HOME || usual;
  return isAbsolute(folder) ? join(folder, 'paycli') : undefined;
}

function stop(text) {
  write(2, text);
  process.exitCode = 1;
}

/** A reader that has gone is no error. */
function write(descriptor, line) {
  try {
    writeSync(descriptor, `${line}\n`);
  } catch (error) {
    if (error.code !== 'EPIPE') throw error;
  }
}
