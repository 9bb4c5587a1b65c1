import type { CommandGroup } from '../../group.js';

export const keys: CommandGroup = {
  summary: 'Keys for the RSA-SHA256 signatures: generate, inspect, convert',
  heading: 'Tools:',
  commands: {
    generate: async () => (await import('./generate.js')).keysGenerate,
    inspect: async () => (await import('./inspect.js')).keysInspect,
    convert: async () => (await import('./convert.js')).keysConvert,
  },
};
