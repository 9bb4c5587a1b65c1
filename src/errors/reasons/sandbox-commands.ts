import type { ReasonRow } from './reason.js';

export const sandboxCommandsReasons = {} as const satisfies Record<string, ReasonRow>;
