import type { ReasonRow } from './reason.js';

export const supportReasons = {} as const satisfies Record<string, ReasonRow>;
