import type { Commands } from './cli/core/command-line.js';
import { nodeRuntime } from './runtime/node.js';

/** Runs the command line of this process with these commands besides the operations, and ends with its exit code. */
export function start(commands: Commands): void {
  // A prompt library may end the process early without an answer: until the command has ended, that is a failure.
  process.exitCode = 1;
  const argv = process.argv.slice(2);
  const runtime = nodeRuntime();
  const program = import('./cli/core/run-line.js');
  // What was written is written: output goes to the descriptors directly. Exiting here ends a name lookup nobody waits
  // for.
  const end = (exit: Promise<number>) =>
    exit.then(
      (code) => process.exit(code),
      () => process.exit(1),
    );
  // A fault in a callback nobody awaits. Left to itself it would be printed with its message, which may hold anything.
  process.on(
    'uncaughtException',
    (error) => void end(program.then(({ reportError }) => reportError(error, argv, runtime, commands))),
  );
  void end(program.then(({ runLine }) => runLine(argv, runtime, commands)));
}
