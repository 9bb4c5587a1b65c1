import type { ReasonRow } from './reason.js';

export const waitCommandsReasons = {
  orderNotNamed: { code: 'USAGE', why: 'name the order by its order id, by --client-order-id, or by both' },
  viaNoWays: { code: 'USAGE', why: '--via takes callback, poll, or both with a comma in between' },
  orderNotKnownHere: { code: 'USAGE', why: 'nothing is known here about order {order} of profile {profile}{hint}' },
} as const satisfies Record<string, ReasonRow>;
