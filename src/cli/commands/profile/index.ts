import { type Command, Option } from 'commander';
import type { CommandGroup } from '../../core/define-command.js';
import { addFlags } from '../../core/options.js';
import { valueFlags } from './flags.js';

export const profile: CommandGroup = {
  summary: 'Profiles: where to send and as whom',
  heading: 'Tools:',
  commands: {
    add: async () => (await import('./add.js')).profileAdd,
    list: async () => (await import('./list.js')).profileList,
    show: async () => (await import('./show.js')).profileShow,
    use: async () => (await import('./use.js')).profileUse,
    remove: async () => (await import('./remove.js')).profileRemove,
  },
};

// LATER: gone once `init` is a declaration, which takes `classFlag` and `valueFlags`.
export const classOption = (text: string): Option =>
  new Option('--class <class>', text).choices(['sandbox', 'test', 'live']);
export const addValueOptions = (command: Command): Command => addFlags(command, valueFlags);
