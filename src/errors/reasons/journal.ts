import type { ReasonRow } from './reason.js';

export const journalReasons = {} as const satisfies Record<string, ReasonRow>;
