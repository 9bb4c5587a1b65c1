import type { TreePart } from '../core/command-line.js';

/** What the program of payments has beside the operations: `sign OPERATION`. See `src/entry.ts`. */
export const paymentParts: readonly TreePart[] = [
  {
    words: ['sign'],
    add: async (program, context) => {
      const { addSignedOperations, describeSign } = await import('./sign/sign-operation.js');
      const sign = program.command('sign');
      describeSign(sign);
      addSignedOperations(sign, context);
    },
  },
];
