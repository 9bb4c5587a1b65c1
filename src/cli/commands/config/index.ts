import type { CommandGroup } from '../../core/define-command.js';

export const config: CommandGroup = {
  summary: 'Configuration files',
  heading: 'Tools:',
  commands: {
    explain: async () => (await import('./explain.js')).configExplain,
    trust: async () => (await import('./trust.js')).configTrust,
  },
};
