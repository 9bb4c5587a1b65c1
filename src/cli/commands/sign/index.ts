import type { CommandGroup } from '../../group.js';
import { signedOperation } from './sign-operation.js';

/** `sign OPERATION`, and everything else that works on signatures. */
export const sign: CommandGroup = {
  summary: 'Show what would be signed, and find out why a signature was refused',
  heading: 'Signing:',
  usage: '<operation> [flags]',
  examples: [
    'sign sale --profile sandbox --amount 10.42 --currency USD --test-card approved',
    'sign check request.txt',
    'sign sale --amount 10.42 --currency USD --email payer@example.com --client-order-id $ID --control $CONTROL',
  ],
  commands: {
    check: async () => (await import('./check.js')).signCheck,
    doctor: async () => (await import('./doctor.js')).signDoctor,
    request: async () => (await import('./request-path.js')).signRequest,
  },
  operations: signedOperation,
};
