import type { CommandGroup } from '../../core/define-command.js';

export const profile: CommandGroup = {
  summary: 'Profiles: gateway address, merchant login and keys',
  heading: 'Tools:',
  commands: {
    add: async () => (await import('./add.js')).profileAdd,
    list: async () => (await import('./list.js')).profileList,
    show: async () => (await import('./show.js')).profileShow,
    use: async () => (await import('./use.js')).profileUse,
    set: async () => (await import('./set.js')).profileSet,
    'set-key': async () => (await import('./set-key.js')).profileSetKey,
    rename: async () => (await import('./rename.js')).profileRename,
    remove: async () => (await import('./remove.js')).profileRemove,
  },
};
