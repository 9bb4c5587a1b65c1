import type { ReasonRow } from './reason.js';

export const paymentsReasons = {} as const satisfies Record<string, ReasonRow>;
