import type { ReasonRow } from './reason.js';

export const wireReasons = {} as const satisfies Record<string, ReasonRow>;
