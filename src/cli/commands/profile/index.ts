import type { CommandGroup } from '../../group.js';

export const profile: CommandGroup = {
  summary: 'Profiles: gateway address, merchant login and keys',
  heading: 'Tools:',
  commands: {
    show: async () => (await import('./show.js')).profileShow,
    set: async () => (await import('./set.js')).profileSet,
    'set-key': async () => (await import('./set-key.js')).profileSetKey,
    remove: async () => (await import('./remove.js')).profileRemove,
  },
};
