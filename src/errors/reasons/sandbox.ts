import type { ReasonRow } from './reason.js';

export const sandboxReasons = {} as const satisfies Record<string, ReasonRow>;
