import { run } from './run.js';
import { nodeRuntime } from './runtime/node.js';

// A prompt library may end the process early without an answer: until run() says otherwise, that is a failure.
process.exitCode = 1;

// What was written is written: output goes to the descriptors directly. Exiting here ends a name lookup nobody waits for.
run(process.argv.slice(2), nodeRuntime()).then(
  (exit) => process.exit(exit),
  () => process.exit(1),
);
