import type { ReasonRow } from './reason.js';

export const batchCommandsReasons = {} as const satisfies Record<string, ReasonRow>;
