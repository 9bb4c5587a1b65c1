import type { TreePart } from '../core/command-line.js';

/** What stands beside the operations in the program of payments alone, which loads faster: see `src/entry.ts`. */
export const paymentParts: readonly TreePart[] = [
  {
    words: ['sign'],
    add: async (program, context) => {
      const { addSign } = await import('./sign/index.js');
      await addSign(program.command('sign').helpGroup('Tools:'), context);
    },
  },
];
