import type { CommandGroup } from '../../core/define-command.js';

export const journal: CommandGroup = {
  summary: 'Requests sent from this machine, and their outcomes',
  heading: 'Money safety:',
  commands: {
    list: async () => (await import('./list.js')).journalList,
    show: async () => (await import('./show.js')).journalShow,
    verify: async () => (await import('./verify.js')).journalVerify,
    adopt: async () => (await import('./adopt.js')).journalAdopt,
  },
};
