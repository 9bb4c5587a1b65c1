import type { CommandGroup } from '../../group.js';

export const batch: CommandGroup = {
  summary: 'Files of many payments: plan, approve, send rows once',
  heading: 'Money safety:',
  commands: {
    plan: async () => (await import('./plan.js')).batchPlan,
    approve: async () => (await import('./approve.js')).batchApprove,
    run: async () => (await import('./run.js')).batchRun,
    pause: async () => (await import('./control.js')).batchPause,
    cancel: async () => (await import('./control.js')).batchCancel,
    show: async () => (await import('./show.js')).batchShow,
    reconcile: async () => (await import('./reconcile.js')).batchReconcile,
  },
};
