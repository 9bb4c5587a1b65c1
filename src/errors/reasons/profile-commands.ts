import type { ReasonRow } from './reason.js';

export const profileCommandsReasons = {} as const satisfies Record<string, ReasonRow>;
