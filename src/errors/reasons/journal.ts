import type { ReasonRow } from './reason.js';

export const journalReasons = {
  madeByAnotherVersion: {
    code: 'STORAGE',
    why: 'another version of paycli made it',
    how: 'use the paycli that made it',
  },
} as const satisfies Record<string, ReasonRow>;
