import type { CommandGroup } from '../../core/define-command.js';

export const assumptions: CommandGroup = {
  summary: 'Unspecified behaviour, and what is assumed',
  heading: 'Tools:',
  commands: {
    list: async () => (await import('./list.js')).assumptionsList,
    explain: async () => (await import('./explain.js')).assumptionsExplain,
  },
};
