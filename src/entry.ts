import { fstatSync, readFileSync, writeSync } from 'node:fs';
import { type HelpSheet, layOut, layOutRoot } from './cli/core/help-sheet.js';
import { runBundle } from './runtime/run-bundle.js';

/** Defined by the build. */
declare const PAYCLI_VERSION: string;

/**
 * What `bin/paycli.js` loads. It answers the version and `--help` alone, from what the build wrote down, because
 * everything else costs start-up time, and leaves the rest to a program: that of payments alone where it has the
 * command, as it loads in half the time.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const words = process.argv.slice(2);
const [last, path] = [words.at(-1), words.slice(0, -1)];
const only = path.length === 0 ? last : undefined;
const sheet = path.length > 0 && (last === '--help' || last === '-h') ? helpSheet() : undefined;

if (major < 20 || (major === 20 && minor < 19)) {
  write(2, `paycli needs Node 20.19 or later; this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else if (only === '--version' || only === '-V') {
  write(1, `${PAYCLI_VERSION}\n`);
} else if (only === '--help' || only === '-h') {
  write(1, layOutRoot(readFileSync(`${__dirname}/root-help.txt`, 'utf8'), columns()));
} else if (sheet !== undefined) {
  write(1, layOut(sheet, columns()));
} else {
  runBundle(words[0] === '__complete' ? 'complete.cjs' : isPayment(words) ? 'main-payments.cjs' : 'main.cjs');
}

/** Whether the program of payments has this command, by the list that the build wrote. */
function isPayment([first = '', second = '']: readonly string[]): boolean {
  try {
    const known = readFileSync(`${__dirname}/payment-commands.txt`, 'utf8').trim().split('\n');
    return known.includes(first) || known.includes(`${first} ${second}`);
  } catch {
    return false;
  }
}

/** The help of the command at this path; undefined when there is none, or the program has to compute it. */
function helpSheet(): HelpSheet | undefined {
  if (!path.every((word) => /^[a-z0-9][a-z0-9-]*$/.test(word))) return undefined;
  try {
    return JSON.parse(readFileSync(`${__dirname}/help/${path.join('.')}.json`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Of the terminal. `node:tty` is slow to load, so it is not asked about a pipe or a file. */
function columns(): number {
  const kind = fstatSync(1);
  if (kind.isFIFO() || kind.isFile() || kind.isSocket() || !process.getBuiltinModule('node:tty').isatty(1)) return 80;
  return (process.stdout.columns ?? process.stderr.columns) || 80;
}

/** Streams are slow to load, so this writes to the descriptor: a full pipe is waited for, a closed one is no error. */
function write(descriptor: 1 | 2, text: string): void {
  let rest: Uint8Array = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN') throw error;
      // The pipe is full: tried again after 5 ms.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
