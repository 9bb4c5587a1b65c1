import type { ReasonRow } from './reason.js';

export const callbacksReasons = {} as const satisfies Record<string, ReasonRow>;
