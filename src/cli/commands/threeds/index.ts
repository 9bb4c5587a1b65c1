import type { CommandGroup } from '../../group.js';

export const threeds: CommandGroup = {
  summary: '3-D Secure messages and flows for tests',
  heading: 'Tools:',
  commands: {
    decode: async () => (await import('./read.js')).threedsDecode,
    run: async () => (await import('./run.js')).threedsRun,
  },
};
