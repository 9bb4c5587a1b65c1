import type { CommandGroup } from '../../core/define-command.js';

export const support: CommandGroup = {
  summary: 'Collect what gateway support or a colleague needs',
  heading: 'Tools:',
  commands: {
    bundle: async () => (await import('./bundle.js')).supportBundle,
  },
};
