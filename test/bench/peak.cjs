// Loaded before a program whose memory is measured. The peak of the system's own account of resources is no use: a child starts
// with that of its parent.
const { readFileSync, writeSync } = require('node:fs');

process.once('exit', () => writeSync(2, `\npeak ${peakKiB()} KiB\n`));

function peakKiB() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS;
  return /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))[1];
}
