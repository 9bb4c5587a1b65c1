import { run } from './run.js';
import { nodeRuntime } from './runtime/node.js';

// A prompt library may end the process early without an answer: until run() says otherwise, that is a failure.
process.exitCode = 1;

run(process.argv.slice(2), nodeRuntime()).then(
  (exit) => {
    process.exitCode = exit;
  },
  () => {
    process.exitCode = 1;
  },
);
