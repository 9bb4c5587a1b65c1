import type { ReasonRow } from './reason.js';

export const threedsReasons = {} as const satisfies Record<string, ReasonRow>;
