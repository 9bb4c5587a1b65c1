import type { ReasonRow } from './reason.js';

export const batchReasons = {} as const satisfies Record<string, ReasonRow>;
