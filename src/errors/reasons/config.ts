import type { ReasonRow } from './reason.js';

export const configReasons = {} as const satisfies Record<string, ReasonRow>;
