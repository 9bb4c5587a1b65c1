import type { ReasonRow } from './reason.js';

const callbacksStopped =
  'no callback was taken or answered, so the gateway sends each again; everything but callbacks works on. Make the \
file readable for you, or put it back from a backup; moved away, a new key is made, and older callbacks are listed but \
not readable until their line is back in the file';

export const callbacksReasons = {
  routeNotOfForm: { code: 'USAGE', why: '--route is written as "type=reversal -> http://127.0.0.1:3000/reversals"' },
  handlerAddressNotOfForm: {
    code: 'USAGE',
    why: '{flag} needs an http or https address such as http://127.0.0.1:3000/callback',
  },
  listenAddressNotHere: { code: 'USAGE', why: 'this machine has no address {host}' },
  callbackKeysDamaged: {
    code: 'STORAGE',
    why: 'it does not hold one key for stored callbacks a line',
    how: callbacksStopped,
  },
  callbackKeysUnusable: {
    code: 'STORAGE',
    why: 'the key of stored callbacks cannot be read or written there',
    how: callbacksStopped,
  },
} as const satisfies Record<string, ReasonRow>;
