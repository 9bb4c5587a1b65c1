import { reportError, runLine } from './cli/program.js';
import { nodeRuntime } from './runtime/node.js';

// A prompt library may end the process early without an answer: until the command has ended, that is a failure.
process.exitCode = 1;
const argv = process.argv.slice(2);
const runtime = nodeRuntime();

// A fault in a callback nobody awaits. Left to itself it would be printed with its message, which may hold anything.
process.on('uncaughtException', (error) => void end(reportError(error, argv, runtime)));
void end(runLine(argv, runtime));

/**
 * What was written is written: output goes to the descriptors directly. Exiting here ends a name lookup nobody waits
 * for.
 */
function end(exit: Promise<number>): Promise<never> {
  return exit.then(
    (code) => process.exit(code),
    () => process.exit(1),
  );
}
