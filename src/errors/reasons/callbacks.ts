import type { ReasonRow } from './reason.js';

export const callbacksReasons = {
  routeNotOfForm: { code: 'USAGE', why: '--route is written as "type=reversal -> http://127.0.0.1:3000/reversals"' },
  handlerAddressNotOfForm: {
    code: 'USAGE',
    why: '{flag} needs an http or https address such as http://127.0.0.1:3000/callback',
  },
  listenAddressNotHere: { code: 'USAGE', why: 'this machine has no address {host}' },
} as const satisfies Record<string, ReasonRow>;
