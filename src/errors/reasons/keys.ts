import type { ReasonRow } from './reason.js';

export const keysReasons = {} as const satisfies Record<string, ReasonRow>;
