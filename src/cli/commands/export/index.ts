import type { CommandGroup } from '../../group.js';

export const exportGroup: CommandGroup = {
  summary: 'The interface for other tools: OpenAPI, Postman',
  heading: 'Tools:',
  commands: {
    openapi: async () => (await import('./openapi.js')).exportOpenapi,
    postman: async () => (await import('./postman.js')).exportPostman,
  },
};
