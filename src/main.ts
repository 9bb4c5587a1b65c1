import { everyPart } from './cli/commands/index.js';
import { start } from './start.js';

start({
  parts: everyPart,
  runHidden: async (argv, runtime) => (await import('./cli/commands/hidden.js')).runHidden(argv, runtime),
});
