import { type LoadCommand, operationCommands } from '../group.js';
import { operationCommand } from '../operation.js';

/** Every command by its first word, in the order of the root help. Its code is loaded when needed. */
export const everyCommand: Readonly<Record<string, LoadCommand>> = {
  ...operationCommands(operationCommand),
  sign: async () => (await import('./sign/index.js')).sign,
  init: async () => (await import('./init/init.js')).init,
  request: async () => (await import('./operation/request.js')).request,
  keys: async () => (await import('./keys/index.js')).keys,
  export: async () => (await import('./export/index.js')).exportGroup,
  assumptions: async () => (await import('./assumptions/assumptions.js')).assumptions,
  sandbox: async () => (await import('./sandbox/index.js')).sandbox,
  certify: async () => (await import('./certify/certify.js')).certify,
  '3ds': async () => ({
    summary: '3-D Secure messages',
    heading: 'Tools:',
    commands: { decode: async () => (await import('./threeds/decode.js')).threedsDecode },
  }),
  callback: async () => (await import('./callback/index.js')).callback,
  orders: async () => (await import('./order/orders.js')).orders,
  order: async () => (await import('./order/order.js')).order,
  resolve: async () => (await import('./journal/resolve.js')).resolve,
  journal: async () => (await import('./journal/journal.js')).journal,
  batch: async () => (await import('./batch/index.js')).batch,
  support: async () => (await import('./support/support.js')).support,
  profile: async () => (await import('./profile/index.js')).profile,
  doctor: async () => (await import('./doctor/doctor.js')).doctor,
  completion: async () => (await import('./docs/completion.js')).completion,
};
