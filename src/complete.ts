import { answer } from './cli/docs/completion/answer.js';
import { nodeRuntime } from './runtime/node.js';

/**
 * What a shell asks for at a TAB, as a program of its own: it has to be quick, and the whole program takes longer to
 * load than this takes to answer.
 */
const argv = process.argv.slice(2);
void answer(argv.slice(argv.indexOf('--') + 1), nodeRuntime()).then(
  (code) => process.exit(code),
  () => process.exit(1),
);
