import type { Command } from 'commander';
import type { ProgramContext } from './context.js';
import type { Build } from './whole-tree.js';

interface Tool {
  /** First words of the commands it adds. */
  readonly names: readonly string[];
  readonly add: (program: Command, context: ProgramContext, tree: Build) => Promise<void>;
}

/** `tree` builds the whole tree anew: the one at hand has the flags of one operation at most. */
type Add = (command: Command, context: ProgramContext, tree: Build) => void;

/** A command by itself, whose own function gives it its flags. */
function alone(name: string, brief: string, load: () => Promise<Add>): Tool {
  return several([name], async () => {
    const add = await load();
    return (program, ...rest) => add(program.command(name).description(brief).helpGroup('Tools:'), ...rest);
  });
}

function several(names: readonly string[], load: () => Promise<Add>): Tool {
  return { names, add: async (...given) => (await load())(...given) };
}

const small = () => import('./small-tools.js');
const threeds = () => import('./threeds-tools.js');

/** Every command that is no operation, in the order of the root help. What builds it is loaded when it is wanted. */
export const tools: readonly Tool[] = [
  alone('sign', '', async () => (await import('./sign-tools.js')).addSign),
  alone('init', '', async () => (await import('./init-tools.js')).addInit),
  alone('request', 'Send to a path by hand, signed', async () => (await small()).addRequest),
  alone('recipe', 'Contract of one operation: path, fields, scheme, order of the checksum', async () => (await small()).addRecipe),
  alone('keys', 'Keys for the RSA-SHA256 signatures: make, inspect, convert', async () => (await import('./keys-tools.js')).addKeys),
  alone('assumptions', 'What the interface does not say, and what is assumed', async () => (await small()).addAssumptions),
  alone('sandbox', 'The gateway in the box', async () => (await import('./sandbox-tools.js')).addSandbox),
  alone('3ds', '3-D Secure messages and flows, for tests', async () => (await threeds()).addThreeds),
  several(['form'], async () => (await threeds()).addFormFill),
  several(['callback'], async () => (await import('./callback-tools.js')).addCallbacks),
  several(['wait', 'timeline'], async () => (await import('./wait-tools.js')).addWaiting),
  several(['resolve', 'journal'], async () => (await import('./journal-tools.js')).addJournal),
  several(['batch'], async () => (await import('./batch-tools.js')).addBatch),
  several(['live'], async () => (await import('./live-tools.js')).addLive),
  several(['support'], async () => (await import('./support-tools.js')).addSupport),
  several(['profile', 'config', 'whoami'], async () => (await import('./profile-tools.js')).addProfiles),
  alone('flow', 'Where an order stands, and everything that may follow', async () => (await small()).addFlow),
  alone('can', 'Whether an operation may follow on an order', async () => (await small()).addCan),
  alone('doctor', '', async () => (await import('./doctor-tools.js')).addDoctor),
  alone('version', 'Show versions: paycli, interface, Node', async () => (await small()).addVersion),
  several(['commands'], async () => (await import('./command-list-tool.js')).addCommandList),
  several(['completion'], async () => (await import('./complete/tool.js')).addCompletion),
];
