import type { CommandGroup } from '../../group.js';
import { toolCommands } from './operation-tool.js';
import { signedOperation } from './sign-operation.js';
import { refusedTools } from './tools.js';

/** `sign OPERATION`, and everything else that works on signatures. */
export const sign: CommandGroup = {
  summary: 'Show what would be signed, and find out why a signature was refused',
  heading: 'Tools:',
  usage: '<operation> [flags]',
  // Of all examples of `sign` those that read files find them in the folder they are run in; a test makes these.
  examples: [
    'sign sale --profile sandbox --amount 10.42 --currency USD --test-card approved --explain',
    'sign sale --profile sandbox --amount 10.42 --currency USD --test-card approved --code php',
    'sign verify --request-file request.txt',
    'sign find-mistake sale --amount 10.42 --currency USD --email payer@example.com --client-order-id $ID --control $CONTROL',
  ],
  commands: {
    ...toolCommands(refusedTools),
    doctor: async () => (await import('./doctor.js')).signDoctor,
    raw: async () => (await import('./raw.js')).signRaw,
    control: async () => (await import('./raw.js')).signControl,
  },
  operations: signedOperation,
};
