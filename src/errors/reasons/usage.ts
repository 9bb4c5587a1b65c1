import type { ReasonRow } from './reason.js';

export const usageReasons = {} as const satisfies Record<string, ReasonRow>;
