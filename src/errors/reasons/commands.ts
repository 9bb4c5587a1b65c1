import type { ReasonRow } from './reason.js';

export const commandsReasons = {} as const satisfies Record<string, ReasonRow>;
