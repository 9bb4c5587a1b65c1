import { defineReasons } from './reason.js';

/** Of sending money, and of what a live profile asks for first. */
export const paymentsReasons = defineReasons(() => ({
  nonceRepeated: {
    code: 'INTERNAL',
    why: 'its random source gave the same nonce twice',
    how: 'restart this machine or container, then repeat the command',
    sent: 'nothing was sent',
  },
  capLacksCurrency: {
    code: 'CAP_EXCEEDED',
    why: '{cap} covers only {named}, and this request is in {currency}',
    how: 'nothing was sent; add an amount in {currency} to {cap} of the profile if that is intended',
  },
  capOfOneExceeded: {
    code: 'CAP_EXCEEDED',
    why: 'max-amount is {limit}, and this request is for {asked}',
    how: 'nothing was sent; lower the amount, or raise max-amount in the profile; waiting does not help',
  },
  capAmountUnknown: {
    code: 'CAP_EXCEEDED',
    why: 'the amount of this {operation} is not known here, so it cannot be checked against {caps}',
    how: 'nothing was sent; {advice}',
  },
  resendOnlyOfOpening: {
    code: 'RESEND_REFUSED',
    why: 'only a request that creates an order can be sent again, under its own id',
  },
  resendOnlyOfUnknown: {
    code: 'RESEND_REFUSED',
    why: 'it {clause}, and only a request whose outcome is unknown may be sent again',
  },
  resendOfAccepted: {
    code: 'RESEND_REFUSED',
    why: 'the gateway accepted it before; ask gateway support for its outcome',
  },
  resendAskedTooFewTimes: {
    code: 'RESEND_REFUSED',
    why: 'the gateway must answer at least {needed} times over {neededMinutes} minutes that it has no such order; replies so far: {answers}, over {minutes} minutes',
  },
  liveFlagNotMeant: {
    code: 'LIVE_GUARD',
    why: '--live was given, but profile {profile} is of class {class}',
    how: 'omit --live, or choose a live profile',
  },
  liveFlagMissing: {
    code: 'LIVE_GUARD',
    why: 'profile {profile} is live and moves real money',
    how: 'add --live to this command line if that is intended',
  },
  operationAssumed: {
    code: 'LIVE_GUARD',
    why: '{operation} is assumed; the API documentation does not describe it',
    how: 'set assume: { payout-pay: accepted } in the profile once the gateway has confirmed it',
  },
  loginNotOfProfile: {
    code: 'LIVE_GUARD',
    why: 'the login that was given is not the login of profile {profile}',
    how: 'nothing was sent; check which profile you meant, then start again',
  },
  noTerminalToConfirm: {
    code: 'LIVE_GUARD',
    why: '{need}, and there is no terminal to prompt on',
    how: 'add --confirm-login LOGIN',
  },
}));
