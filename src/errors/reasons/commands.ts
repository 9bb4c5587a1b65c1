import type { ReasonRow } from './reason.js';

export const commandsReasons = {
  wholeNumberBetween: { code: 'USAGE', why: '{flag} takes a whole number from {least} to {most}' },
  noSuchShell: { code: 'USAGE', why: 'there is no completion for that shell; there is: {shells}' },
} as const satisfies Record<string, ReasonRow>;
