import type { ReasonRow } from './reason.js';

export const liveReasons = {} as const satisfies Record<string, ReasonRow>;
