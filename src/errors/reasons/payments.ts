import type { ReasonRow } from './reason.js';

export const paymentsReasons = {
  nonceRepeated: {
    code: 'INTERNAL',
    why: 'its source of chance gave the same nonce twice',
    how: 'restart this machine or container, then repeat the command',
    sent: 'nothing was sent',
  },
  capLacksCurrency: {
    code: 'CAP_EXCEEDED',
    why: '{cap} names {named} only, and this is in {currency}',
    how: 'nothing was sent; add an amount in {currency} to {cap} of the profile if that is meant',
  },
  capOfOneExceeded: {
    code: 'CAP_EXCEEDED',
    why: 'max-amount is {limit}, and this asks for {asked}',
    how: 'nothing was sent; ask for less, or have max-amount of the profile raised: waiting does not free it',
  },
  capAmountUnknown: {
    code: 'CAP_EXCEEDED',
    why: 'nobody here knows how much this {operation} moves, so it cannot be held against {caps}',
    how: 'nothing was sent; {advice}',
  },
  resendOnlyOfOpening: {
    code: 'RESEND_REFUSED',
    why: 'only a request that makes an order can be sent again, under its own id',
  },
  resendOnlyOfUnknown: { code: 'RESEND_REFUSED', why: 'it is {state}, and only an unknown outcome is a reason' },
  resendAskedTooFewTimes: {
    code: 'RESEND_REFUSED',
    why: 'the gateway has to say at least {needed} times over {neededMinutes} minutes that it knows no such order; so \
far {answers} over {minutes} minutes',
  },
  resendAgreedByAsker: {
    code: 'RESEND_REFUSED',
    why: 'a second person has to agree; --approved-by names the one who asks',
  },
} as const satisfies Record<string, ReasonRow>;
