import type { ReasonRow } from './reason.js';

export const signingReasons = {} as const satisfies Record<string, ReasonRow>;
