import type { CommandGroup } from '../../core/define-command.js';

export const live: CommandGroup = {
  summary: 'Leases: live payments without typing the login for each',
  heading: 'Money safety:',
  commands: {
    unlock: async () => (await import('./leases.js')).liveUnlock,
    status: async () => (await import('./leases.js')).liveStatus,
    lock: async () => (await import('./leases.js')).liveLock,
  },
};
