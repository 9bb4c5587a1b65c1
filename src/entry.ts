import { readFileSync, writeSync } from 'node:fs';

/** Put in by the build. */
declare const PAYCLI_VERSION: string;

/**
 * What the shim loads. It answers the version and the root help alone, because everything else costs start-up time,
 * and leaves the rest to the program.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const asked = process.argv.length === 3 ? process.argv[2] : undefined;

if (major < 20 || (major === 20 && minor < 19)) {
  write(2, `paycli needs Node 20.19 or later; this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else if (asked === '--version' || asked === '-V') {
  write(1, `${PAYCLI_VERSION}\n`);
} else if (asked === '--help' || asked === '-h') {
  write(1, readFileSync(`${__dirname}/root-help.txt`, 'utf8'));
} else {
  require('./main.js');
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
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
