import type { ReasonRow } from './reason.js';

export const callbackCommandsReasons = {} as const satisfies Record<string, ReasonRow>;
