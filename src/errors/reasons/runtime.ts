import type { ReasonRow } from './reason.js';

export const runtimeReasons = {} as const satisfies Record<string, ReasonRow>;
