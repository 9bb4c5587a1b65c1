import { allCommands } from './cli/commands/index.js';
import { start } from './start.js';

start(allCommands);
