import type { CommandGroup } from '../../group.js';

/** The commands of the built-in sandbox gateway. */
export const sandbox: CommandGroup = {
  summary: 'The built-in sandbox gateway',
  heading: 'Tools:',
  commands: {
    start: async () => (await import('./start.js')).sandboxStart,
    stop: async () => (await import('./stop.js')).sandboxStop,
    status: async () => (await import('./status.js')).sandboxStatus,
    reset: async () => (await import('./reset.js')).sandboxReset,
    merchant: async () => (await import('./merchant.js')).sandboxMerchant,
    outcomes: async () => (await import('./outcomes.js')).sandboxOutcomes,
    clock: async () => (await import('./clock.js')).sandboxClock,
    callbacks: async () => (await import('./callbacks.js')).sandboxCallbacks,
    log: async () => (await import('./log.js')).sandboxLog,
    pay: async () => (await import('./pay.js')).sandboxPay,
  },
};
