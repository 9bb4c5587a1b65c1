import type { ReasonRow } from './reason.js';

export const signCommandsReasons = {} as const satisfies Record<string, ReasonRow>;
