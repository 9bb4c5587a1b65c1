import type { CommandGroup } from '../../group.js';
import { sandboxFlags, sayingWhichSandbox } from './which-sandbox.js';

const merchant: CommandGroup = {
  summary: 'The merchants of this sandbox, each with its own orders',
  commands: { add: async () => (await import('./merchant.js')).sandboxMerchantAdd },
};

const clock: CommandGroup = {
  summary: 'The sandbox clock, which drives states, holds, recurring charges and callbacks',
  commands: {
    show: async () => (await import('./clock.js')).sandboxClockShow,
    set: async () => (await import('./clock.js')).sandboxClockSet,
    advance: async () => (await import('./clock.js')).sandboxClockAdvance,
    run: async () => (await import('./clock.js')).sandboxClockRun,
  },
};

const callbacks: CommandGroup = {
  summary: 'Callbacks sent to merchants, and their replies',
  commands: {
    list: async () => (await import('./callbacks.js')).sandboxCallbacksList,
    script: async () => (await import('./callbacks.js')).sandboxCallbacksScript,
  },
};

/** The commands of the built-in sandbox gateway. */
export const sandbox: CommandGroup = sayingWhichSandbox({
  summary: 'The built-in sandbox gateway',
  heading: 'Tools:',
  flags: sandboxFlags,
  commands: {
    start: async () => (await import('./start.js')).sandboxStart,
    stop: async () => (await import('./stop.js')).sandboxStop,
    status: async () => (await import('./status.js')).sandboxStatus,
    reset: async () => (await import('./reset.js')).sandboxReset,
    outcomes: async () => (await import('./outcomes.js')).sandboxOutcomes,
    merchant: async () => merchant,
    clock: async () => clock,
    callbacks: async () => callbacks,
    log: async () => (await import('./log.js')).sandboxLog,
    audit: async () => (await import('./audit.js')).sandboxAudit,
  },
});
