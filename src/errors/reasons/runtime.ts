import type { ReasonRow } from './reason.js';

export const runtimeReasons = {
  portNotOpened: { code: 'USAGE', why: 'port {port} cannot be opened' },
} as const satisfies Record<string, ReasonRow>;
